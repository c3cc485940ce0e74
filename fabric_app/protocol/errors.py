"""What the state layer refuses, each with its code and a sentence that says what to do.

Details carry the whole values; sentences show texts cut short, since a label may be as long as an event.
"""

from __future__ import annotations

from typing import Any

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.texts import cut_text

SHOWN_BYTES = 200


class StateError(StatehouseError):
    """Base of the state layer's own errors: texts in its sentences are quoted and cut; never raised itself."""

    code = "STATE_ERROR"

    def sentence(self) -> str:
        return self.message.format(**{name: _shown(value) for name, value in self.details.items()})


class FromMismatch(StateError):
    """The declared `from` is not where the head stands; nothing was written."""

    code, status = "FROM_MISMATCH", 409
    message = "The head stands at {actual}, not at {declared}. Read the head and decide again, or use force."


class HeadQuarantined(StateError):
    """A head is stored that cannot be trusted; not even force passes it."""

    code, status = "HEAD_QUARANTINED", 409
    message = "The stored head is quarantined: {explanation} An operator has to repair it first."


class ReductionWithoutEvidence(StateError):
    """Decision points went down, and nothing is attached that could show unchanged behaviour."""

    code, status = "REDUCTION_WITHOUT_EVIDENCE", 422
    message = "This removes decision points (net {netDelta}). Attach a command that shows the behaviour is kept."


class ContentionChainBroken(StateError):
    """The head moved during the write, and the declared `from` no longer matches it."""

    code, status = "CONTENTION_CHAIN_BROKEN", 409
    message = "Another transition moved the head to {actual}; from {declared} it cannot be reached any more."


class ContentionHeadAdvanced(StateError):
    """The head moved during the write, and no `from` says whether the transition still chains."""

    code, status = "CONTENTION_HEAD_ADVANCED", 409
    message = "Another transition moved the head to {actual}. Read it, declare `from`, and send again."


class ContentionRetriesExhausted(StateError):
    """Each of the bounded attempts to move the head was lost."""

    code, status = "CONTENTION_RETRIES_EXHAUSTED", 409
    message = "The head was lost to other writers {attempts} times. Wait a little, and send again."


class TransitionRejected(StateError):
    """A proposal was written and then rejected; `cause` is the error that stopped it, as JSON."""

    code, status = "TRANSITION_REJECTED", 409
    message = "The transition was rejected, and nothing of it is visible: {cause}"

    def __init__(self, *, cause: StatehouseError, quarantine: bool = False, reporting_failed: bool = False) -> None:
        details: dict[str, Any] = {"cause": cause.as_json()}
        if quarantine:
            details["quarantine"] = True
        if reporting_failed:
            details["reportingFailed"] = True
        super().__init__(**details)

    def sentence(self) -> str:
        return self.message.format(cause=self.details["cause"]["message"])


class NoGoal(StateError):
    """There is no goal to check."""

    code, status = "NO_GOAL", 409
    message = "No goal is set. Set one with the goal action first."


class EvidenceDigestMismatch(StateError):
    """The commands are no longer those that the caller saw; nothing was run."""

    code, status = "EVIDENCE_DIGEST_MISMATCH", 409
    message = "The commands have changed: their digest is {actual}, not {expected}. Look at them and ask again."


class UnknownAction(StateError):
    """The state layer has no action of this name."""

    code, status = "UNKNOWN_ACTION", 404
    message = "The state layer has no action {action}."


def error_text(error: StatehouseError) -> str:
    """Return `CODE: sentence`, the text by which an event names an error."""
    return f"{error.code}: {error.sentence()}"


def _shown(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    shown, omitted = cut_text(value, SHOWN_BYTES)
    return f"{shown}..." if omitted else shown
