"""A whole session as one JSON document: written out, and read in again as a session of its own.

- The document has every event with its digests, so that it reads back byte for byte, and the world books that the
  session names. Numbers of messages, turns and entities stay; the session gets a new id.
- Reading in trusts nothing: the form of every event, the chain of digests, the story that they tell, and each entity,
  run again under the limits of this deployment. All of it fits, or nothing is kept.
- Authors and times are what the document says; the session's `origin` tells who read it in, and up to which event.

Source: rp.state, section 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem, StatehouseError
from fabric_app.mesh.models import GENESIS
from fabric_app.mesh.wakeups import wake_on_commit
from sessions_app.access import visible_books
from sessions_app.errors import DocumentRefused
from sessions_app.limits import protocol_limits, stored_limits
from sessions_app.models import Attachment, Session, SessionEvent, WorldBook
from sessions_app.operations.books import book_id_of, insert_missing_books
from sessions_app.operations.rows_from_log import rewrite_rows
from sessions_app.operations.sessions import grant_to_maker
from sessions_app.operations.state_rows import check_sizes
from sessions_app.operations.texts import line_of
from sessions_app.operations.writing import EVERY_SESSION, event_digest
from sessions_app.protocol.entity_bodies import body_problem
from sessions_app.protocol.errors import ProtocolRefusal
from sessions_app.protocol.event_shapes import MOST_PROBLEMS, event_problems
from sessions_app.protocol.events import EntityStatus
from sessions_app.protocol.history import LoggedEvent, SessionState
from sessions_app.protocol.projection import EMPTY, Projection
from sessions_app.protocol.replay import Entity, after_foreign_entity
from sessions_app.protocol.world_book_reading import read_entries

Json = dict[str, Any]
FORMAT, FORMAT_VERSION = "statehouse.session", 1
_MEMBERS = ("format", "formatVersion", "events", "books")


@dataclass(frozen=True)
class Read:
    """A document that was read and found whole."""

    events: tuple[SessionEvent, ...]
    state: SessionState
    projection: Projection
    books: list[Json]

    def summary(self) -> Json:
        """Return what an import would bring: `{title, events, messages, turns, entities, namespaces, books, ...}`."""
        counts: dict[str, int] = {}
        for entity in self.state.entities.values():
            counts[entity.status.value] = counts.get(entity.status.value, 0) + 1
        return {
            "title": self.state.title,
            "events": len(self.events),
            "messages": sum(not each.is_deleted for each in self.state.messages.values()),
            "turns": len(self.state.turns),
            "entities": counts,
            "namespaces": list(self.projection.namespaces),
            "books": [{"id": book["id"], "title": book["title"]} for book in self.books],
            "firstAtMs": self.events[0].created_at_ms,
            "lastAtMs": self.events[-1].created_at_ms,
            "logDigest": self.events[-1].digest,
        }


def export_session(session: Session) -> Json:
    """Return a session as one document: `{format, formatVersion, events, books}`."""
    with transaction.atomic():
        events = SessionEvent.objects.filter(session_id=session.pk).order_by("sequence")
        ids = Attachment.objects.filter(session_id=session.pk).order_by("position").values_list("book_id", flat=True)
        books = {book.pk: book for book in WorldBook.objects.filter(pk__in=list(ids))}
        return {
            "format": FORMAT,
            "formatVersion": FORMAT_VERSION,
            "events": [event_json(event) for event in events.iterator(500)],
            "books": [_book_json(books[each]) for each in ids if each in books],
        }


def event_json(event: SessionEvent) -> Json:
    """Return an event as documents have it."""
    return {
        "sequence": event.sequence,
        "kind": event.kind,
        "data": event.data,
        "actor": event.actor,
        "createdAtMs": event.created_at_ms,
        "previousDigest": event.previous_digest,
        "digest": event.digest,
    }


def preview_document(document: Any) -> Json:
    """Return what reading a document in would bring (`Read.summary`); nothing is kept. Raises DocumentRefused."""
    return read_document(document).summary()


def import_document(*, document: Any, user: Any, actor: Actor, now: datetime) -> Json:
    """Read a document in as a new session and return `{id, ...summary}`.

    Raises DocumentRefused, InvalidArguments; NotFound where it attaches a book that is here and hidden from its reader.
    """
    read = read_document(document)
    try:
        return _inserted(read, user=user, actor=actor, now=now)
    except IntegrityError:
        # Somebody else brought one of its books meanwhile; whether it is hidden has to be asked again.
        return _inserted(read, user=user, actor=actor, now=now)


def read_document(document: Any) -> Read:
    """Return a document's content, checked whole. Raises DocumentRefused with every problem of the first kind found."""
    _refuse_if(_form_problems(document))
    events = tuple(_event(each) for each in document["events"])
    _refuse_if(list(_chain_problems(events)))
    state = _story(events)
    _refuse_if([*_body_problems(state), *_book_problems(document["books"])])
    projection = _replayed(state)
    return Read(events, state, projection, list(document["books"]))


@transaction.atomic(durable=True)
def _inserted(read: Read, *, user: Any, actor: Actor, now: datetime) -> Json:
    _check_books(read.state.books, user)
    origin = {
        "kind": "import",
        "sessionId": str(read.events[0].data["sessionId"]),
        "importedBy": actor.as_json(),
        "throughSequence": len(read.events),
    }
    session = Session.objects.create(
        title=read.state.title,
        log_sequence=len(read.events),
        log_digest=read.events[-1].digest,
        origin=origin,
        created_at=now,
        updated_at=now,
    )
    grant_to_maker(user, session)
    insert_missing_books(read.books, user=user, actor=actor, now=now)
    for event in read.events:
        event.session = session
    SessionEvent.objects.bulk_create(read.events, batch_size=500)
    rewrite_rows(session)
    session.save()
    wake_on_commit(EVERY_SESSION)
    return {"id": str(session.pk), **read.summary()}


def _form_problems(document: Any) -> list[Problem]:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return [Problem("/format", "wrong_form", f"A session's document has the format {FORMAT!r}.")]
    problems = [Problem(f"/{name}", "unknown_member", "is no member.") for name in document if name not in _MEMBERS]
    if document.get("formatVersion") != FORMAT_VERSION:
        problems.append(Problem("/formatVersion", "wrong_form", f"This version reads {FORMAT_VERSION}."))
    events, most = document.get("events"), stored_limits().import_events
    if not isinstance(events, list) or not 1 <= len(events) <= most:
        return [*problems, Problem("/events", "wrong_form", f"Give a list of 1 to {most} events.")]
    if not isinstance(document.get("books"), list):
        problems.append(Problem("/books", "wrong_form", "Give a list of world books; it may be empty."))
    for index, event in enumerate(events):
        if len(problems) >= MOST_PROBLEMS:
            break
        problems += event_problems(event, f"/events/{index}")
    return problems


def _event(wire: Json) -> SessionEvent:
    return SessionEvent(
        sequence=wire["sequence"],
        kind=wire["kind"],
        data=wire["data"],
        actor=wire["actor"],
        created_at_ms=wire["createdAtMs"],
        previous_digest=wire["previousDigest"],
        digest=wire["digest"],
    )


def _chain_problems(events: tuple[SessionEvent, ...]) -> Iterator[Problem]:
    sequence, digest = 0, GENESIS
    for index, event in enumerate(events):
        path = f"/events/{index}"
        if event.sequence != sequence + 1:
            yield Problem(f"{path}/sequence", "out_of_order", f"Event {sequence + 1} is expected here.")
        elif event.previous_digest != digest:
            yield Problem(f"{path}/previousDigest", "broken_chain", "It does not name the digest of the event before.")
        elif event.digest != event_digest(event):
            yield Problem(f"{path}/digest", "broken_chain", "The event was changed: its digest is another.")
        sequence, digest = event.sequence, event.digest


def _story(events: tuple[SessionEvent, ...]) -> SessionState:
    state = SessionState()
    for index, event in enumerate(events):
        try:
            state.apply(LoggedEvent(event.sequence, event.kind, event.data, event.created_at_ms))
        except StatehouseError as broken:
            raise DocumentRefused([Problem(f"/events/{index}", broken.code, broken.sentence())]) from broken
    limits = stored_limits()
    line_of(state.title, "/events/0/data/title")
    if len(state.messages) > limits.messages:
        raise DocumentRefused([Problem("/events", "too_many_items", f"At most {limits.messages} messages are kept.")])
    for message in state.messages.values():
        if any(len(text) > limits.message_chars for text in message.variants.values()):
            problem = Problem(f"/events/{message.number - 1}", "too_long", "A text of this message is too long.")
            raise DocumentRefused([problem])
    return state


def _body_problems(state: SessionState) -> Iterator[Problem]:
    """Yield what is wrong with entities, whether they count or may count again one day."""
    for sequence, entity in state.entities.items():
        problem = body_problem(entity.kind, entity.body, protocol_limits())
        if problem is not None:
            yield Problem(f"/events/{sequence - 1}/data", "wrong_form", problem)


def _book_problems(books: list[Any]) -> Iterator[Problem]:
    for index, book in enumerate(books):
        path = f"/books/{index}"
        if not isinstance(book, dict) or set(book) != {"id", "title", "entries"} or book_id_of(book["id"]) is None:
            yield Problem(path, "wrong_form", "A world book has an id (a UUID), a title and entries.")
            continue
        try:
            line_of(book["title"] if isinstance(book["title"], str) else "", f"{path}/title")
            read_entries(book["entries"], protocol_limits())
        except (InvalidArguments, ProtocolRefusal) as refused:
            yield from (
                replace(each, path=each.path.replace("/entries", f"{path}/entries", 1)) for each in refused.problems
            )


def _replayed(state: SessionState) -> Projection:
    projection, problems = EMPTY, []
    for entity in state.effective():
        try:
            projection = after_foreign_entity(
                projection, Entity(entity.sequence, entity.kind, entity.body), protocol_limits()
            )
        except StatehouseError as refused:
            problems.append(Problem(f"/events/{entity.sequence - 1}/data", refused.code, refused.sentence()))
    for sequence, entity in state.entities.items():
        if entity.status is EntityStatus.QUARANTINED and not entity.reason:
            problems.append(Problem(f"/events/{sequence - 1}", "wrong_form", "It is quarantined without a reason."))
    _refuse_if(problems)
    check_sizes(EMPTY, projection)
    return projection


def _check_books(named: list[str], user: Any) -> None:
    """Raise NotFound for a book that the account cannot read: a session shows what is attached to it."""
    books = WorldBook.objects.filter(pk__in=filter(None, map(book_id_of, named)))
    for hidden in books.exclude(pk__in=visible_books(user).values("pk")).order_by("pk")[:1]:
        raise NotFound(what="world book", name=str(hidden.pk))


def _refuse_if(problems: list[Problem]) -> None:
    if problems:
        raise DocumentRefused(problems[:MOST_PROBLEMS])


def _book_json(book: WorldBook) -> Json:
    return {"id": str(book.pk), "title": book.title, "entries": book.entries}
