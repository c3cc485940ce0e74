"""World books: made, changed by compare-and-swap, archived, and attached to sessions.

Every version of a book is kept whole. Attaching and detaching are events of the session; an attached book changes for
every session that has it.

Source: rp.state, section 12, "World-book entries".
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from guardian.shortcuts import assign_perm

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.idempotency import Idempotency, store_answer, stored_answer
from fabric_app.mesh.swap import swap
from fabric_app.mesh.wakeups import wake_on_commit
from sessions_app.errors import BookArchived, BookAttached, SessionFull
from sessions_app.limits import protocol_limits, stored_limits
from sessions_app.models import Attachment, WorldBook, WorldBookVersion
from sessions_app.operations.sessions import made_once
from sessions_app.operations.texts import line_of
from sessions_app.operations.writing import EVERY_SESSION, Writing, writing
from sessions_app.protocol.events import EventKind
from sessions_app.protocol.world_book_reading import read_entries

Json = dict[str, Any]
OF_THE_MAKER = ("read_worldbook", "write_worldbook")


def create_book(
    *,
    title: str,
    entries: Any,
    user: Any,
    actor: Actor,
    now: datetime,
    original: Json | None = None,
    idempotency: Idempotency | None = None,
) -> Json:
    """Make a world book and return `{id, version}`; its maker may read and change it.

    entries: JSON as it came. original: the rest of the file that it was imported from. Raises InvalidArguments,
    WorldBookInvalid, ConditionInvalid, IdempotencyKeyReused.
    """
    line, read = line_of(title, "/title"), read_entries(entries, protocol_limits())
    return made_once(
        idempotency,
        lambda: _created(line, read, original, user=user, actor=actor, now=now, idempotency=idempotency),
    )


@transaction.atomic(durable=True)
def save_book(
    *, book_id: uuid.UUID, title: str, entries: Any, expected_version: int, actor: Actor, now: datetime
) -> int:
    """Give a book another title and other entries, whole, and return its version. Raises NotFound, VersionConflict."""
    line, read = line_of(title, "/title"), read_entries(entries, protocol_limits())
    return _moved(_book(book_id), expected_version, {"title": line, "entries": read}, actor=actor, now=now)


@transaction.atomic(durable=True)
def archive_book(*, book_id: uuid.UUID, is_archived: bool, expected_version: int, actor: Actor, now: datetime) -> int:
    """Put a book into the archive or take it out, and return its version. Raises NotFound, VersionConflict."""
    return _moved(_book(book_id), expected_version, {"is_archived": is_archived}, actor=actor, now=now)


def attach_book(*, session_id: uuid.UUID, book: WorldBook, actor: Actor, now: datetime) -> Json:
    """Attach a book to a session, after those that are there. Returns `{sequence, book}`.

    Raises NotFound, BookAttached, BookArchived, SessionFull.
    """
    if book.is_archived:
        raise BookArchived(book=book.title)
    with writing(session_id, actor=actor, now=now) as held:
        return attach_held(held, book)


def attach_held(held: Writing, book: WorldBook) -> Json:
    """Attach a book to a session that is held; else as `attach_book`."""
    attached = Attachment.objects.filter(session_id=held.session.pk)
    if attached.filter(book_id=book.pk).exists():
        raise BookAttached(book=book.title)
    if attached.count() >= stored_limits().books:
        raise SessionFull(limit=stored_limits().books)
    last = attached.aggregate(last=Max("position", default=-1))["last"]
    sequence = held.append(EventKind.BOOK_ATTACHED, {"book": str(book.pk)})
    Attachment.objects.create(session_id=held.session.pk, book_id=book.pk, position=last + 1)
    return {"sequence": sequence, "book": str(book.pk)}


def detach_book(*, session_id: uuid.UUID, book_id: uuid.UUID, actor: Actor, now: datetime) -> Json:
    """Take a book out of a session. Returns `{sequence, book}`. Raises NotFound."""
    with writing(session_id, actor=actor, now=now) as held:
        attached = Attachment.objects.filter(session_id=session_id, book_id=book_id)
        if not attached.exists():
            raise NotFound(what="world book", name=str(book_id))
        sequence = held.append(EventKind.BOOK_DETACHED, {"book": str(book_id)})
        attached.delete()
    return {"sequence": sequence, "book": str(book_id)}


def insert_missing_books(books: Sequence[Json], *, user: Any, actor: Actor, now: datetime) -> None:
    """Make the books of a session's document that are not here, under their own ids; others stay as they are."""
    for given in books:
        book_id = uuid.UUID(given["id"])
        if not WorldBook.objects.filter(pk=book_id).exists():
            entries = read_entries(given["entries"], protocol_limits())
            insert_book(given["title"], entries, None, user=user, actor=actor, now=now, book_id=book_id)


def book_id_of(raw: Any) -> uuid.UUID | None:
    """Return the id that a text gives, None where it is no id."""
    try:
        return uuid.UUID(raw) if isinstance(raw, str) else None
    except ValueError:
        return None


@transaction.atomic(durable=True)
def _created(
    title: str,
    entries: list[Json],
    original: Json | None,
    *,
    user: Any,
    actor: Actor,
    now: datetime,
    idempotency: Idempotency | None,
) -> Json:
    told = stored_answer(idempotency)
    if told is not None:
        return told
    book = insert_book(title, entries, original, user=user, actor=actor, now=now, book_id=uuid.uuid4())
    wake_on_commit(EVERY_SESSION)
    answer = {"id": str(book.pk), "version": book.version}
    store_answer(idempotency, answer, now=now)
    return answer


def insert_book(
    title: str,
    entries: list[Json],
    original: Json | None,
    *,
    user: Any,
    actor: Actor,
    now: datetime,
    book_id: uuid.UUID,
) -> WorldBook:
    """Insert a book whose entries are in normal form. Belongs in a transaction."""
    book = WorldBook.objects.create(
        id=book_id, title=title, version=1, entries=entries, original=original, created_at=now, updated_at=now
    )
    for permission in OF_THE_MAKER:
        assign_perm(permission, user, book)
    _keep_version(book, actor=actor, now=now)
    return book


def _moved(book: WorldBook, expected: int, values: Json, *, actor: Actor, now: datetime) -> int:
    moved = swap(book, expected=expected, updated_at=now, **values)
    _keep_version(moved, actor=actor, now=now)
    sessions = Attachment.objects.filter(book_id=book.pk).values_list("session_id", flat=True)
    wake_on_commit(EVERY_SESSION, *(f"session:{each}" for each in sessions))
    return moved.version


def _keep_version(book: WorldBook, *, actor: Actor, now: datetime) -> None:
    WorldBookVersion.objects.create(
        book=book,
        version=book.version,
        title=book.title,
        entries=book.entries,
        is_archived=book.is_archived,
        actor=actor.as_json(),
        created_at_ms=to_ms(now),
    )


def _book(book_id: uuid.UUID) -> WorldBook:
    book = WorldBook.objects.filter(pk=book_id).first()
    if book is None:
        raise NotFound(what="world book", name=str(book_id))
    return book
