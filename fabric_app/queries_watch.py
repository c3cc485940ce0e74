"""What operators watch: activity, runs by filter, workers, queues, and what needs a person."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from fabric_app.mesh.row_filter import ANY, RowFilter
from fabric_app.models import (
    Activity,
    Event,
    Run,
    RunAction,
    RunEntry,
    RunEntryKind,
    RunStatus,
    WorkerSeen,
    Workspace,
)

OPEN = (RunStatus.QUEUED, RunStatus.RUNNING)
ENDED_BADLY = (RunStatus.ERROR, RunStatus.VIOLATED, RunStatus.CANCELLED)
MAX_ID = 2**63 - 1
# Columns that a list does not show and that may be large.
HEAVY = ("plan", "report", "error", "arguments")


@dataclass(frozen=True)
class Queue:
    """The runs of one worker group that nobody claimed, and how many workers of the group live."""

    group: str
    queued_count: int
    running_count: int
    oldest_at: datetime | None
    worker_count: int


def activity_page(
    workspace_ids: Iterable[uuid.UUID] | None,
    *,
    kinds: RowFilter = ANY,
    run_id: uuid.UUID | None = None,
    before: int | None = None,
    size: int,
) -> list[Activity]:
    """Return up to `size` lines, newest first, older than id `before`. workspace_ids: None for all."""
    rows = Activity.objects.select_related("workspace").filter(kinds.on("kind"))
    if workspace_ids is not None:
        rows = rows.filter(workspace_id__in=list(workspace_ids))
    if run_id is not None:
        rows = rows.filter(run_id=run_id)
    if before is not None:
        rows = rows.filter(pk__lt=min(before, MAX_ID))
    return list(rows.order_by("-pk")[:size])


def runs_list(
    workspace_ids: Iterable[uuid.UUID],
    *,
    status: RowFilter = ANY,
    action: RowFilter = ANY,
    before: Run | None = None,
    size: int,
) -> list[Run]:
    """Return up to `size` runs, newest first, older than `before`, without their plans and reports."""
    rows = _light_runs().filter(status.on("status"), action.on("action"), workspace_id__in=list(workspace_ids))
    if before is not None:
        rows = rows.filter(Q(created_at__lt=before.created_at) | Q(created_at=before.created_at, pk__lt=before.pk))
    return list(rows.order_by("-created_at", "-pk")[:size])


def open_runs(workspace_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Run]:
    """Return for each workspace the run that is at work, or else the one that is next."""
    rows = _light_runs().filter(workspace_id__in=list(workspace_ids), status__in=OPEN)
    # Falling, so that the first in the queue is what stays; `running` sorts after `queued` and wins.
    return {run.workspace_id: run for run in rows.order_by("status", "-created_at")}


def neighbours(run: Run) -> tuple[Run | None, Run | None]:
    """Return the runs of the same workspace before and after this one."""
    same = _light_runs().filter(workspace_id=run.workspace_id)
    before = Q(created_at__lt=run.created_at) | Q(created_at=run.created_at, pk__lt=run.pk)
    after = Q(created_at__gt=run.created_at) | Q(created_at=run.created_at, pk__gt=run.pk)
    return (
        same.filter(before).order_by("-created_at", "-pk").first(),
        same.filter(after).order_by("created_at", "pk").first(),
    )


def latest_ended_badly(workspace_ids: Iterable[uuid.UUID], *, size: int) -> list[Run]:
    """Return runs that failed, were lost or cancelled, and were followed by none of the same action."""
    newer = Run.objects.filter(
        workspace_id=OuterRef("workspace_id"), action=OuterRef("action"), created_at__gt=OuterRef("created_at")
    )
    rows = _light_runs().filter(~Exists(newer), workspace_id__in=list(workspace_ids), status__in=ENDED_BADLY)
    return list(rows.order_by("-created_at")[:size])


def run_of_certificate(workspace_id: uuid.UUID, certificate_id: str, *, scanned: int = 30) -> uuid.UUID | None:
    """Return the run that left a certificate, if it is among the latest confirmed ones."""
    rows = Run.objects.filter(workspace_id=workspace_id, status=RunStatus.CONFIRMED, action=RunAction.VERIFY)
    for run_id, report in rows.order_by("-created_at").values_list("pk", "report")[:scanned]:
        certificate = (report or {}).get("certificate") or {}
        if certificate.get("certificateId") == certificate_id:
            return run_id
    return None


def latest_goal_check(workspace_id: uuid.UUID) -> Run | None:
    """Return the latest goal check that is over."""
    rows = Run.objects.filter(workspace_id=workspace_id, action=RunAction.CHECK_GOAL).exclude(status__in=OPEN)
    return rows.order_by("-created_at").first()


def event_at(workspace_id: uuid.UUID, sequence: int) -> Event | None:
    """Return one event of a workspace's log."""
    return Event.objects.filter(workspace_id=workspace_id, sequence=min(sequence, MAX_ID)).first()


def events_page(
    workspace_id: uuid.UUID,
    *,
    topics: RowFilter = ANY,
    kinds: RowFilter = ANY,
    before: int | None = None,
    size: int,
) -> list[Event]:
    """Return up to `size` events, newest first, older than sequence `before`."""
    rows = Event.objects.filter(topics.on("topic"), kinds.on("kind"), workspace_id=workspace_id)
    if before is not None:
        rows = rows.filter(sequence__lt=min(before, MAX_ID))
    return list(rows.order_by("-sequence")[:size])


def workers() -> list[WorkerSeen]:
    """Return every worker that ever said it lives, the latest first."""
    return list(WorkerSeen.objects.order_by("-seen_at"))


def queues(*, now: datetime, alive_seconds: int) -> list[Queue]:
    """Return the queues of all worker groups that open workspaces name or that have open runs, by name."""
    runs = Run.objects.filter(status__in=OPEN).values("worker_group")
    counted = runs.annotate(
        queued=Count("pk", filter=Q(status=RunStatus.QUEUED)),
        running=Count("pk", filter=Q(status=RunStatus.RUNNING)),
        oldest=Min("created_at", filter=Q(status=RunStatus.QUEUED)),
    )
    by_group: dict[str, dict[str, Any]] = {row["worker_group"]: dict(row) for row in counted}
    alive = WorkerSeen.objects.filter(seen_at__gte=now - timedelta(seconds=alive_seconds))
    living = dict(alive.values_list("worker_group").annotate(Count("pk")))
    named = Workspace.objects.filter(is_archived=False).exclude(root="").values_list("worker_group", flat=True)
    groups = sorted({*by_group, *living, *named})
    empty = {"queued": 0, "running": 0, "oldest": None}
    return [
        Queue(
            group=group,
            queued_count=row["queued"],
            running_count=row["running"],
            oldest_at=row["oldest"],
            worker_count=living.get(group, 0),
        )
        for group in groups
        for row in (by_group.get(group, empty),)
    ]


@dataclass(frozen=True)
class OutputWindow:
    """Part of a run's stream, in order, without progress. is_more: there are earlier entries."""

    entries: tuple[RunEntry, ...]
    is_more: bool

    @property
    def first(self) -> int:
        return self.entries[0].sequence if self.entries else 0


def output_window(run_id: uuid.UUID, *, before: int | None = None, max_bytes: int, max_entries: int) -> OutputWindow:
    """Return the last entries of a run's stream, or the last before a sequence, up to a size; at least one entry."""
    rows = RunEntry.objects.filter(run_id=run_id).exclude(kind=RunEntryKind.PROGRESS)
    if before is not None:
        rows = rows.filter(sequence__lt=min(before, MAX_ID))
    taken: list[RunEntry] = []
    room = max_bytes
    for entry in rows.order_by("-sequence")[: max_entries + 1].iterator(chunk_size=16):
        room -= len(entry.output or b"")
        if taken and (room < 0 or len(taken) == max_entries):
            return OutputWindow(tuple(reversed(taken)), is_more=True)
        taken.append(entry)
    return OutputWindow(tuple(reversed(taken)), is_more=False)


def command_durations(run_id: uuid.UUID) -> dict[int, int]:
    """Return how long each finished command of a run took, in ms, by its number from 1."""
    rows = RunEntry.objects.filter(run_id=run_id, kind=RunEntryKind.COMMAND_FINISHED)
    found = rows.values_list("command_index", "data")
    return {index: int(data["durationMs"]) for index, data in found if index and data and "durationMs" in data}


def _light_runs() -> QuerySet[Run]:
    return Run.objects.select_related("workspace").defer(*HEAVY)
