"""Reading runs: a run, pages of runs, and the entries of its stream, as the wire shows them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings

from fabric_app.mesh.clock import from_ms
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.streams import release_connections
from fabric_app.models import Run, RunEntry, RunEntryKind, WorkerSeen

MAX_WAIT_SECONDS = 300.0
FIRST_LOOK_SECONDS = 0.02
SLOWEST_LOOK_SECONDS = 0.25
DOWNLOAD_PAGE = 16


def run_with(run_id: uuid.UUID) -> Run:
    """Return a run with its workspace. Raises NotFound."""
    run = Run.objects.select_related("workspace").filter(pk=run_id).first()
    if run is None:
        raise NotFound(what="run", name=str(run_id))
    return run


def run_json(run: Run) -> dict[str, Any]:
    """Return a run as the wire shows it; times are ISO 8601 in UTC, what is not there yet is null."""
    return {
        "id": str(run.pk),
        "workspace": run.workspace.slug,
        "action": run.action,
        "arguments": run.arguments,
        "status": run.status,
        "requestedBy": run.requested_by,
        "createdAt": _iso(run.created_at),
        "startedAt": _iso(run.started_at),
        "endedAt": _iso(run.ended_at),
        "worker": run.worker or None,
        "heartbeatAt": _iso(run.heartbeat_at),
        "cancel": _cancel_json(run),
        "plan": run.plan,
        "progress": {
            "commandIndex": run.command_index,
            "commandCount": run.command_count,
            "outputBytes": run.output_bytes,
        },
        "report": run.report,
        "error": run.error,
    }


def runs_page(workspace_id: uuid.UUID, *, before: Run | None = None, limit: int) -> list[Run]:
    """Return up to `limit` runs of a workspace, newest first, older than `before`."""
    rows = Run.objects.select_related("workspace").filter(workspace_id=workspace_id)
    if before is not None:
        same_moment = rows.filter(created_at=before.created_at, pk__lt=before.pk)
        rows = rows.filter(created_at__lt=before.created_at) | same_moment
    return list(rows.order_by("-created_at", "-id")[:limit])


def open_runs(workspace_ids: list[uuid.UUID]) -> list[Run]:
    """Return the queued and running runs of these workspaces, oldest first."""
    rows = Run.objects.select_related("workspace").filter(
        workspace_id__in=workspace_ids, status__in=("queued", "running")
    )
    return list(rows.order_by("created_at", "id"))


def is_worker_listening(group: str, *, now: datetime) -> bool:
    """Tell whether a worker of the group said lately that it lives."""
    since = now - timedelta(seconds=settings.STATEHOUSE["WORKER_SEEN_SECONDS"])
    return WorkerSeen.objects.filter(worker_group=group, seen_at__gte=since).exists()


def entries_after(run_id: uuid.UUID, sequence: int, limit: int) -> list[RunEntry]:
    """Return up to `limit` entries of a run's stream after the number `sequence`, in order."""
    return list(RunEntry.objects.filter(run_id=run_id, sequence__gt=sequence).order_by("sequence")[:limit])


def entry_json(entry: RunEntry) -> dict[str, Any]:
    """Return an entry for the wire: `{sequence, kind, commandIndex?, createdAt}`, and `text, bytes` or `data`."""
    shown: dict[str, Any] = {"sequence": entry.sequence, "kind": entry.kind}
    if entry.command_index is not None:
        shown["commandIndex"] = entry.command_index
    shown["createdAt"] = _iso(from_ms(entry.created_at_ms))
    if entry.output is not None:
        raw = bytes(entry.output)
        shown |= {"text": raw.decode(errors="replace"), "bytes": len(raw)}
    if entry.data is not None:
        shown["data"] = entry.data
    return shown


def stored_output(run_id: uuid.UUID) -> Iterator[bytes]:
    """Yield the stored output of a run as it came, piece by piece."""
    after = 0
    pieces = RunEntry.objects.filter(run_id=run_id, kind=RunEntryKind.OUTPUT, output__isnull=False)
    while page := list(pieces.filter(sequence__gt=after).order_by("sequence")[:DOWNLOAD_PAGE]):
        after = page[-1].sequence
        for entry in page:
            yield bytes(entry.output or b"")


def wait_until_over(run_id: uuid.UUID, seconds: float) -> Run:
    """Return the run once it is over, or as it is after `seconds` (at most `MAX_WAIT_SECONDS`). Raises NotFound.

    No connection to the database is held between two looks.
    """
    end = time.monotonic() + min(seconds, MAX_WAIT_SECONDS)
    pause = FIRST_LOOK_SECONDS
    while not (run := run_with(run_id)).is_over and (left := end - time.monotonic()) > 0:
        release_connections()
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, SLOWEST_LOOK_SECONDS)
    return run


def _cancel_json(run: Run) -> dict[str, Any] | None:
    if run.cancel_requested_at is None:
        return None
    return {
        "requestedAt": _iso(run.cancel_requested_at),
        "by": run.cancel_requested_by,
        "reason": run.cancel_reason,
    }


def _iso(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
