"""The last write to a run: its row, the last entry of its stream, and the activity, in the caller's transaction.

A row is ended by who holds it, once. A run that never started ends as an error of its own, with nothing in the log,
since no verification took place.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.wakeups import wake_on_commit
from fabric_app.models import Run, RunEntryKind, RunStatus
from fabric_app.operations.activity import record_activity
from fabric_app.operations.run_entries import NewEntry, append_entry

CERTIFIED = "certified"


def author_of(run: Run) -> Actor:
    """Return who asked for the run: the author of what it writes."""
    return Actor(**run.requested_by)


def end_unstarted(run: Run, error: StatehouseError, *, now: datetime) -> bool:
    """End a queued run as `error`; False where it is not queued any more."""
    return end_row(run, Q(pk=run.pk, status=RunStatus.QUEUED), RunStatus.ERROR, error=error, now=now)


def end_row(
    run: Run,
    ours: Q,
    status: RunStatus,
    *,
    now: datetime,
    report: dict[str, Any] | None = None,
    error: StatehouseError | None = None,
) -> bool:
    """End the run where `ours` still holds; tell whether it did."""
    stored = None if error is None else error.as_json()
    ended = Run.objects.filter(ours, pk=run.pk)
    if ended.update(status=status, ended_at=now, report=report, error=stored) != 1:
        return False
    told: dict[str, Any] = {"status": status.value}
    if report is not None and CERTIFIED in report:
        told[CERTIFIED] = report[CERTIFIED]
    if stored is not None:
        told["error"] = stored
    append_entry(run, NewEntry(RunEntryKind.ENDED, data=told), now=now)
    record_activity(
        workspace_id=run.workspace_id,
        kind=run.action,
        name=run.action,
        outcome=status.value,
        actor=author_of(run),
        now=now,
        detail=None if error is None else {"error": error.code},
        run_id=run.pk,
    )
    wake_on_commit(f"workspace:{run.workspace_id}", "fabric")
    return True
