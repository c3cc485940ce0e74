"""What an operation names in a session: a message, its variants, a turn."""

from __future__ import annotations

from django.db.models import QuerySet

from fabric_app.mesh.errors import NotFound
from sessions_app.errors import NotAReply
from sessions_app.models import Entity, Message, Session, SessionEvent, Turn
from sessions_app.protocol.events import EntityStatus, EventKind, Role, TurnStatus
from sessions_app.protocol.reckoning import LoggedEntity
from sessions_app.stored_state import logged


def message_of(session: Session, number: int) -> Message:
    """Return a message that is there. Raises NotFound."""
    message = Message.objects.filter(session_id=session.pk, number=number, is_deleted=False).first()
    if message is None:
        raise NotFound(what="message", name=str(number))
    return message


def reply_of(session: Session, number: int) -> Message:
    """Return a message of the assistant. Raises NotFound, NotAReply."""
    message = message_of(session, number)
    if message.role != Role.ASSISTANT:
        raise NotAReply(message=number, role=message.role)
    return message


def turn_of(session: Session, number: int) -> Turn:
    """Return a turn. Raises NotFound."""
    turn = Turn.objects.filter(session_id=session.pk, number=number).first()
    if turn is None:
        raise NotFound(what="turn", name=str(number))
    return turn


def active_turns(session: Session, messages: list[int]) -> list[int]:
    """Return the numbers of the turns that write one of these messages, in order."""
    turns = Turn.objects.filter(session_id=session.pk, message__in=messages, status=TurnStatus.ACTIVE)
    return sorted(turns.values_list("number", flat=True))


def cancellations_among(session: Session, sequences: set[int]) -> set[int]:
    """Return the sequences of those events that cancelled a turn outright."""
    events = SessionEvent.objects.filter(session_id=session.pk, kind=EventKind.TURN_CANCELLED, sequence__in=sequences)
    return set(events.values_list("sequence", flat=True))


def cancel_turns(session: Session, numbers: list[int]) -> None:
    if numbers:
        Turn.objects.filter(session_id=session.pk, number__in=numbers).update(status=TurnStatus.CANCELLED)


def owned(session: Session, messages: list[int]) -> list[LoggedEntity]:
    """Return the entities of these messages, of whichever variant and status."""
    return _in_order(Entity.objects.filter(session_id=session.pk, message__in=messages))


def quarantined(session: Session) -> list[LoggedEntity]:
    return _in_order(Entity.objects.filter(session_id=session.pk, status=EntityStatus.QUARANTINED))


def _in_order(rows: QuerySet[Entity]) -> list[LoggedEntity]:
    # Sorted here: asked for an order, SQLite goes through all rows of the session in it, and not by the index.
    return sorted(map(logged, rows), key=lambda each: each.sequence)
