"""Repairs of a head that cannot be trusted: the value that each leaves, or the error that says why it is refused.

- Finishing a commit proves it where the log and the head agree on what was proposed. What was rejected, contradicts its
  proposal, or has no readable form is never finished.
- A repair is a new version of the key. A certificate is bound to the version that stored it, so none survives a repair:
  a reduction is pending again, anything else has no certification status.
- A head without a proof of its own (protocol 1, legacy) gets one as soon as its place in the log is known.

Source: state layer, "Crash and retention limits"; fabric 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fabric_app.mesh.numbers import whole_number
from fabric_app.protocol.certificates import without_certificate
from fabric_app.protocol.effects import Phase, TransitionSeen
from fabric_app.protocol.errors import StateError
from fabric_app.protocol.heads import (
    COMMITTED,
    EXPLANATIONS,
    HEAD_PROTOCOL,
    PROOF_VERSION,
    Accepted,
    Quarantine,
    Quarantined,
    certification_status,
    transition_id_of,
)
from fabric_app.protocol.records import PENDING, TransitionRecord, complexity_of, record_json
from fabric_app.protocol.values import as_object, sequence_number

Json = dict[str, Any]

REPAIRED = "state.repaired"
CERTIFICATION_STATUS = "certificationStatus"
PROOF: Json = {"version": PROOF_VERSION, "status": COMMITTED}
# Reasons that only say that a commit is not proven; every other says that the head is wrong.
UNPROVEN = frozenset({Quarantine.NO_COMMIT_MARKER, Quarantine.UNCOMMITTED_PROPOSAL})


class RepairAction(StrEnum):
    """What an operator can do; the word that `state.repaired` carries."""

    FINISH_COMMIT = "finish-commit"
    REMOVE_PENDING_HEAD = "remove-pending-head"
    RESTORE_LAST_COMMITTED_HEAD = "restore-last-committed-head"
    REBUILD_PROJECTION = "rebuild-projection"


class NoStoredHead(StateError):
    """There is no head that could be finished or removed."""

    code, status = "NO_STORED_HEAD", 409
    message = "The workspace has no stored head. A transition can be recorded, or the last committed head restored."


class NothingToRepair(StateError):
    """The stored head is trusted."""

    code, status = "NOTHING_TO_REPAIR", 409
    message = "The stored head is trusted: it needs no repair, and a transition is how it moves on."


class CommitNotFinishable(StateError):
    """The stored head is not one whose commit could be finished; `reason` says why."""

    code, status = "COMMIT_NOT_FINISHABLE", 409
    message = "This commit cannot be finished: {explanation} Remove the head, or restore the last committed one."


class NoCommittedHead(StateError):
    """Neither the versions of the head's key nor the log hold a committed head."""

    code, status = "NO_COMMITTED_HEAD", 409
    message = "No committed head was ever stored here, and the log shows no committed transition to restore."


@dataclass(frozen=True)
class LogFindings:
    """What the log holds of the transition that a head names. sequence: of its proposal."""

    proposal: TransitionSeen | None = None
    sequence: int | None = None
    is_committed: bool = False
    is_rejected: bool = False


def finished_head(value: Any, status: Accepted | Quarantined | None, found: LogFindings) -> Json:
    """Return the head with its commit proven. Raises NoStoredHead, NothingToRepair, CommitNotFinishable."""
    if status is None:
        raise NoStoredHead
    if isinstance(status, Accepted) and not is_pending(value):
        raise NothingToRepair
    if isinstance(status, Quarantined) and status.reason not in UNPROVEN:
        raise _not_finishable(status.reason)
    if found.is_rejected:
        raise _not_finishable(Quarantine.REJECTED)
    if _contradicts(value, found.proposal):
        raise _not_finishable(Quarantine.CONTRADICTS_PROPOSAL)
    return _proven(value, found.sequence)


def check_removable(status: Accepted | Quarantined | None) -> None:
    """Return where a stored head may be removed. Raises NoStoredHead, NothingToRepair."""
    if status is None:
        raise NoStoredHead
    if isinstance(status, Accepted):
        raise NothingToRepair


def check_replaceable(status: Accepted | Quarantined | None) -> None:
    """Return where another head may take the stored one's place; also where there is none. Raises NothingToRepair."""
    if isinstance(status, Accepted):
        raise NothingToRepair


def restored_head(value: Json) -> Json:
    """Return a committed head as it is put back: by itself trusted where its form allows, and uncertified."""
    proven = {**value, "commitProof": dict(PROOF)} if is_pending(value) else value
    return uncertified(proven)


def head_of_record(record: TransitionRecord) -> Json:
    """Return the head that a committed transition led to, made again from what the log says of it."""
    shown = record_json(record)
    transition_id, sequence = shown.pop("transitionId"), shown.pop("sequence")
    value = {
        "protocolVersion": HEAD_PROTOCOL,
        "commitProof": dict(PROOF),
        "transitionSequence": sequence,
        **shown,
        "transitionId": transition_id,
    }
    return uncertified(value)


def uncertified(value: Json) -> Json:
    """Return the head without a certificate, its status what it was before anybody verified it."""
    kept = {name: member for name, member in without_certificate(value).items() if name != CERTIFICATION_STATUS}
    status = certification_status(complexity_of(value.get("complexity")))
    return kept if status is None else {**kept, CERTIFICATION_STATUS: status}


def is_pending(value: Any) -> bool:
    """True for a protocol-2 head whose own proof is still pending."""
    head = as_object(value)
    is_ours = whole_number(head.get("protocolVersion")) == HEAD_PROTOCOL
    return is_ours and as_object(head.get("commitProof")).get("status") == PENDING


def marker_needed(value: Any, found: LogFindings) -> str | None:
    """Return the transition id for which a commit marker is missing, or None where there is one."""
    return None if found.is_committed else transition_id_of(value)


def _proven(value: Json, sequence: int | None) -> Json:
    place = sequence_number(value.get("transitionSequence")) or sequence
    if place is None:
        raise CommitNotFinishable(
            reason="no-sequence", explanation="neither the log nor the head says where it was proposed."
        )
    proof = {"protocolVersion": HEAD_PROTOCOL, "commitProof": dict(PROOF), "transitionSequence": place}
    rest = {name: member for name, member in value.items() if name not in proof}
    return uncertified({**proof, **rest})


def _contradicts(value: Json, proposal: TransitionSeen | None) -> bool:
    if proposal is None:
        return False
    return proposal.phase is Phase.OTHER or (proposal.label, proposal.to) != (value.get("label"), value.get("to"))


def _not_finishable(reason: Quarantine) -> CommitNotFinishable:
    return CommitNotFinishable(reason=reason.value, explanation=EXPLANATIONS[reason])
