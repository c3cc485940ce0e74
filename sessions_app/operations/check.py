"""Proving that a session's log is whole, and that every row projected from it says the same.

Checked in this order, each up to its first bad row: the chain of digests over the stored bytes, with its end in the
session's row; then what `rows_from_log.differences` finds.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from fabric_app.mesh.checking import BadRow
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.models import GENESIS
from sessions_app.models import Session, SessionEvent
from sessions_app.operations.rows_from_log import differences, rewrite_rows
from sessions_app.operations.writing import event_digest

PAGE = 500
TABLE = SessionEvent._meta.db_table


def check_session(session_id: uuid.UUID) -> list[BadRow]:
    """Return the first bad row of each check; nothing where the session is clean."""
    with transaction.atomic(durable=True):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        session = Session.objects.get(pk=session_id)
        chain = list(_chain_faults(session))[:1]
        # What was changed in the log cannot be held against its projection.
        return chain or list(_projection_faults(session))[:1]


@transaction.atomic(durable=True)
def repair_session(session_id: uuid.UUID) -> None:
    """Write the rows anew from the log, without an event; the log itself has to be whole."""
    session = Session.objects.select_for_update().get(pk=session_id)
    rewrite_rows(session)
    session.version += 1
    session.save(update_fields=("title", "epoch", "revision", "tail_count", "version"))


def session_names() -> list[str]:
    return [str(each) for each in Session.objects.order_by("created_at", "id").values_list("id", flat=True)]


def _chain_faults(session: Session) -> Iterator[BadRow]:
    sequence, digest = 0, GENESIS
    for row in _stored_rows(session):
        place = f"sequence {row.sequence}"
        if row.sequence != sequence + 1:
            yield BadRow(TABLE, place, f"follows sequence {sequence}: rows between them are gone")
        elif row.previous_digest != digest:
            yield BadRow(TABLE, place, "does not name the digest of the row before it")
        elif row.digest != event_digest(row, data=row.data_stored, actor=row.actor_stored):
            yield BadRow(TABLE, place, "was changed: its digest is another")
        sequence, digest = row.sequence, row.digest
    if (session.log_sequence, session.log_digest) != (sequence, digest):
        problem = f"says that the log ends at {session.log_sequence}; its last row is {sequence}"
        yield BadRow(Session._meta.db_table, str(session.pk), problem)


def _stored_rows(session: Session) -> Iterator[Any]:
    """Yield the events with the text of their JSON columns beside them: what is stored, not what it reads as."""
    texts = {f"{name}_stored": Cast(name, TextField()) for name in ("data", "actor")}
    rows = SessionEvent.objects.filter(session_id=session.pk).order_by("sequence")
    return rows.defer("data", "actor").annotate(**texts).iterator(PAGE)


def _projection_faults(session: Session) -> Iterator[BadRow]:
    try:
        for table, row, problem in differences(session):
            yield BadRow(table, row, problem)
    except (StatehouseError, ValueError) as fault:
        yield BadRow(TABLE, str(session.pk), f"cannot be followed: {fault}")
