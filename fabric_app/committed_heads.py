"""The last committed head of a workspace, found again from the log: from the versions of its key, or its transitions.

The key's own versions hold a head whole; where the log shows a transition that was committed later (an imported mesh
brings its events, and only the last value of the key), the head is made again from that.
Source: state layer, "Crash and retention limits".
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Coalesce

from fabric_app.mesh.models import KeyVersion
from fabric_app.models import TransitionState
from fabric_app.protocol.heads import Accepted, transition_id_of
from fabric_app.protocol.records import TRANSITION, record_from_event
from fabric_app.protocol.repairs import LogFindings, head_of_record, restored_head
from fabric_app.protocol.values import sequence_number
from fabric_app.state_keys import HEAD_KEY
from fabric_app.stored_heads import proposal_seen, status_of, transition_state

PAGE = 50


@dataclass(frozen=True)
class CommittedHead:
    """A head that can be put back. place: sequence of its commit in the log, by which the later one is told."""

    value: dict[str, Any]
    place: int


def last_committed_head(workspace_id: uuid.UUID) -> dict[str, Any] | None:
    """Return the value to put back, uncertified, or None where nothing was ever committed."""
    stored, logged = _from_versions(workspace_id), _from_transitions(workspace_id)
    found = [head for head in (stored, logged) if head is not None]
    # The stored one stands first: of two at the same place it is the fuller.
    return max(found, key=lambda head: head.place).value if found else None


def findings(workspace_id: uuid.UUID, value: Any) -> LogFindings:
    """Return what the log holds of the transition that a head names."""
    transition_id = transition_id_of(value)
    row = transition_state(workspace_id, transition_id) if transition_id is not None else None
    if row is None:
        return LogFindings()
    return LogFindings(
        proposal=proposal_seen(row),
        sequence=row.sequence,
        is_committed=row.committed_sequence is not None,
        is_rejected=row.rejected_sequence is not None,
    )


def _from_versions(workspace_id: uuid.UUID) -> CommittedHead | None:
    """Return the newest version of the key that can be trusted; most often the first that is looked at."""
    versions = KeyVersion.objects.filter(workspace_id=workspace_id, key=HEAD_KEY, is_deletion=False)
    for row in versions.order_by("-version").iterator(chunk_size=PAGE):
        if not isinstance(status_of(workspace_id, row.value), Accepted):
            continue
        transition = transition_state(workspace_id, row.value["transitionId"])
        if transition is None or transition.rejected_sequence is None:
            return CommittedHead(restored_head(row.value), _place(row.value, transition))
    return None


def _place(value: dict[str, Any], transition: TransitionState | None) -> int:
    if transition is not None and transition.is_visible:
        return transition.committed_sequence or transition.sequence or 0
    return sequence_number(value.get("transitionSequence")) or 0


def _from_transitions(workspace_id: uuid.UUID) -> CommittedHead | None:
    committed = Coalesce("committed_sequence", "sequence")
    visible = TransitionState.objects.filter(workspace_id=workspace_id, is_visible=True)
    row = visible.alias(place=committed).order_by("-place").first()
    if row is None:
        return None
    record = record_from_event(
        {"id": row.transition_id, "sequence": row.sequence, "kind": TRANSITION, "data": row.record}
    )
    if record is None:
        raise RuntimeError(f"Transition {row.transition_id} is visible and has no record: rebuild the projection.")
    return CommittedHead(head_of_record(record), row.committed_sequence or record.sequence)
