"""Claiming a run: a worker takes it by compare-and-swap, and what it will execute is fixed in the same transaction.

A message that arrives twice, or for a run that is over, claims nothing. One run of a workspace is at work at a time;
another stays queued and is sent again when that one ends. A run whose commands are no longer those that its caller saw,
or for which there is nothing to plan, ends here without having started: no verification took place, and none failed.
"""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db.models import QuerySet

from fabric_app.access import WorkspaceArchived
from fabric_app.mesh.errors import StatehouseError
from fabric_app.models import Run, RunStatus
from fabric_app.operations.run_entries import append_entry, status_entry
from fabric_app.operations.run_plan import RunPlan, arguments_from_json, plan_run
from fabric_app.operations.run_row_end import author_of, end_unstarted
from fabric_app.operations.writing import writing


def claim_run(*, run_id: uuid.UUID, worker: str, now: datetime) -> Run | None:
    """Take a queued run for this worker and fix its plan; None where there is nothing to execute."""
    unclaimed = Run.objects.filter(pk=run_id, status=RunStatus.QUEUED, cancel_requested_at__isnull=True)
    queued = unclaimed.first()
    if queued is None:
        return None
    # The lock of the workspace: the plan is of one moment, and no two runs of it are claimed at once.
    with writing(queued.workspace_id, actor=author_of(queued), now=now):
        run = unclaimed.select_related("workspace").first()
        if run is None or Run.objects.filter(workspace_id=run.workspace_id, status=RunStatus.RUNNING).exists():
            return None
        try:
            plan = _plan(run)
        except StatehouseError as error:
            end_unstarted(run, error, now=now)
            return None
        return _started(unclaimed, run, plan, worker=worker, now=now)


def _plan(run: Run) -> RunPlan:
    if run.workspace.is_archived:
        raise WorkspaceArchived(workspace=run.workspace.slug)
    arguments = arguments_from_json(run.action, run.arguments)
    plan = plan_run(run.workspace, arguments)
    plan.check_digest(arguments.expected_evidence_digest)
    return plan


def _started(unclaimed: QuerySet[Run], run: Run, plan: RunPlan, *, worker: str, now: datetime) -> Run | None:
    started = unclaimed.update(
        status=RunStatus.RUNNING,
        worker=worker,
        started_at=now,
        heartbeat_at=now,
        plan=plan.as_json(),
        command_count=len(plan.commands),
    )
    if started != 1:
        return None  # cancelled at this moment
    told = status_entry(RunStatus.RUNNING, worker=worker, commandCount=len(plan.commands))
    append_entry(run, told, now=now)
    run.refresh_from_db()
    return run
