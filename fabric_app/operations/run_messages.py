"""The message that tells workers of a queued run. It carries the id alone; the row is the truth.

A run is sent to the queue of its worker group. A message that is lost is sent again by the sweep, one that arrives
twice finds nothing to claim.
"""

from __future__ import annotations

import uuid
from datetime import datetime

import structlog
from celery import current_app
from django.db.models import Q
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from fabric_app.models import Run, RunStatus
from fabric_app.operations.run_errors import BrokerUnavailable

TASK = "fabric_app.tasks.run_evidence"

log = structlog.get_logger(__name__)


def send(run: Run) -> None:
    """Send the message of a run. Raises BrokerUnavailable, within about two seconds."""
    try:
        current_app.send_task(
            TASK, args=[str(run.pk)], queue=f"evidence.{run.worker_group}", ignore_result=True, retry=False
        )
    except (OperationalError, RedisError, OSError) as error:
        raise BrokerUnavailable(run=str(run.pk)) from error


def send_next(workspace_id: uuid.UUID, *, now: datetime) -> bool:
    """Send the oldest queued run of a workspace; tell whether one was sent. Where that fails the sweep tries again."""
    run = Run.objects.filter(workspace_id=workspace_id, status=RunStatus.QUEUED).order_by("created_at", "id").first()
    return run is not None and send_again(run, now=now)


def send_again(run: Run, *, now: datetime) -> bool:
    """Send a queued run unless another process just did; tell whether it was sent."""
    as_read = Q(sent_at__isnull=True) if run.sent_at is None else Q(sent_at=run.sent_at)
    if Run.objects.filter(as_read, pk=run.pk, status=RunStatus.QUEUED).update(sent_at=now) != 1:
        return False
    try:
        send(run)
    except BrokerUnavailable as error:
        log.warning("a queued run could not be sent again", run=str(run.pk), error=error.sentence())
        return False
    return True
