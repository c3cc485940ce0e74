"""Proving that a workspace's log is whole, and that everything projected from it says the same.

Checked in this order, each up to its first bad row:

1. events, then key versions: gapless sequences, each digest over the stored bytes, each naming the digest before it;
2. the ends of both chains in `LogHead`;
3. each key's entry is its last version;
4. transitions and certificates are the fold of the events, where the events are whole.

All of it is read from one snapshot, in pages. Nothing is written but by `repair_projection`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, Max, OuterRef, TextField
from django.db.models.functions import Cast

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.checking import BadRow
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.log import event_digest, key_version_digest, open_log
from fabric_app.mesh.models import GENESIS, Event, KeyEntry, KeyVersion, LogHead
from fabric_app.operations.activity import record_activity
from fabric_app.operations.projection import differences, rebuild

PAGE = 500


@dataclass(frozen=True)
class Chain:
    """One of the two chains of a log: its rows, their JSON columns, and where `LogHead` keeps its end."""

    model: type[Event] | type[KeyVersion]
    json_columns: tuple[str, ...]
    digest: Callable[[Any, dict[str, str | None]], str]
    end: str


EVENTS = Chain(Event, ("actor", "text", "data"), event_digest, "event")
KEY_VERSIONS = Chain(KeyVersion, ("value", "actor"), key_version_digest, "key")


def check_workspace(workspace_id: uuid.UUID) -> list[BadRow]:
    """Return the first bad row of each check; nothing where the workspace is clean."""
    with _snapshot():
        log = _first_of(_chain_faults(workspace_id, EVENTS), _chain_faults(workspace_id, KEY_VERSIONS))
        entries = _first_of(_entry_faults(workspace_id))
        # What was changed in the log cannot be held against its projection.
        return [*log, *entries] if log else [*entries, *_first_of(_projection_faults(workspace_id))]


def repair_projection(workspace_id: uuid.UUID, *, actor: Actor, now: datetime) -> None:
    """Make the projection anew from the log, with the workspace locked, and leave an activity."""
    with transaction.atomic(durable=True), open_log(workspace_id, actor=actor, now_ms=to_ms(now)):
        rebuild(workspace_id)
        record_activity(workspace_id=workspace_id, kind="projection", name="projection rebuilt", actor=actor, now=now)


@contextmanager
def _snapshot() -> Iterator[None]:
    """Read everything as of one moment, while others go on writing (on SQLite they wait)."""
    with transaction.atomic(durable=True):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _chain_faults(workspace_id: uuid.UUID, chain: Chain) -> Iterator[BadRow]:
    table, sequence, digest = chain.model._meta.db_table, 0, GENESIS
    for row in _stored_rows(workspace_id, chain):
        problem = _fault_of(row, chain, sequence, digest)
        if problem:
            yield BadRow(table, f"sequence {row.sequence} ({row.pk})", problem)
            return
        sequence, digest = row.sequence, row.digest
    end = LogHead.objects.filter(pk=workspace_id).values_list(f"{chain.end}_sequence", f"{chain.end}_digest").first()
    if end is None:
        yield BadRow(LogHead._meta.db_table, str(workspace_id), "is missing")
    elif end != (sequence, digest):
        yield BadRow(
            LogHead._meta.db_table,
            str(workspace_id),
            f"says that {table} ends at sequence {end[0]}; its last row is {sequence}",
        )


def _stored_rows(workspace_id: uuid.UUID, chain: Chain) -> Iterator[Any]:
    """Yield the rows in order with the text of their JSON columns beside them: what is stored, not what it reads as."""
    texts = {f"{name}_stored": Cast(name, TextField()) for name in chain.json_columns}
    rows = chain.model._default_manager.filter(workspace_id=workspace_id).order_by("sequence")
    return rows.defer(*chain.json_columns).annotate(**texts).iterator(PAGE)


def _fault_of(row: Any, chain: Chain, sequence: int, digest: str) -> str | None:
    if row.sequence != sequence + 1:
        return f"follows sequence {sequence}: rows between them are gone"
    if row.previous_digest != digest:
        return "does not name the digest of the row before it"
    stored = {name: getattr(row, f"{name}_stored") for name in chain.json_columns}
    return None if row.digest == chain.digest(row, stored) else "was changed: its digest is another"


def _entry_faults(workspace_id: uuid.UUID) -> Iterator[BadRow]:
    table = KeyEntry._meta.db_table
    entries = KeyEntry.objects.filter(workspace_id=workspace_id).order_by("pk")
    after = 0
    while page := list(_with_text(entries.filter(pk__gt=after))[:PAGE]):
        last = _last_versions(workspace_id, [entry.key for entry in page])
        for entry in page:
            if _entry_values(entry) != last.get(entry.key):
                yield BadRow(table, repr(entry.key), "is not the last version of its key")
        after = page[-1].pk
    has_entry = KeyEntry.objects.filter(workspace_id=workspace_id, key=OuterRef("key"))
    for row in KeyVersion.objects.filter(~Exists(has_entry), workspace_id=workspace_id).order_by("sequence")[:1]:
        yield BadRow(table, repr(row.key), "is missing")


def _with_text(rows: Any) -> Any:
    return rows.defer("value").annotate(value_stored=Cast("value", TextField()))


def _last_versions(workspace_id: uuid.UUID, keys: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    versions = KeyVersion.objects.filter(workspace_id=workspace_id)
    newest = versions.filter(key__in=keys).values("key").annotate(last=Max("sequence")).values_list("last", flat=True)
    rows = _with_text(versions.filter(sequence__in=list(newest)))
    return {row.key: (row.version, row.is_deletion, row.value_stored, row.created_at_ms) for row in rows}


def _entry_values(entry: Any) -> tuple[Any, ...]:
    return entry.version, entry.is_deleted, entry.value_stored, entry.updated_at_ms


def _projection_faults(workspace_id: uuid.UUID) -> Iterator[BadRow]:
    try:
        for found in differences(workspace_id):
            yield BadRow(found.table, found.row, f"{found.reason}: it is not what the log says")
    except ValueError:
        yield BadRow("projection", str(workspace_id), "holds text that is no JSON: rebuild it")


def _first_of(*checks: Iterator[BadRow]) -> list[BadRow]:
    return [found for check in checks if (found := next(check, None)) is not None]
