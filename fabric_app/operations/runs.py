"""Runs: asking for one, and the names under which doors, workers and sweeps find the rest.

A run is a row first and a message second. Where the message cannot be sent the run is ended as an error that never
started, and the caller hears the same error: nothing is recorded by half, and nothing runs behind the caller's back.

    request_run    a queued row, its message                     (here)
    claim_run      a worker takes it; its plan is fixed          (run_claim)
    execute_run    the commands, then the end                    (run_execute, run_end)
    cancel_run     before it starts, or while it runs            (run_cancel)
    sweep          lost workers, messages that got lost          (run_sweep)

Source: state layer, "state.verify" and "state.checkGoal".
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction

from fabric_app.access import WorkspaceArchived
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.wakeups import wake_on_commit
from fabric_app.models import Run, RunStatus, Workspace
from fabric_app.operations.activity import record_activity
from fabric_app.operations.run_cancel import cancel_run
from fabric_app.operations.run_claim import claim_run
from fabric_app.operations.run_entries import append_entry, status_entry
from fabric_app.operations.run_errors import BrokerUnavailable, RunIsOver, WorkspaceWithoutRoot
from fabric_app.operations.run_execute import execute_run
from fabric_app.operations.run_messages import send
from fabric_app.operations.run_plan import RunArguments, RunPlan, arguments_json, plan_run
from fabric_app.operations.run_row_end import end_unstarted
from fabric_app.operations.run_sweep import SweepResult, sweep, worker_seen

__all__ = [
    "BrokerUnavailable",
    "RunIsOver",
    "SweepResult",
    "WorkspaceWithoutRoot",
    "cancel_run",
    "claim_run",
    "execute_run",
    "preview_run",
    "request_run",
    "sweep",
    "worker_seen",
]


def request_run(
    *,
    workspace: Workspace,
    action: str,
    arguments: RunArguments,
    user: Any,
    actor: Actor,
    now: datetime,
    run_id: uuid.UUID | None = None,
) -> Run:
    """Queue a run for the workers of the workspace and return it.

    user: the account, None for the product itself. run_id: chosen beforehand, where the caller has told it to somebody.
    Raises WorkspaceArchived, WorkspaceWithoutRoot, NoGoal, EvidenceDigestMismatch (then nothing is recorded), and
    BrokerUnavailable (then the run is on record as an error that never started).
    """
    _plan_if_runnable(workspace, arguments).check_digest(arguments.expected_evidence_digest)
    with transaction.atomic(durable=True):
        run = Run.objects.create(
            id=run_id or uuid.uuid4(),
            workspace=workspace,
            action=action,
            arguments=arguments_json(arguments),
            worker_group=workspace.worker_group,
            requested_by=actor.as_json(),
            requested_by_user=user,
            created_at=now,
            sent_at=now,
        )
        append_entry(run, status_entry(RunStatus.QUEUED), now=now)
        record_activity(
            workspace_id=workspace.pk,
            kind=action,
            name=action,
            outcome="requested",
            actor=actor,
            now=now,
            run_id=run.pk,
        )
        wake_on_commit(f"workspace:{workspace.pk}", "fabric")
    # After the commit: a worker that is faster than we are finds the row.
    try:
        send(run)
    except BrokerUnavailable as error:
        if _is_ended_unsent(run, error, now=now):
            raise
    run.refresh_from_db()
    return run


def preview_run(*, workspace: Workspace, action: str, arguments: RunArguments) -> dict[str, Any]:
    """Return what a run would execute now: `{action, head, targets, commands, evidenceDigest, timeoutMs, root}`.

    Raises WorkspaceArchived, WorkspaceWithoutRoot, NoGoal.
    """
    plan = _plan_if_runnable(workspace, arguments).as_json()
    shown = ("head", "targets", "commands", "evidenceDigest", "timeoutMs", "root")
    return {"action": action, **{name: plan[name] for name in shown}}


def _plan_if_runnable(workspace: Workspace, arguments: RunArguments) -> RunPlan:
    if workspace.is_archived:
        raise WorkspaceArchived(workspace=workspace.slug)
    if not workspace.root:
        raise WorkspaceWithoutRoot(workspace=workspace.slug)
    return plan_run(workspace, arguments)


def _is_ended_unsent(run: Run, error: BrokerUnavailable, *, now: datetime) -> bool:
    """End the run; False where a worker got the message all the same."""
    with transaction.atomic(durable=True):
        return end_unstarted(run, error, now=now)
