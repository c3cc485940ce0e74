"""The head as it is stored, and what the projection says of the transition that it names.

Reading is one look at the key and, where the value alone does not decide, one at the transition's row. What cannot be
trusted is told with its reason and never shown as a head. Source: state layer, "Key state/current"; fabric 4.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.keys import entry
from fabric_app.mesh.models import KeyEntry
from fabric_app.models import TransitionState
from fabric_app.protocol.effects import Phase, TransitionSeen
from fabric_app.protocol.fold import marker_facts
from fabric_app.protocol.heads import (
    Accepted,
    HeadIdentity,
    MarkerFacts,
    Quarantined,
    head_status,
    transition_id_of,
)
from fabric_app.state_keys import HEAD_KEY

# Under these facts a head is trusted only where its value alone proves it.
WORST = MarkerFacts(rejected=True, proposed=True)


@dataclass(frozen=True)
class HeadReading:
    """The key `state/current`. `status` is None where there is no head; `version` counts on from a deleted one."""

    value: Any
    version: int
    status: Accepted | Quarantined | None

    @property
    def identity(self) -> HeadIdentity | None:
        """The accepted head with the key's version, or None."""
        return self.status.at(self.version) if isinstance(self.status, Accepted) else None


def read_head(workspace_id: uuid.UUID) -> HeadReading:
    """Return the stored head, trusted or not."""
    return head_of(workspace_id, entry(workspace_id, HEAD_KEY))


def head_of(workspace_id: uuid.UUID, row: KeyEntry | None) -> HeadReading:
    """Return what the row of the head's key amounts to."""
    if row is None or row.is_deleted:
        return HeadReading(value=None, version=row.version if row else 0, status=None)
    return HeadReading(value=row.value, version=row.version, status=status_of(workspace_id, row.value))


def status_of(workspace_id: uuid.UUID, value: Any) -> Accepted | Quarantined:
    """Return whether a value can be trusted as a head; the log is asked only where the value alone does not decide."""
    status = head_status(value, WORST)
    return head_status(value, _facts(workspace_id, value)) if isinstance(status, Quarantined) else status


def transition_state(workspace_id: uuid.UUID, transition_id: str) -> TransitionState | None:
    """Return the projected row of a transition id, or None where the log never named it."""
    return TransitionState.objects.filter(workspace_id=workspace_id, transition_id=transition_id).first()


def proposal_seen(row: TransitionState) -> TransitionSeen | None:
    """Return the transition event that the row tells of, or None where the log holds only markers of it."""
    if row.phase is None:
        return None
    # A proposal without a record lacks a usable label or destination, and so contradicts any head.
    record = row.record or {}
    return TransitionSeen(
        transition_id=row.transition_id,
        phase=Phase(row.phase),
        label=record.get("label"),
        to=record.get("to"),
        record=None,
    )


def _facts(workspace_id: uuid.UUID, value: Any) -> MarkerFacts:
    transition_id = transition_id_of(value)
    row = transition_state(workspace_id, transition_id) if transition_id is not None else None
    if row is None:
        return MarkerFacts()
    return marker_facts(
        value,
        proposal_seen(row),
        committed=row.committed_sequence is not None,
        rejected=row.rejected_sequence is not None,
    )
