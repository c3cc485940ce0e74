"""`verify` and `checkGoal` as runs: asked for, claimed and executed here, with real processes."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection
from django.utils import timezone

from fabric_app.models import Run, Workspace
from fabric_app.operations.runs import cancel_run, claim_run, execute_run, request_run
from tests.conformance.scenario_faults import HEAD, Faults
from tests.factories import MAYA

WORKER = "conformance"


def run_action(
    workspace: Workspace, action: str, arguments: Any, *, folder: Path, faults: Faults, abort: str | int | None
) -> dict[str, Any] | None:
    """Carry out a run and return its report.

    abort: `before`, or after how many milliseconds the run is cancelled; then the database must be one that other
    connections see. Concurrent writers write while the commands run.
    """
    Workspace.objects.filter(pk=workspace.pk).update(root=str(folder))
    workspace.refresh_from_db()
    run = request_run(
        workspace=workspace, action=action, arguments=arguments, user=None, actor=MAYA, now=timezone.now()
    )
    if abort == "before":
        _cancel(run.pk)
    elif claim_run(run_id=run.pk, worker=WORKER, now=timezone.now()) is not None:
        faults.overtake(HEAD, {})
        with _cancelled_after(run.pk, abort):
            execute_run(run_id=run.pk, worker=WORKER)
    report: dict[str, Any] | None = Run.objects.get(pk=run.pk).report
    return report


@contextmanager
def _cancelled_after(run_id: uuid.UUID, milliseconds: str | int | None) -> Iterator[None]:
    if milliseconds is None:
        yield
        return
    timer = threading.Timer(int(milliseconds) / 1000, _cancel_from_outside, (run_id,))
    timer.start()
    yield
    timer.join()


def _cancel_from_outside(run_id: uuid.UUID) -> None:
    try:
        _cancel(run_id)
    finally:
        connection.close()


def _cancel(run_id: uuid.UUID) -> None:
    cancel_run(run_id=run_id, reason="the caller gave up", actor=MAYA, now=timezone.now())
