"""Cancelling a run: at once while it is queued; while it runs, a flag that its worker sees within a second.

A cancelled verification is a failed one, also where nothing of it was executed. The stream tells the steps: requested
here, acknowledged and stopped by the worker.
"""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db import transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.wakeups import wake_on_commit
from fabric_app.models import Run, RunStatus
from fabric_app.operations.activity import record_activity
from fabric_app.operations.run_end import Ending, cancellation_of, end_run
from fabric_app.operations.run_entries import append_entry, status_entry
from fabric_app.operations.run_errors import RunIsOver

CANCEL_REQUESTED = "cancel requested"


def cancel_run(*, run_id: uuid.UUID, reason: str, actor: Actor, now: datetime) -> Run:
    """Ask for the end of a run and return it as it is then. A second request changes nothing.

    Raises NotFound, RunIsOver.
    """
    with transaction.atomic(durable=True):
        run = _requested(run_id, reason=reason, actor=actor, now=now)
    if run.status == RunStatus.QUEUED:
        end_run(run, Ending(error=cancellation_of(run)), now=now)
        run.refresh_from_db()
    return run


def _requested(run_id: uuid.UUID, *, reason: str, actor: Actor, now: datetime) -> Run:
    """Set the flag where it is not set yet."""
    open_runs = Run.objects.filter(pk=run_id, status__in=(RunStatus.QUEUED, RunStatus.RUNNING))
    requested = open_runs.filter(cancel_requested_at__isnull=True).update(
        cancel_requested_at=now, cancel_requested_by=actor.as_json(), cancel_reason=reason
    )
    run = Run.objects.select_related("workspace").filter(pk=run_id).first()
    if run is None:
        raise NotFound(what="run", name=str(run_id))
    if requested == 1:
        append_entry(run, status_entry(CANCEL_REQUESTED, by=actor.as_json(), reason=reason), now=now)
        record_activity(
            workspace_id=run.workspace_id,
            kind=run.action,
            name=run.action,
            outcome=CANCEL_REQUESTED,
            actor=actor,
            now=now,
            detail={"reason": reason},
            run_id=run.pk,
        )
        wake_on_commit(f"workspace:{run.workspace_id}", "fabric")
    elif run.is_over and run.status != RunStatus.CANCELLED:
        raise RunIsOver(run=str(run_id), outcome=run.status)
    return run
