"""Executing a claimed run: its commands one after the other, all of them, then the end.

No transaction is open while a command runs. Whatever goes wrong on the way, the run ends as something else than
`confirmed`: what is not shown to have succeeded has failed.
"""

from __future__ import annotations

import uuid
from pathlib import Path

import structlog
from django.conf import settings
from django.utils import timezone

from fabric_app.evidence.limits import PASSED_ON, RunLimits
from fabric_app.evidence.runner import CommandOutcome, EvidenceRun, aborted_outcome
from fabric_app.mesh.errors import StatehouseError
from fabric_app.models import Run, RunStatus
from fabric_app.operations.run_end import Ending, end_run
from fabric_app.operations.run_entries import RunTakenAway
from fabric_app.operations.run_errors import RunFailed, WorkspaceWithoutRoot
from fabric_app.operations.run_plan import RunPlan, plan_from_json
from fabric_app.operations.run_recorder import RunRecorder
from fabric_app.operations.workspaces import allowed_root

log = structlog.get_logger(__name__)


def execute_run(*, run_id: uuid.UUID, worker: str) -> None:
    """Run the commands of a run that `worker` has claimed, and end it."""
    run = Run.objects.select_related("workspace").get(pk=run_id, status=RunStatus.RUNNING, worker=worker)
    plan = plan_from_json(run.plan)
    outcomes: list[CommandOutcome] = []
    error: StatehouseError | None = None
    try:
        _run_commands(run, plan, outcomes)
    except RunTakenAway:
        log.warning("a run was given up as lost while its worker was alive", run=str(run_id))
        return
    except StatehouseError as refused:
        error = refused
    except Exception as failure:  # the worker's loop: a run always ends, and never as confirmed
        log.exception("a run failed on its worker", run=str(run_id))
        error = RunFailed(cause=type(failure).__name__)
    end_run(run, Ending(outcomes=tuple(outcomes), error=error), now=timezone.now())


def run_limits() -> RunLimits:
    """Return the limits of a run as the settings give them; 0 and empty stand for none."""
    known = settings.STATEHOUSE
    return RunLimits(
        max_processes=known["RUN_MAX_PROCESSES"] or None,
        max_memory_bytes=known["RUN_MAX_MEMORY_BYTES"] or None,
        max_file_bytes=known["RUN_MAX_FILE_BYTES"] or None,
        max_cpu_seconds=known["RUN_MAX_CPU_SECONDS"] or None,
        max_open_files=known["RUN_MAX_OPEN_FILES"] or None,
        run_as_user=known["RUN_AS_USER"] or None,
        environment_allow=(*PASSED_ON, *known["RUN_ENVIRONMENT"]),
    )


def _run_commands(run: Run, plan: RunPlan, outcomes: list[CommandOutcome]) -> None:
    """Append the outcome of each command; raises what refuses the run as a whole."""
    if not plan.root:
        raise WorkspaceWithoutRoot(workspace=run.workspace.slug)
    recorder = RunRecorder(run)
    # Looked at again here, where the links are that the commands will follow.
    with EvidenceRun(cwd=Path(allowed_root(plan.root)), limits=run_limits()) as evidence:
        for index, command in enumerate(plan.commands, start=1):
            if recorder.is_cancelled():
                outcomes.append(aborted_outcome())
                continue
            recorder.command_started(index, command)
            outcome = evidence.run(
                command.command,
                timeout_ms=plan.timeout_ms,
                on_output=recorder.output,
                cancelled=recorder.is_cancelled,
            )
            outcomes.append(outcome)
            recorder.command_finished(outcome)
    recorder.flush()
