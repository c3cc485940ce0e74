"""The live streams of the sessions: a session's events, and changes that a page wants to hear of.

| stream | woken by | position |
|---|---|---|
| `SessionEvents` | `session:<id>` | sequence of the event |
| `SessionChanges`, `SessionsChanges` | `session:<id>`, `sessions` | a fingerprint of what is shown |
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Sum

from fabric_app.mesh.changes import Changes
from fabric_app.mesh.streams import Item, item
from sessions_app.models import Session, SessionEvent, WorldBook
from sessions_app.queries import event_json


@dataclass(frozen=True)
class SessionEvents:
    """The events of a session; over once it is erased."""

    session_id: uuid.UUID

    @property
    def name(self) -> str:
        return f"session:{self.session_id}#events"

    def fetch(self, after: int, limit: int) -> list[Item]:
        rows = SessionEvent.objects.filter(session_id=self.session_id, sequence__gt=after).order_by("sequence")[:limit]
        return [item(row.sequence, event_json(row)) for row in rows]

    def latest(self) -> int:
        return Session.objects.filter(pk=self.session_id).values_list("log_sequence", flat=True).first() or 0

    def is_news(self, item_id: int, position: int) -> bool:
        return item_id > position

    def is_over(self, position: int) -> bool:  # the interface's
        return not Session.objects.filter(pk=self.session_id).exists()


@dataclass(frozen=True)
class SessionChanges(Changes):
    """Whatever a page of one session shows: `{version, books}`."""

    session_id: uuid.UUID

    @property
    def name(self) -> str:
        return f"session:{self.session_id}#changes"

    def shown(self) -> dict[str, Any]:
        version = Session.objects.filter(pk=self.session_id).values_list("version", flat=True).first()
        return {"version": version, "books": books_mark()}


@dataclass(frozen=True)
class SessionsChanges(Changes):
    """Whatever the lists of sessions and world books show."""

    name: str = "sessions"

    def shown(self) -> dict[str, Any]:
        return sessions_mark()


def sessions_mark() -> dict[str, Any]:
    """Return a small value that is another one after any write to any session or book."""
    # A sum of counters that only grow, and a count: any commit changes one of them.
    sessions = Session.objects.aggregate(count=Count("pk"), versions=Sum("version", default=0))
    return {**sessions, "books": books_mark()}


def books_mark() -> int:
    marked: int = WorldBook.objects.aggregate(versions=Sum("version", default=0))["versions"]
    return marked
