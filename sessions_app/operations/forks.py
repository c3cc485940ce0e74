"""Forking: a new session that begins as another one was up to a message.

Copied are the messages up to that one with their selected text, and exactly the entities that they and the bootstrap
own, in the order of the log, with who did it and when. What is in quarantine stays there; what cannot be carried out
without something that comes after the message goes there too. The world books are attached likewise.

Source: rp.state, section 11; users of role-play state, "Checkpoint restores the wrong variant".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.idempotency import Idempotency, store_answer, stored_answer
from fabric_app.mesh.wakeups import wake_on_commit
from sessions_app.models import Attachment, Entity, Message, Session, SessionEvent, Variant
from sessions_app.operations.loading import message_of
from sessions_app.operations.rows_from_log import rewrite_rows
from sessions_app.operations.sessions import made_once, new_session
from sessions_app.operations.texts import line_of
from sessions_app.operations.writing import EVERY_SESSION, Writing
from sessions_app.protocol.events import EntityStatus, EventKind
from sessions_app.protocol.projection import EMPTY
from sessions_app.protocol.reckoning import LoggedEntity, Moves, reckon
from sessions_app.protocol.replay import EntityKind
from sessions_app.stored_state import logged

Json = dict[str, Any]
_COPIED = (EntityStatus.EFFECTIVE, EntityStatus.QUARANTINED)
LEFT_IN_QUARANTINE = "Forked: what cannot be carried out here stays in quarantine."


def fork_session(
    *,
    session: Session,
    message: int | None,
    title: str,
    user: Any,
    actor: Actor,
    now: datetime,
    idempotency: Idempotency | None = None,
) -> Json:
    """Make a session that begins as this one was up to a message (None: as it is), and return `{id}`.

    Raises NotFound, InvalidArguments, IdempotencyKeyReused.
    """
    line = line_of(title, "/title")
    return made_once(
        idempotency,
        lambda: _forked(session, message, line, user=user, actor=actor, now=now, idempotency=idempotency),
    )


@transaction.atomic(durable=True)
def _forked(
    session: Session,
    message: int | None,
    title: str,
    *,
    user: Any,
    actor: Actor,
    now: datetime,
    idempotency: Idempotency | None,
) -> Json:
    told = stored_answer(idempotency)
    if told is not None:
        return told
    # Nobody writes to it while it is read.
    source = Session.objects.select_for_update().get(pk=session.pk)
    if message is not None:
        message_of(source, message)
    origin = {"sessionId": str(source.pk), "message": message, "digest": source.log_digest}
    held = new_session(title=title, user=user, actor=actor, now=now, forked_from=origin)
    _Copy(source, message, held).run()
    held.flush()
    rewrite_rows(held.session)
    held.close()
    wake_on_commit(EVERY_SESSION)
    answer = {"id": str(held.session.pk)}
    store_answer(idempotency, answer, now=now)
    return answer


@dataclass
class _Copy:
    """Copies the events of one session that another one begins with, under new numbers."""

    source: Session
    upto: int | None
    held: Writing
    numbers: dict[int, int] = field(default_factory=dict)
    turns: dict[int, int] = field(default_factory=dict)
    copied: list[LoggedEntity] = field(default_factory=list)

    def run(self) -> None:
        messages = self._messages()
        entities = self._entities(messages)
        committed = {each.message for each in entities.values() if each.kind is EntityKind.TURN_COMMIT}
        texts = self._texts(messages)
        for event in self._events(messages, entities):
            if event.sequence in messages:
                self._copy_message(event, messages[event.sequence], texts, is_turn=event.sequence in committed)
            # The event of a turn's reply adds a message; that of an entity is another one, always.
            if event.sequence in entities:
                self._copy_entity(event, entities[event.sequence], texts)
        for book in Attachment.objects.filter(session_id=self.source.pk).order_by("position"):
            self.held.append(EventKind.BOOK_ATTACHED, {"book": str(book.book_id)})
        self._set_aside()

    def _messages(self) -> dict[int, Message]:
        rows = Message.objects.filter(session_id=self.source.pk, is_deleted=False)
        if self.upto is not None:
            rows = rows.filter(number__lte=self.upto)
        return {row.number: row for row in rows}

    def _entities(self, messages: dict[int, Message]) -> dict[int, LoggedEntity]:
        rows = Entity.objects.filter(session_id=self.source.pk, status__in=_COPIED)
        return {row.sequence: logged(row) for row in rows if row.message is None or row.message in messages}

    def _texts(self, messages: dict[int, Message]) -> dict[int, str]:
        chosen = {row.pk: (row.number, row.selected) for row in messages.values()}
        variants = Variant.objects.filter(message__session_id=self.source.pk)
        texts = {}
        for owner, index, text in variants.values_list("message_id", "index", "text").iterator(500):
            number, selected = chosen.get(owner, (0, 0))
            if index == selected:
                texts[number] = text
        return texts

    def _events(self, messages: dict[int, Message], entities: dict[int, LoggedEntity]) -> Iterator[SessionEvent]:
        wanted = messages.keys() | entities.keys()
        events = SessionEvent.objects.filter(session_id=self.source.pk).order_by("sequence")
        return (event for event in events.iterator(500) if event.sequence in wanted)

    def _copy_message(self, event: SessionEvent, row: Message, texts: dict[int, str], *, is_turn: bool) -> None:
        named = {"name": row.name} if row.name else {}
        hidden = {"hidden": True} if row.is_hidden else {}
        if is_turn:
            number = self._append(event, EventKind.TURN_BEGUN, named)
            self.turns[row.number] = number
        else:
            said = {"role": row.role, "text": texts[row.number]}
            number = self._append(event, EventKind.MESSAGE_ADDED, {**said, **named, **hidden})
        self.numbers[row.number] = number

    def _copy_entity(self, event: SessionEvent, entity: LoggedEntity, texts: dict[int, str]) -> None:
        owner = entity.message
        if owner is None:
            sequence = self._append(event, event.kind, event.data)
        elif entity.kind is EntityKind.TURN_COMMIT:
            place = {"turn": self.turns[owner], "message": self.numbers[owner], "variant": 1, "text": texts[owner]}
            sequence = self._append(event, event.kind, {**event.data, **place})
        else:
            configured = {"request": entity.body, "message": self.numbers[owner], "variant": 1}
            sequence = self._append(event, event.kind, configured)
        self.copied.append(replace(entity, sequence=sequence))

    def _append(self, event: SessionEvent, kind: str, data: Json) -> int:
        return self.held.append(kind, data, at_ms=event.created_at_ms, actor=event.actor)

    def _set_aside(self) -> None:
        kept = [
            {"sequence": each.sequence, "reason": dict(each.reason or {})}
            for each in self.copied
            if each.status is EntityStatus.QUARANTINED
        ]
        failed = [failure.as_json() for failure in reckon(EMPTY, self.copied, Moves()).quarantined]
        if kept or failed:
            aside = sorted([*kept, *failed], key=lambda each: each["sequence"])
            self.held.append(EventKind.REBUILT, {"reason": LEFT_IN_QUARANTINE, "entities": {"quarantined": aside}})
