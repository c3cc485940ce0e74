"""What a repair would do, found by reading alone: the head after it, its events, or why it is refused.

The same plan is made for the operator to look at and again under the workspace's lock, where it is carried out.
Source: state layer, "Crash and retention limits"; fabric 4.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from fabric_app.committed_heads import findings, last_committed_head
from fabric_app.mesh.canonical import digest
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.log import NewEvent
from fabric_app.mesh.models import Event, KeyVersion, LogHead, Workspace
from fabric_app.operations import projection
from fabric_app.operations.check import check_workspace
from fabric_app.protocol import repairs as protocol
from fabric_app.protocol.effects import TRANSITION_COMMITTED
from fabric_app.protocol.events import TOPIC, committed_data, repaired_data
from fabric_app.protocol.repairs import REPAIRED, NoCommittedHead, RepairAction
from fabric_app.stored_heads import HeadReading, read_head

SHOWN_DIFFERENCES = 20
LOG_TABLES = frozenset(model._meta.db_table for model in (Event, KeyVersion, LogHead))
# Added when a repair is written: who, when and why.
ADDED_ON_WRITING = frozenset({"actor", "reason", "ts"})

Json = dict[str, Any]


class LogBroken(StatehouseError):
    """Rows of the log itself are not what was written; nothing is made from them."""

    code, status = "LOG_BROKEN", 409
    message = "The log is not whole: {row}. No projection is made from it; compare it with a backup."


@dataclass(frozen=True)
class Repair:
    """What a repair of the head would do. before, after: head values, None for no head.

    events: `{topic, kind, data}` of each event, without who, when and why. marker_for: the transition id whose commit
    marker is missing. refusal: why it would not be carried out; then after is before, and there are no events.
    """

    action: RepairAction
    before: Any
    after: Any
    events: tuple[Json, ...]
    expected_version: int
    refusal: StatehouseError | None = None
    marker_for: str | None = None

    @property
    def digest(self) -> str:
        """What the operator saw, in one text."""
        return digest([self.action.value, self.expected_version, self.before, self.after, list(self.events)])

    @property
    def next_version(self) -> int:
        """The version of the key after the repair; a removal keeps it."""
        return self.expected_version + (self.after is not None and self.refusal is None)


@dataclass(frozen=True)
class Rebuild:
    """What rebuilding a projection would put right. differences: the first of `count`."""

    count: int
    differences: tuple[projection.Difference, ...]

    def as_json(self) -> Json:
        first = [{"table": each.table, "row": each.row, "reason": each.reason} for each in self.differences]
        return {"differences": self.count, "first": first}


def planned(action: RepairAction, workspace: Workspace) -> Repair:
    """Return what the repair of the head amounts to now; a refusal leaves the head as it is."""
    head = read_head(workspace.id)
    untouched = Repair(action, head.value, head.value, (), head.version)
    try:
        repair = PLANS[action](workspace.id, head, untouched)
    except StatehouseError as refusal:
        return replace(untouched, refusal=refusal)
    return replace(repair, events=_described(repair))


def check_log(workspace: Workspace) -> None:
    """Return where both chains of the workspace's log are whole. Raises LogBroken. Not inside a transaction."""
    bad = next((row for row in check_workspace(workspace.id) if row.table in LOG_TABLES), None)
    if bad is not None:
        raise LogBroken(row=str(bad))


def planned_rebuild(workspace: Workspace) -> Rebuild:
    """Return in what the projection of the state topic differs from the log."""
    count, shown = 0, []
    for difference in projection.differences(workspace.id):
        count += 1
        if count <= SHOWN_DIFFERENCES:
            shown.append(difference)
    return Rebuild(count=count, differences=tuple(shown))


def events_of(repair: Repair, *, reason: str, actor_name: str, ts: int) -> list[NewEvent]:
    """Return the marker, if one is missing, and the news of the repair, which comes last."""
    news = repaired_event(repair.action, repair.before, repair.after, reason=reason, actor_name=actor_name)
    if repair.marker_for is None:
        return [news]
    return [NewEvent(TOPIC, TRANSITION_COMMITTED, committed_data(repair.marker_for, ts=ts)), news]


def repaired_event(action: RepairAction, before: Any, after: Any, *, reason: str, actor_name: str) -> NewEvent:
    """Return the event `state.repaired`; values that do not fit are named by digest and size."""
    data = repaired_data(
        action=action.value,
        reason=reason,
        before=before,
        after=after,
        actor=actor_name,
        max_event_bytes=settings.STATEHOUSE["MAX_EVENT_BYTES"],
    )
    return NewEvent(TOPIC, REPAIRED, data)


def _finish(workspace_id: uuid.UUID, head: HeadReading, untouched: Repair) -> Repair:
    found = findings(workspace_id, head.value)
    after = protocol.finished_head(head.value, head.status, found)
    return replace(untouched, after=after, marker_for=protocol.marker_needed(head.value, found))


def _remove(_workspace_id: uuid.UUID, head: HeadReading, untouched: Repair) -> Repair:
    protocol.check_removable(head.status)
    return replace(untouched, after=None)


def _restore(workspace_id: uuid.UUID, head: HeadReading, untouched: Repair) -> Repair:
    protocol.check_replaceable(head.status)
    after = last_committed_head(workspace_id)
    if after is None:
        raise NoCommittedHead
    return replace(untouched, after=after)


PLANS = {
    RepairAction.FINISH_COMMIT: _finish,
    RepairAction.REMOVE_PENDING_HEAD: _remove,
    RepairAction.RESTORE_LAST_COMMITTED_HEAD: _restore,
}


def _described(repair: Repair) -> tuple[Json, ...]:
    return tuple(
        {
            "topic": new.topic,
            "kind": new.kind,
            "data": {name: member for name, member in new.data.items() if name not in ADDED_ON_WRITING},
        }
        for new in events_of(repair, reason="", actor_name="", ts=0)
    )
