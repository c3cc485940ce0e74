"""What the pages of sessions read beside what the API does: lists by latest move, what messages own, the last turn.

Every question takes a number of queries that does not grow with the history.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.dateparse import parse_datetime

from fabric_app.mesh.row_filter import ANY, RowFilter
from sessions_app.access import visible_sessions
from sessions_app.models import Entity, Session, SessionEvent
from sessions_app.protocol.events import EntityStatus

Json = dict[str, Any]


def sessions_moved(
    user: Any, *, title: str = "", quarantined: bool = False, after: str = "", size: int
) -> list[Session]:
    """Return sessions that an account can read, the last moved first, after the place that `moved_place` gave.

    A place that makes no sense is passed over, as in an address that somebody edited.
    """
    rows = visible_sessions(user).order_by("-updated_at", "id")
    if title:
        rows = rows.filter(title__icontains=title)
    if quarantined:
        held = Entity.objects.filter(session_id=OuterRef("pk"), status=EntityStatus.QUARANTINED)
        rows = rows.filter(Exists(held))
    place = _place(after)
    if place is not None:
        moved_at, session_id = place
        rows = rows.filter(Q(updated_at__lt=moved_at) | Q(updated_at=moved_at, id__gt=session_id))
    return list(rows[:size])


def moved_place(session: Session) -> str:
    return f"{session.updated_at.isoformat()} {session.pk}"


def quarantined_of(session: Session, *, size: int) -> list[Entity]:
    """Return the quarantined entities of a session, in order."""
    rows = Entity.objects.filter(session_id=session.pk, status=EntityStatus.QUARANTINED)
    return list(rows.order_by("sequence")[:size])


def quarantined_in(sessions: QuerySet[Session, Any], *, size: int) -> list[Entity]:
    """Return quarantined entities of these sessions with their sessions, the latest first."""
    rows = Entity.objects.filter(status=EntityStatus.QUARANTINED, session__in=sessions).select_related("session")
    return list(rows.defer("body").order_by("-since", "session_id", "sequence")[:size])


def entities_of(session: Session, messages: Iterable[int]) -> list[Entity]:
    """Return the entities that these messages own, without their bodies."""
    rows = Entity.objects.filter(session_id=session.pk, message__in=list(messages))
    return list(rows.defer("body").order_by("sequence"))


def last_commit(session: Session) -> SessionEvent | None:
    """Return the event of the last turn commit that counts."""
    entity = Entity.objects.filter(session_id=session.pk, kind="turn-commit", status=EntityStatus.EFFECTIVE)
    sequence = entity.order_by("-sequence").values_list("sequence", flat=True).first()
    if sequence is None:
        return None
    return event_at(session, sequence)


def event_at(session: Session, sequence: int) -> SessionEvent | None:
    return SessionEvent.objects.filter(session_id=session.pk, sequence=sequence).first()


def events_before(session: Session, *, before: int | None, kinds: RowFilter = ANY, size: int) -> list[SessionEvent]:
    """Return events before a sequence (None: from the end), the newest first."""
    rows = SessionEvent.objects.filter(kinds.on("kind"), session_id=session.pk).order_by("-sequence")
    if before is not None:
        rows = rows.filter(sequence__lt=before)
    return list(rows[:size])


def _place(after: str) -> tuple[datetime, uuid.UUID] | None:
    moved_at, _, session_id = after.partition(" ")
    try:
        moment, found = parse_datetime(moved_at), uuid.UUID(session_id)
    except (ValueError, OverflowError):
        return None
    return None if moment is None or moment.tzinfo is None else (moment, found)
