"""What the pages of sessions share: finding the session, what each prints of it, and the version that a form names."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import Tab
from sessions_app.access import ADD, CORRECT, ERASE, READ, REPAIR, WRITE, holds, session_for
from sessions_app.models import Session

Json = dict[str, Any]
PLACE = "sessions"
MAX_DIGITS = 18
TABS = (
    ("Session", "session"),
    ("Timeline", "session-timeline"),
    ("Conditions", "session-conditions"),
    ("World books", "session-books"),
    ("Settings", "session-settings"),
)


def readable(request: HttpRequest, session_id: uuid.UUID, permission: str = READ) -> Session:
    """Return the session where the account holds the permission. Raises NotFound, NotPermitted."""
    return session_for(request.user, session_id, permission)


def in_session(request: HttpRequest, session: Session, here: str) -> Json:
    """Return what every page of a session prints: its name, its tabs, and what the account may do."""
    return {
        "session": session,
        "place": PLACE,
        "title": session.title,
        "tabs": [Tab(word, address(name, session.pk), name == here) for word, name in TABS],
        "may_write": holds(request.user, WRITE, session),
        "may_correct": holds(request.user, CORRECT, session),
        "may_repair": holds(request.user, REPAIR, session),
        "may_erase": holds(request.user, ERASE, session),
        "may_fork": request.user.has_perm(f"sessions_app.{ADD}"),
    }


def live_of(session: Session) -> str:
    """Return the address of the stream that tells when a page of the session has to be fetched again."""
    return address("session-live", session.pk)


def by_whom(request: HttpRequest) -> Json:
    """Return what every operation is told of the caller."""
    return {"actor": actor_of(request.user), "now": timezone.now()}


def on(request: HttpRequest, session: Session) -> Json:
    """Return what every operation on a session is told."""
    return {"session_id": session.pk, **by_whom(request)}


def number_in(request: HttpRequest, name: str) -> int:
    """Return the version or revision that a form carries; -1, which is none, where it carries no number."""
    given = request.POST.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) <= MAX_DIGITS else -1
