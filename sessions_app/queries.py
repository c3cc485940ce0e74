"""What doors read of sessions: lists, messages, events, entities. Wire dicts in camelCase, times in ISO 8601 or ms."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem
from fabric_app.mesh.http.times import iso, moment_in
from sessions_app.access import visible_sessions
from sessions_app.models import Attachment, Entity, Message, Session, SessionEvent, Turn, Variant, WorldBook
from sessions_app.protocol.comparing import namespace_differences
from sessions_app.protocol.events import EntityStatus
from sessions_app.protocol.projection import Projection
from sessions_app.stored_state import projections_around, stored_projection

Json = dict[str, Any]
Answer = TypeVar("Answer")
TRIES = 4
FOREIGN_PLACE = "Follow `next` as it is: this is no place in this list."


def settled(session: Session, read: Callable[[Session], Answer]) -> tuple[Session, Answer]:
    """Return what `read` tells of a session, and the session, of one moment: no write came in between.

    read: takes the session and asks several rows of it. Raises NotFound where the session is erased meanwhile.
    """
    for _ in range(TRIES):
        told = read(session)
        latest = Session.objects.filter(pk=session.pk).first()
        if latest is None:
            raise NotFound(what="session", name=str(session.pk))
        if latest.version == session.version:
            return session, told
        session = latest
    with transaction.atomic():
        # Writers hold this lock: nobody is among them while it is held here.
        held = Session.objects.select_for_update().filter(pk=session.pk).first()
        if held is None:
            raise NotFound(what="session", name=str(session.pk))
        return held, read(held)


def sessions_json(sessions: Iterable[Session]) -> list[Json]:
    """Return sessions in short, with how many messages they have and how much of them is in quarantine."""
    found = list(sessions)
    ids = [each.pk for each in found]
    messages = _counts(Message.objects.filter(session_id__in=ids, is_deleted=False))
    quarantined = _counts(Entity.objects.filter(session_id__in=ids, status=EntityStatus.QUARANTINED))
    return [
        {
            **session_json(each),
            "messageCount": messages.get(each.pk, 0),
            "quarantinedCount": quarantined.get(each.pk, 0),
        }
        for each in found
    ]


def _counts(rows: Any) -> dict[uuid.UUID, int]:
    return dict(rows.order_by().values_list("session_id").annotate(Count("pk")))


def session_json(session: Session) -> Json:
    """Return a session in short."""
    return {
        "id": str(session.pk),
        "title": session.title,
        "revision": session.revision,
        "epoch": session.epoch,
        "version": session.version,
        "logSequence": session.log_sequence,
        "logDigest": session.log_digest,
        "origin": session.origin,
        "createdAt": iso(session.created_at),
        "updatedAt": iso(session.updated_at),
    }


def session_page(user: Any, *, after: str | None, limit: int, title: str | None = None) -> list[Session]:
    """Return sessions that an account can read, the newest first, after the place that `place_of` gave.

    Raises InvalidArguments for another list's place.
    """
    rows = visible_sessions(user).order_by("-created_at", "-id")
    if title:
        rows = rows.filter(title__icontains=title)
    if after is not None:
        made_at, session_id = _place(after)
        rows = rows.filter(Q(created_at__lt=made_at) | Q(created_at=made_at, id__lt=session_id))
    return list(rows[:limit])


def place_of(session: Session) -> str:
    """Return where a page goes on after this session."""
    return f"{session.created_at.isoformat()} {session.pk}"


def _place(after: str) -> tuple[datetime, uuid.UUID]:
    made_at, _, session_id = after.partition(" ")
    moment = moment_in(made_at)
    try:
        if moment is not None:
            return moment, uuid.UUID(session_id)
    except ValueError:
        pass  # refused below, as whatever else is no place
    raise InvalidArguments([Problem("/cursor", "wrong_form", FOREIGN_PLACE)])


def state_json(session: Session, projection: Projection | None = None) -> Json:
    """Return the projection of a session as the wire has it."""
    return (stored_projection(session) if projection is None else projection).as_json()


def said(session: Session) -> QuerySet[Variant]:
    """Return the variants that count of the messages that are there, each with its message.

    One statement reads both: when all rows are written anew between two of them, their keys are others.
    """
    rows = Variant.objects.filter(message__session_id=session.pk, message__is_deleted=False)
    return rows.filter(index=F("message__selected")).select_related("message")


def said_in(session: Session, number: int) -> Variant:
    """Return the variant of a message that counts, with the message. Raises NotFound."""
    found = said(session).filter(message__number=number).first()
    if found is None:
        raise NotFound(what="message", name=str(number))
    return found


def message_page(session: Session, *, after: int | None, limit: int, newest_first: bool = False) -> list[Json]:
    """Return a page of messages with their selected texts."""
    rows = said(session).order_by("-message__number" if newest_first else "message__number")
    if after is not None:
        rows = rows.filter(message__number__lt=after) if newest_first else rows.filter(message__number__gt=after)
    return messages_json(session, rows[:limit])


def messages_json(session: Session, rows: Iterable[Variant]) -> list[Json]:
    """Return messages, by the variants that count, as the wire has them: two queries more, however many they are."""
    found = list(rows)
    numbers = [row.message.number for row in found]
    of_these = Variant.objects.filter(message__session_id=session.pk, message__number__in=numbers)
    counts = dict(of_these.values_list("message__number").annotate(Count("pk")).order_by())
    turns = _open_turns(session, numbers)
    return [_message(row, counts, turns.get(row.message.number)) for row in found]


def _open_turns(session: Session, numbers: list[int]) -> dict[int, int]:
    active = Turn.objects.filter(session_id=session.pk, message__in=numbers, status="active")
    return dict(active.values_list("message", "number"))


def _message(variant: Variant, counts: dict[int, int], turn: int | None) -> Json:
    row = variant.message
    told = {
        "message": row.number,
        "role": row.role,
        "name": row.name,
        "text": variant.text,
        "variant": row.selected,
        "variants": counts.get(row.number, row.selected),
        "version": row.version,
        "hidden": row.is_hidden,
        "createdAtMs": variant.created_at_ms,
    }
    return told if turn is None else {**told, "activeTurn": turn}


def variants_json(session: Session, number: int) -> list[Json]:
    """Return every variant of a message. Raises NotFound."""
    rows = Variant.objects.filter(message__session_id=session.pk, message__number=number, message__is_deleted=False)
    found = list(rows.select_related("message").order_by("index"))
    if not found:
        raise NotFound(what="message", name=str(number))
    return [
        {"variant": each.index, "text": each.text, "selected": each.index == each.message.selected} for each in found
    ]


def turn_json(turn: Turn) -> Json:
    told = {"turn": turn.number, "message": turn.message, "variant": turn.variant, "status": turn.status}
    return told if turn.committed_sequence is None else {**told, "sequence": turn.committed_sequence}


def event_page(session: Session, *, after: int, limit: int, kinds: list[str] | None = None) -> list[SessionEvent]:
    """Return events after a sequence, in order."""
    rows = SessionEvent.objects.filter(session_id=session.pk, sequence__gt=after).order_by("sequence")
    if kinds:
        rows = rows.filter(kind__in=kinds)
    return list(rows[:limit])


def event_json(event: SessionEvent) -> Json:
    return {
        "sequence": event.sequence,
        "kind": event.kind,
        "data": event.data,
        "actor": event.actor,
        "createdAtMs": event.created_at_ms,
        "digest": event.digest,
    }


def event_with_changes(session: Session, event: SessionEvent) -> Json:
    """Return an event with what it did to the state: `revision` and `changes`, path by path."""
    _, before, after = projections_around(session, event.sequence)
    return {
        **event_json(event),
        "previousDigest": event.previous_digest,
        "revision": {"before": before.revision, "after": after.revision},
        "changes": namespace_differences(before, after),
    }


def entity_page(session: Session, *, after: int, limit: int, status: EntityStatus | None = None) -> list[Json]:
    """Return entities after a sequence, in order."""
    rows = Entity.objects.filter(session_id=session.pk, sequence__gt=after).order_by("sequence")
    if status is not None:
        rows = rows.filter(status=status)
    return [entity_json(row) for row in rows[:limit]]


def entity_json(row: Entity) -> Json:
    optional = {
        "message": row.message,
        "variant": row.variant,
        "turn": row.turn,
        "reason": row.reason,
    }
    return {
        "sequence": row.sequence,
        "kind": row.kind,
        "status": row.status,
        "since": row.since,
        **{name: value for name, value in optional.items() if value is not None},
        "body": row.body,
    }


def attached_books(session: Session) -> list[tuple[uuid.UUID, WorldBook | None]]:
    """Return the books of a session in binding order; None for one that is not here."""
    ids = list(Attachment.objects.filter(session_id=session.pk).order_by("position").values_list("book_id", flat=True))
    found = WorldBook.objects.in_bulk(ids)
    return [(each, found.get(each)) for each in ids]


def book_json(book: WorldBook, *, with_entries: bool = True) -> Json:
    told = {
        "id": str(book.pk),
        "title": book.title,
        "version": book.version,
        "isArchived": book.is_archived,
        "entryCount": len(book.entries),
        "createdAt": iso(book.created_at),
        "updatedAt": iso(book.updated_at),
    }
    return {**told, "entries": book.entries} if with_entries else told
