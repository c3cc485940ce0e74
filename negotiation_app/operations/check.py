"""Proving that a negotiation's log is whole, and that everything projected from it says the same.

Checked in this order, each up to its first bad row: the chain of digests over the stored bytes, with its end in the
negotiation's row; the protected rows, which are those of the entries; the current rows, which are the latest of each
key; and the columns of the negotiation's row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import connection, transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.checking import BadRow
from fabric_app.mesh.models import GENESIS
from negotiation_app.models import CurrentRow, Negotiation, NegotiationEntry
from negotiation_app.operations.projection import PAGE, columns_of, latest_sequences, rewrite_rows
from negotiation_app.operations.storing import TABLES, entry_digest
from negotiation_app.protocol.row_json import row_json
from negotiation_app.stored_state import folded, states, stored_entries

TABLE = NegotiationEntry._meta.db_table
# The text of a JSON column: what is stored, be it JSON or not.
_ROW_STORED = Cast("row", TextField())


@dataclass(frozen=True)
class Found:
    """What differs: in the log, which only a backup makes good; in protected rows; and in what is projected."""

    log: list[BadRow]
    protected: list[BadRow]
    projected: list[BadRow]


def check_negotiation(ref: str) -> list[BadRow]:
    """Return the first bad row of each check; nothing where the negotiation is clean."""
    found = compare_negotiation(ref, most=1)
    return [*found.log, *found.protected, *found.projected]


def compare_negotiation(ref: str, *, most: int) -> Found:
    """Return at most so many bad rows of each check."""
    with transaction.atomic(durable=True):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        negotiation = Negotiation.objects.get(ref=ref)
        log = list(islice(chain_faults(negotiation), most))
        if log:
            # What was changed in the log cannot be held against its projection.
            return Found(log, [], [])
        protected, projected = _history_faults(negotiation), _projection_faults(negotiation)
        return Found([], list(islice(protected, most)), list(islice(projected, most)))


@transaction.atomic(durable=True)
def repair_negotiation(ref: str) -> None:
    """Write the current rows and columns anew from the log; it decides nothing."""
    negotiation = Negotiation.objects.select_for_update().get(ref=ref)
    state = folded(negotiation)
    rewrite_rows(negotiation, state)
    columns = columns_of(state)
    for name, value in columns.items():
        setattr(negotiation, name, value)
    negotiation.version += 1
    negotiation.save(update_fields=(*columns, "version"))
    transaction.on_commit(lambda: states.drop(negotiation.pk))


def negotiation_refs() -> list[str]:
    return list(Negotiation.objects.order_by("ref").values_list("ref", flat=True))


def chain_faults(negotiation: Negotiation) -> Iterator[BadRow]:
    """Yield what is wrong with the chain of digests over the stored log."""
    sequence, digest = 0, GENESIS
    for row in _stored_entries(negotiation):
        place = f"sequence {row.sequence}"
        if row.sequence != sequence + 1:
            yield BadRow(TABLE, place, f"follows sequence {sequence}: rows between them are gone")
        elif row.previous_digest != digest:
            yield BadRow(TABLE, place, "does not name the digest of the row before it")
        elif row.digest != entry_digest(row, data=row.data_stored, actor=row.actor_stored):
            yield BadRow(TABLE, place, "was changed: its digest is another")
        sequence, digest = row.sequence, row.digest
    if (negotiation.log_sequence, negotiation.log_digest) != (sequence, digest):
        problem = f"says that the log ends at {negotiation.log_sequence}; its last row is {sequence}"
        yield BadRow(Negotiation._meta.db_table, negotiation.ref, problem)


def _stored_entries(negotiation: Negotiation) -> Iterator[Any]:
    """Yield the entries in order with the text of their JSON columns beside them: what is stored."""
    texts = {f"{name}_stored": Cast(name, TextField()) for name in ("data", "actor")}
    rows = NegotiationEntry.objects.filter(negotiation=negotiation).order_by("sequence")
    return rows.defer("data", "actor").annotate(**texts).iterator(PAGE)


def _history_faults(negotiation: Negotiation) -> Iterator[BadRow]:
    """Yield protected rows that are not those of the entries."""
    said: dict[str, dict[tuple[str, int], Any]] = {}
    for sequence, entry in enumerate(stored_entries(negotiation), start=1):
        for row in entry.rows:
            table = TABLES[row.TABLE]._meta.db_table
            said.setdefault(table, {})[f"{row.TABLE}/{row.key}", sequence] = dumps(row_json(row))
    for model in dict.fromkeys(TABLES.values()):
        manager: Any = model._default_manager
        rows = manager.filter(negotiation=negotiation).values_list("key", "sequence", _ROW_STORED)
        stored = {(key, sequence): row for key, sequence, row in rows}
        yield from _compared(model._meta.db_table, stored, said.get(model._meta.db_table, {}))


def _projection_faults(negotiation: Negotiation) -> Iterator[BadRow]:
    state = folded(negotiation)
    for name, value in columns_of(state).items():
        if getattr(negotiation, name) != value:
            yield BadRow(Negotiation._meta.db_table, f"{negotiation.ref} {name}", f"is not {value!r}")
    sequences = latest_sequences(negotiation)
    rows = CurrentRow.objects.filter(negotiation=negotiation).values_list("table", "key", "sequence", _ROW_STORED)
    stored = {(table, key): (sequence, row) for table, key, sequence, row in rows}
    said = {(row.TABLE, row.key): (sequences[row.TABLE, row.key], dumps(row_json(row))) for row in state.rows()}
    yield from _compared(CurrentRow._meta.db_table, stored, said)


def _compared(table: str, stored: dict[Any, Any], said: dict[Any, Any]) -> Iterator[BadRow]:
    for key in said.keys() - stored.keys():
        yield BadRow(table, str(key), "is missing")
    for key in stored.keys() - said.keys():
        yield BadRow(table, str(key), "is in no entry")
    for key in stored.keys() & said.keys():
        if stored[key] != said[key]:
            yield BadRow(table, str(key), "is not what the log says")
