"""What sessions put on the home page: what is in quarantine, counts, and those that moved lately."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from fabric_app.mesh.http.home import HomePart
from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import Need
from sessions_app.access import visible_sessions
from sessions_app.live import sessions_mark
from sessions_app.models import Entity
from sessions_app.pages.listing import session_rows
from sessions_app.pages.states import QUARANTINED
from sessions_app.protocol.events import EntityStatus
from sessions_app.queries_pages import quarantined_in, sessions_moved

LATELY = 6
SHOWN_NEEDS = 20
REASON_CHARS = 300


def home_part(request: HttpRequest) -> HomePart:
    """Return the sessions' part of the home page: a number of queries that does not grow."""
    visible = visible_sessions(request.user)
    held = Entity.objects.filter(status=EntityStatus.QUARANTINED, session__in=visible.order_by().values("pk"))
    return HomePart(
        template="sessions_app/parts/home.html",
        context={"sessions": session_rows(sessions_moved(request.user, size=LATELY))},
        needs=[_need(entity) for entity in quarantined_in(visible.order_by().values("pk"), size=SHOWN_NEEDS)],
        counts=[
            {"word": "sessions", "number": visible.count()},
            {"word": "entities in quarantine", "number": held.count()},
        ],
    )


def home_mark() -> Any:
    """Return a small value that is another one after any write to any session."""
    return sessions_mark()


def _need(entity: Entity) -> Need:
    reason = entity.reason if isinstance(entity.reason, dict) else {}
    said = str(reason.get("message", ""))[:REASON_CHARS]
    return Need(
        QUARANTINED,
        f"{entity.session.title}: entity {entity.sequence} is in quarantine",
        address("session", entity.session_id),
        f"{said} Release it once what it needs is there, or skip it.",
    )
