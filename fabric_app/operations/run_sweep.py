"""Sweeping up after workers and messages that got lost. Any number of processes may do it, as often as they like.

- A running run whose heartbeat is older than the lease was lost: it ends as an error, and its verification has failed.
- A queued run that nobody claimed is sent again, the oldest of each workspace first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from fabric_app.models import Run, RunStatus, WorkerSeen
from fabric_app.operations.run_end import Ending, cancellation_of, end_run
from fabric_app.operations.run_errors import WorkerLost
from fabric_app.operations.run_messages import send_again

RESEND_SECONDS = 10
SWEPT = "lost: "
WORKER_CHARS = 200
# A sweep that finds more leaves the rest to the next one.
SWEEP_ROWS = 100


@dataclass(frozen=True)
class SweepResult:
    """How many runs were ended as lost, and how many were sent again."""

    lost_count: int
    sent_count: int


def sweep(*, now: datetime) -> SweepResult:
    """End lost runs and send waiting ones again."""
    _end_cancelled(now)
    return SweepResult(lost_count=_end_lost(now), sent_count=_send_waiting(now))


def worker_seen(*, name: str, group: str, now: datetime) -> None:
    """Note that a worker lives and serves a group."""
    WorkerSeen.objects.update_or_create(
        name=name,
        defaults={"worker_group": group, "seen_at": now},
        create_defaults={"worker_group": group, "seen_at": now, "started_at": now},
    )


def _end_lost(now: datetime) -> int:
    lease_end = now - timedelta(seconds=settings.STATEHOUSE["RUN_LEASE_SECONDS"])
    silent = Run.objects.select_related("workspace").filter(status=RunStatus.RUNNING, heartbeat_at__lt=lease_end)
    return sum(_end_silent(run, now) for run in silent.order_by("heartbeat_at")[:SWEEP_ROWS])


def _end_silent(run: Run, now: datetime) -> bool:
    """Take the run away from its worker and end it; a sweep that dies in between is followed by another."""
    same = Run.objects.filter(pk=run.pk, status=RunStatus.RUNNING, worker=run.worker, heartbeat_at=run.heartbeat_at)
    lost = run.worker.removeprefix(SWEPT)
    run.worker = f"{SWEPT}{lost}"[:WORKER_CHARS]
    if same.update(worker=run.worker, heartbeat_at=now) != 1:
        return False
    return end_run(run, Ending(error=WorkerLost(worker=lost)), now=now)


def _end_cancelled(now: datetime) -> None:
    """End queued runs for which a cancel was requested by a process that did not live to end them."""
    left = Run.objects.select_related("workspace").filter(
        status=RunStatus.QUEUED, cancel_requested_at__lt=now - timedelta(seconds=RESEND_SECONDS)
    )
    for run in left[:SWEEP_ROWS]:
        end_run(run, Ending(error=cancellation_of(run)), now=now)


def _send_waiting(now: datetime) -> int:
    """Send what was not sent lately: one run of each workspace that has none at work."""
    unsent = Q(sent_at__isnull=True) | Q(sent_at__lt=now - timedelta(seconds=RESEND_SECONDS))
    at_work = Run.objects.filter(workspace=OuterRef("workspace"), status=RunStatus.RUNNING)
    waiting = Run.objects.filter(
        unsent, ~Exists(at_work), status=RunStatus.QUEUED, cancel_requested_at__isnull=True
    ).order_by("created_at", "id")
    oldest: dict[object, Run] = {}
    for run in waiting[:SWEEP_ROWS]:
        oldest.setdefault(run.workspace_id, run)
    return sum(send_again(run, now=now) for run in oldest.values())
