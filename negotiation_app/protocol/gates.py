"""The gates of the four statuses. Source: canonical negotiation state, section 8, second table."""

from __future__ import annotations

from collections.abc import Sequence

from negotiation_app.protocol.evidence import all_tainted, best_carried
from negotiation_app.protocol.names import Certainty
from negotiation_app.protocol.refusals import EvidenceRequired, EvidenceTooWeak, RationaleRequired, SimulatedSource
from negotiation_app.protocol.state import Negotiation


def pass_gate(
    state: Negotiation,
    *,
    ref: str,
    slot: str,
    status: Certainty,
    evidence: Sequence[str],
    rationale: str | None,
) -> None:
    """Let a proposition reach `status` on these items.

    Raises RationaleRequired, EvidenceRequired, SimulatedSource, EvidenceTooWeak (with `carries`).
    """
    if status == Certainty.UNKNOWN:
        return
    if status == Certainty.HYPOTHESIS:
        if not evidence and not (rationale or "").strip():
            raise RationaleRequired(proposition=ref)
        return
    carry(state, subject=f"propositions/{ref}", slot=slot, status=status, evidence=evidence)


def carry(state: Negotiation, *, subject: str, slot: str, status: Certainty, evidence: Sequence[str]) -> None:
    """Demand that one of the items carries `status` for the slot. Raises as `pass_gate` does."""
    if not evidence:
        raise EvidenceRequired(subject=subject)
    if all_tainted(state, evidence):
        raise SimulatedSource(subject=subject)
    about, _, attribute = slot.partition("/")
    best = best_carried(state, evidence, about, attribute)
    if best.rank < status.rank:
        raise EvidenceTooWeak(subject=subject, carries=best, asked=status)
