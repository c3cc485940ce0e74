"""What a transition is checked against before it is written, and again when it loses the head to another.

Force passes the check of `from`, before and after a loss, and nothing else.

Source: state layer, "Determinism and contention"; fabric 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabric_app.protocol.bounds import HEAD_ATTEMPTS
from fabric_app.protocol.errors import (
    ContentionChainBroken,
    ContentionHeadAdvanced,
    ContentionRetriesExhausted,
    FromMismatch,
    HeadQuarantined,
    ReductionWithoutEvidence,
)
from fabric_app.protocol.heads import Accepted, HeadIdentity, Quarantined
from fabric_app.protocol.values import non_blank_texts


def trusted(status: Accepted | Quarantined) -> Accepted:
    """Return the head that can be built on. Raises HeadQuarantined, which force does not pass."""
    if isinstance(status, Quarantined):
        raise HeadQuarantined(reason=status.reason.value, explanation=status.explanation)
    return status


def check_from(head: Accepted | HeadIdentity | None, declared: str | None) -> None:
    """Raise FromMismatch where a `from` is declared and the head stands elsewhere.

    Without a head any `from` passes, and without a `from` any head does.
    """
    if head is not None and declared is not None and declared != head.to:
        raise FromMismatch(actual=head.to, declared=declared)


def check_reduction(net_delta: int, evidence: Iterable[str]) -> None:
    """Raise ReductionWithoutEvidence where decision points went down and no command with a text is attached."""
    if net_delta < 0 and not non_blank_texts(list(evidence)):
        raise ReductionWithoutEvidence(netDelta=net_delta)


def recheck_after_loss(current: Any, declared: str | None) -> None:
    """Check the transition against the value that won, trusted or not; not called with force, nor on a deleted head.

    Raises ContentionHeadAdvanced without a `from`, ContentionChainBroken where the winner leads elsewhere.
    """
    actual = current.get("to") if isinstance(current, dict) else None
    if declared is None:
        raise ContentionHeadAdvanced(actual=actual)
    if actual is not None and actual != declared:
        raise ContentionChainBroken(actual=actual, declared=declared)


def check_attempts(lost: int) -> None:
    """Raise ContentionRetriesExhausted once the bounded number of attempts is used up; force does not pass it."""
    if lost >= HEAD_ATTEMPTS:
        raise ContentionRetriesExhausted(attempts=lost)
