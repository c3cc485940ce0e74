"""Importing a file: as a session of its own, as a world book, or into a session that lives already.

- A card or a chat becomes a new session; a world book is a book, and a session too where it has initial variables.
- Into a living session come a book, and a namespace as a configuration that a visible host message owns, which says
  what was imported. Progress is never overwritten: a namespace that is there already is a conflict.
- A session's own document becomes a session again, with its digests (`documents`).
- Everything of a file comes in, or nothing. The answer tells what could not be carried over.

Source: rp.state users, "The files people bring"; rp.state, section 11.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.wakeups import wake_on_commit
from sessions_app.errors import NothingToImport
from sessions_app.importers.chat import ImportedMessage
from sessions_app.importers.detect import FileKind
from sessions_app.importers.files import Brought, read_file
from sessions_app.importers.mvu import ImportedNamespace
from sessions_app.limits import protocol_limits
from sessions_app.models import TITLE_CHARS, Session, WorldBook
from sessions_app.operations.books import attach_held, insert_book
from sessions_app.operations.configurations import configure_held, preview_configuration
from sessions_app.operations.documents import import_document, preview_document
from sessions_app.operations.messages import insert_message
from sessions_app.operations.rows_from_log import rewrite_rows
from sessions_app.operations.sessions import new_session
from sessions_app.operations.state_rows import check_sizes
from sessions_app.operations.texts import line_of, message_text
from sessions_app.operations.writing import EVERY_SESSION, Writing, writing
from sessions_app.protocol.bootstrap import bootstrap_of
from sessions_app.protocol.events import EventKind, Role
from sessions_app.protocol.projection import EMPTY
from sessions_app.protocol.replay import begun
from sessions_app.protocol.world_book_reading import read_entries

Json = dict[str, Any]
_SESSIONS_ONLY = (FileKind.CHAT, FileKind.SESSION)


def preview_import(*, content: bytes, filename: str, session: Session | None = None) -> Json:
    """Return what importing a file would bring; nothing is kept.

    `{kind, title, namespace, book, messages, notices}`, of a document its summary as `session`, and into a living
    session the `changes` of its state. Raises what reading the file refuses, NothingToImport.
    """
    brought = read_file(content, filename, limits=protocol_limits())
    if brought.kind is FileKind.SESSION:
        _check_fits(brought, session)
        return {**brought.summary(), "session": preview_document(brought.document)}
    if session is None:
        return brought.summary()
    _check_fits(brought, session)
    told = {**brought.summary(), "version": session.version}
    if brought.namespace is None:
        return told
    request = _creation(brought.namespace)
    return {**told, "changes": preview_configuration(session=session, request=request)["changes"]}


def import_file(
    *, content: bytes, filename: str, user: Any, actor: Actor, now: datetime, title: str | None = None
) -> Json:
    """Import a file as a new session or book and return `{kind, session, book, notices}`, ids or None.

    title: instead of the file's own. Raises what reading the file refuses, DocumentRefused, InvalidArguments.
    """
    brought = read_file(content, filename, limits=protocol_limits())
    if brought.kind is FileKind.SESSION:
        made = import_document(document=brought.document, user=user, actor=actor, now=now)
        return {"kind": brought.kind.value, "session": made["id"], "book": None, "notices": []}
    return _imported(brought, line_of(title or brought.title, "/title"), user=user, actor=actor, now=now)


def import_into_session(
    *,
    session_id: uuid.UUID,
    content: bytes,
    filename: str,
    user: Any,
    actor: Actor,
    now: datetime,
    expected_version: int | None = None,
) -> Json:
    """Import a card or a world book into a living session and return `{kind, session, book, message, notices}`.

    Raises what reading the file refuses, NotFound, VersionConflict, NothingToImport, RevisionConflict (the namespace is
    there already).
    """
    brought = read_file(content, filename, limits=protocol_limits())
    with writing(session_id, actor=actor, now=now, expected_version=expected_version) as held:
        _check_fits(brought, held.session)
        message = insert_message(held, role=Role.HOST, text=_announcement(brought, filename))
        if brought.namespace is not None:
            configure_held(held, _creation(brought.namespace), message=message)
        book = _book(brought, user=user, actor=actor, now=now)
        if book is not None:
            attach_held(held, book)
    ids = {"session": str(session_id), "book": None if book is None else str(book.pk)}
    return {"kind": brought.kind.value, **ids, "message": message, "notices": list(brought.notices)}


@transaction.atomic(durable=True)
def _imported(brought: Brought, title: str, *, user: Any, actor: Actor, now: datetime) -> Json:
    book = _book(brought, user=user, actor=actor, now=now)
    session = None
    if brought.kind is not FileKind.WORLD_INFO or brought.namespace is not None:
        origin = {"kind": brought.kind.value, "importedBy": actor.as_json()}
        held = new_session(title=title, user=user, actor=actor, now=now, origin=origin)
        _fill(held, brought, book)
        session = held.session
    wake_on_commit(EVERY_SESSION)
    ids = {"session": None if session is None else str(session.pk), "book": None if book is None else str(book.pk)}
    return {"kind": brought.kind.value, **ids, "notices": list(brought.notices)}


def _fill(held: Writing, brought: Brought, book: WorldBook | None) -> None:
    """Write the log of a new session, and then its rows from it."""
    if brought.namespace is not None:
        begins = bootstrap_of({"version": 2, "namespaces": [brought.namespace.as_json()]}, protocol_limits())
        check_sizes(EMPTY, begun(EMPTY, begins))
        held.append(EventKind.BOOTSTRAPPED, {"bootstrap": begins.as_json()})
    for message in brought.messages:
        held.append(EventKind.MESSAGE_ADDED, _said(message))
    if book is not None:
        held.append(EventKind.BOOK_ATTACHED, {"book": str(book.pk)})
    held.flush()
    rewrite_rows(held.session)
    held.close()


def _said(message: ImportedMessage) -> Json:
    first, *others = map(message_text, message.variants or (message.text,))
    name = line_of(message.name[:TITLE_CHARS], "/name", may_be_blank=True)
    optional: Json = ({"name": name} if name else {}) | ({"hidden": True} if message.is_hidden else {})
    varied: Json = {"others": others, "selected": message.selected + 1} if others else {}
    return {"role": message.role.value, "text": first, **optional, **varied}


def _book(brought: Brought, *, user: Any, actor: Actor, now: datetime) -> WorldBook | None:
    if brought.book is None or not brought.book.entries:
        return None
    entries = read_entries(brought.book.wire_entries(), protocol_limits())
    title = brought.book_title
    original = brought.book.wire_original(title)
    return insert_book(title, entries, original, user=user, actor=actor, now=now, book_id=uuid.uuid4())


def _creation(namespace: ImportedNamespace) -> Json:
    return {
        "action": "create",
        "namespace": namespace.namespace,
        "expectedRevision": 0,
        "definition": namespace.definition,
        "initialValue": namespace.initial_value,
    }


def _check_fits(brought: Brought, session: Session | None) -> None:
    """Raise NothingToImport where a file has nothing that could come into a living session."""
    if session is None:
        return
    if brought.kind in _SESSIONS_ONLY:
        raise NothingToImport(detail=f"a {brought.kind.value} becomes a session of its own.")
    if brought.namespace is None and (brought.book is None or not brought.book.entries):
        raise NothingToImport(detail="it has neither entries nor initial variables.")


def _announcement(brought: Brought, filename: str) -> str:
    parts = []
    if brought.namespace is not None:
        parts.append(f"the namespace {brought.namespace.namespace}")
    if brought.book is not None and brought.book.entries:
        parts.append(f"the world book {brought.book_title} ({len(brought.book.entries)} entries)")
    lines = [
        f"Imported from {line_of(filename[:200], '/filename', may_be_blank=True) or 'a file'}: {' and '.join(parts)}."
    ]
    lines += [f"- {notice['severity']}: {notice['message']}" for notice in brought.notices]
    return "\n".join(lines)
