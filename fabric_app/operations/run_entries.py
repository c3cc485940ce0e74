"""The stream of a run: entries numbered by the run's own row, which only its owner moves.

`add_entries` is one short transaction: it moves the counter under the row's lock, if the run is still in the hands of
the worker, and inserts. A worker whose run was taken away writes nothing more.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.wakeups import wake_on_commit
from fabric_app.models import Run, RunEntry, RunEntryKind, RunStatus


class RunTakenAway(Exception):
    """The run is over without us: it was given up as lost. Never reaches a caller."""


@dataclass(frozen=True)
class NewEntry:
    """An entry before it has a number. `output` are raw bytes; `data` is JSON."""

    kind: RunEntryKind
    command_index: int | None = None
    data: dict[str, Any] | None = None
    output: bytes | None = None


def run_stream_name(run_id: uuid.UUID) -> str:
    """Return the name by which readers of a run's stream are woken."""
    return f"run:{run_id}"


def add_entries(run_id: uuid.UUID, entries: Sequence[NewEntry], *, worker: str, now: datetime, **values: Any) -> bool:
    """Store entries of a run that `worker` holds, with a heartbeat and further values of its row.

    Return whether somebody wants it cancelled.

    Raises RunTakenAway, and then nothing was stored.
    """
    with transaction.atomic(durable=True):
        ours = Run.objects.filter(pk=run_id, status=RunStatus.RUNNING, worker=worker)
        if ours.update(entry_count=F("entry_count") + len(entries), heartbeat_at=now, **values) != 1:
            raise RunTakenAway
        last, cancel_requested_at = Run.objects.values_list("entry_count", "cancel_requested_at").get(pk=run_id)
        insert_entries(run_id, entries, last=last, now=now)
        wake_on_commit(run_stream_name(run_id))
    return cancel_requested_at is not None


def append_entry(run: Run, entry: NewEntry, *, now: datetime) -> None:
    """Store one entry, whatever the run's status, in the caller's transaction."""
    Run.objects.filter(pk=run.pk).update(entry_count=F("entry_count") + 1)
    last = Run.objects.values_list("entry_count", flat=True).get(pk=run.pk)
    insert_entries(run.pk, [entry], last=last, now=now)
    wake_on_commit(run_stream_name(run.pk))


def status_entry(status: str, **values: Any) -> NewEntry:
    """Return an entry that tells of a change of the run."""
    return NewEntry(RunEntryKind.STATUS, data={"status": status, **values})


def insert_entries(run_id: uuid.UUID, entries: Sequence[NewEntry], *, last: int, now: datetime) -> None:
    """Insert entries whose numbers end at `last`, under the lock of the run's row."""
    first = last - len(entries) + 1
    RunEntry.objects.bulk_create(
        RunEntry(
            run_id=run_id,
            sequence=sequence,
            kind=entry.kind,
            command_index=entry.command_index,
            data=entry.data,
            output=entry.output,
            created_at_ms=to_ms(now),
        )
        for sequence, entry in enumerate(entries, start=first)
    )
