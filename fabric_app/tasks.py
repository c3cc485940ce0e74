"""The one task: execute a run. The message names it, the row says what it is."""

from __future__ import annotations

import os
from typing import Any
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from fabric_app.operations.runs import claim_run, execute_run


# Acknowledged early: the run's row and its lease are the truth, not the message.
@shared_task(name="fabric_app.tasks.run_evidence", bind=True, ignore_result=True)
def run_evidence(task: Any, run_id: str) -> None:
    """Claim the run and execute it; a message that comes twice finds nothing to claim."""
    worker = f"{task.request.hostname or 'local'} process {os.getpid()}"
    run = claim_run(run_id=UUID(run_id), worker=worker, now=timezone.now())
    if run is not None:
        execute_run(run_id=run.pk, worker=worker)
