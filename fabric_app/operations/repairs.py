"""Repairs by an operator: of a head that cannot be trusted, and of a projection that differs from its log.

- A preview reads and writes nothing: it says what would be stored, what would be published, or why neither.
- A repair is decided again under the workspace's lock, bound to the version of the head that the operator saw, and
  stored in one transaction with `state.repaired`, its activity and the entry in the admin's own log.
- Nothing is changed in place: a repair is a new version of the key, and the log keeps the one before.

Source: state layer, "Crash and retention limits"; fabric 4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType

from fabric_app.mesh import keys
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError, VersionConflict
from fabric_app.mesh.log import Log, NewEvent
from fabric_app.mesh.models import Event, Workspace
from fabric_app.mesh.topics import check_event_size, event_json
from fabric_app.operations import projection
from fabric_app.operations.activity import record_activity
from fabric_app.operations.repair_plans import (
    Rebuild,
    Repair,
    check_log,
    events_of,
    planned,
    planned_rebuild,
    repaired_event,
)
from fabric_app.operations.writing import writing
from fabric_app.protocol.repairs import RepairAction
from fabric_app.state_keys import HEAD_KEY

MAX_REASON_CHARS = 1000
ACTIVITY = "repair"

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")

Json = dict[str, Any]


class RepairChanged(StatehouseError):
    """The head is at the version that was seen, and the log has moved on so that the repair would do something else."""

    code, status = "REPAIR_CHANGED", 409
    message = "What {action} would write has changed since you looked. Look at the preview again and decide again."


def preview_finish_commit(workspace: Workspace) -> Repair:
    """Return what proving the commit of the stored head would write."""
    return planned(RepairAction.FINISH_COMMIT, workspace)


def preview_remove_pending_head(workspace: Workspace) -> Repair:
    """Return what removing the stored head would write."""
    return planned(RepairAction.REMOVE_PENDING_HEAD, workspace)


def preview_restore_last_committed_head(workspace: Workspace) -> Repair:
    """Return what putting the last committed head back would write."""
    return planned(RepairAction.RESTORE_LAST_COMMITTED_HEAD, workspace)


def preview_rebuild_projection(workspace: Workspace) -> Rebuild:
    """Return in what the projection differs from the log."""
    return planned_rebuild(workspace)


def finish_commit(
    *,
    workspace: Workspace,
    expected_version: int,
    reason: str,
    user: Any,
    actor: Actor,
    now: datetime,
    seen: str | None = None,
) -> Json:
    """Prove the commit of the stored head, and publish its marker where there is none.

    expected_version: of `state/current`, as the preview named it. seen: the preview's digest, None for callers that
    saw the version alone. user: the account in the admin's log. Returns `{event, head}`; event is `state.repaired`.
    Raises InvalidArguments, VersionConflict, RepairChanged, NoStoredHead, NothingToRepair, CommitNotFinishable.
    """
    decision = _Decision(user, actor, now, reason, expected_version, seen)
    return _repair(RepairAction.FINISH_COMMIT, workspace, decision)


def remove_pending_head(
    *,
    workspace: Workspace,
    expected_version: int,
    reason: str,
    user: Any,
    actor: Actor,
    now: datetime,
    seen: str | None = None,
) -> Json:
    """Delete the stored head that is not trusted; its version stays, and the next head goes on from it.

    Returns `{event, head}` with head None. Raises as `finish_commit` does, but for CommitNotFinishable.
    """
    decision = _Decision(user, actor, now, reason, expected_version, seen)
    return _repair(RepairAction.REMOVE_PENDING_HEAD, workspace, decision)


def restore_last_committed_head(
    *,
    workspace: Workspace,
    expected_version: int,
    reason: str,
    user: Any,
    actor: Actor,
    now: datetime,
    seen: str | None = None,
) -> Json:
    """Put the last committed head back, without its certificate, in the place of one that is not trusted or is gone.

    Returns `{event, head}`. Raises InvalidArguments, VersionConflict, RepairChanged, NothingToRepair, NoCommittedHead.
    """
    decision = _Decision(user, actor, now, reason, expected_version, seen)
    return _repair(RepairAction.RESTORE_LAST_COMMITTED_HEAD, workspace, decision)


def rebuild_projection(*, workspace: Workspace, reason: str, user: Any, actor: Actor, now: datetime) -> Json:
    """Make the projection of the state topic anew from the log, and return `{event, differences}`: what it put right.

    No version binds it: whatever the projection holds, the log says what it should hold. Raises InvalidArguments, and
    LogBroken where the log itself is not whole.
    """
    decision = _Decision(user, actor, now, _checked(reason))
    check_log(workspace)
    action = RepairAction.REBUILD_PROJECTION
    with writing(workspace.id, actor=actor, now=now) as log:
        before = planned_rebuild(workspace)
        projection.rebuild(workspace.id)
        after = planned_rebuild(workspace)
        news = repaired_event(action, before.as_json(), after.as_json(), reason=decision.reason, actor_name=actor.name)
        event = _append(log, news)
        _record(workspace, action, decision, event, {"differences": before.count})
    return {"event": event_json(event), "differences": before.count}


@dataclass(frozen=True)
class _Decision:
    """Who repairs, when, why, and what they looked at."""

    user: Any
    actor: Actor
    now: datetime
    reason: str
    expected_version: int = 0
    seen: str | None = None


def _repair(action: RepairAction, workspace: Workspace, decision: _Decision) -> Json:
    decision = replace(decision, reason=_checked(decision.reason))
    with writing(workspace.id, actor=decision.actor, now=decision.now) as log:
        repair = planned(action, workspace)
        _check_seen(repair, decision)
        head = _write_head(log, repair)
        news = events_of(repair, reason=decision.reason, actor_name=decision.actor.name, ts=to_ms(decision.now))
        events = [_append(log, new) for new in news]
        _record(workspace, action, decision, events[-1], {"version": repair.next_version})
    return {"event": event_json(events[-1]), "head": head}


def _check_seen(repair: Repair, decision: _Decision) -> None:
    if repair.expected_version != decision.expected_version:
        raise VersionConflict(expected=decision.expected_version, current=repair.expected_version)
    if repair.refusal is not None:
        raise repair.refusal
    if decision.seen is not None and decision.seen != repair.digest:
        raise RepairChanged(action=repair.action.value)


def _write_head(log: Log, repair: Repair) -> Json | None:
    """Write or delete the key, and return the head as reads show it."""
    if repair.after is None:
        keys.delete(log, HEAD_KEY, expected=repair.expected_version)
        return None
    version = keys.put(log, HEAD_KEY, [repair.after], expected=repair.expected_version)
    return {**repair.after, "version": version}


def _append(log: Log, new: NewEvent) -> Event:
    event = log.append(new)
    check_event_size(event, settings.STATEHOUSE["MAX_EVENT_BYTES"])
    return event


def _record(workspace: Workspace, action: RepairAction, decision: _Decision, event: Event, detail: Json) -> None:
    record_activity(
        workspace.id,
        kind=ACTIVITY,
        name=action.value,
        actor=decision.actor,
        now=decision.now,
        detail={**detail, "reason": decision.reason},
        event_sequence=event.sequence,
    )
    LogEntry.objects.create(
        action_time=decision.now,
        user_id=decision.user.pk,
        content_type_id=ContentType.objects.get_for_model(Workspace).pk,
        object_id=str(workspace.pk),
        object_repr=str(workspace),
        action_flag=CHANGE,
        change_message=f"{action.value}: {decision.reason}",
    )


def _checked(reason: str) -> str:
    """Return the reason without blanks around it. Raises InvalidArguments."""
    shown = reason.strip()
    if not shown:
        raise InvalidArguments([Problem("/reason", "required", "is blank: say why, the log keeps it.")])
    if len(shown) > MAX_REASON_CHARS or _UNSTORABLE.search(shown):
        detail = f"must have at most {MAX_REASON_CHARS} characters, without NUL and lone surrogates."
        raise InvalidArguments([Problem("/reason", "wrong_form", detail)])
    return shown
