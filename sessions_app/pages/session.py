"""The page of a session: its messages beside its state, what the last turn changed, what is in quarantine."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from fabric_app.mesh.http.filters import position
from fabric_app.mesh.http.forms import KEY, new_key
from fabric_app.mesh.http.pages import address, page, show, tail
from fabric_app.mesh.http.values import Field, Pager, moment
from sessions_app.access import CORRECT, holds, reader_of
from sessions_app.live import SessionChanges
from sessions_app.models import Session
from sessions_app.pages.doors import in_session, live_of, readable
from sessions_app.pages.entity_rows import entity_row
from sessions_app.pages.event_rows import audit_of
from sessions_app.pages.message_rows import PAGE_MESSAGES, message_rows
from sessions_app.pages.state_panel import last_turn, panels_of
from sessions_app.queries import settled
from sessions_app.queries_pages import last_commit, quarantined_of
from sessions_app.stored_state import stored_projection

Json = dict[str, Any]
SHOWN_QUARANTINED = 20


@page
@require_safe
def session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show a session: what was said beside what holds."""
    return session_page(request, readable(request, session_id))


@page
@require_safe
def live(request: HttpRequest, session_id: uuid.UUID) -> HttpResponseBase:
    """Stream `changed` whenever a page of the session may show something else."""
    found = readable(request, session_id)
    return tail(request, SessionChanges(found.pk), still_readable=reader_of(found))


def session_page(
    request: HttpRequest, found: Session, *, fields: list[Field] | None = None, problem: Any = None, status: int = 200
) -> HttpResponse:
    """Return the page of a session; fields, problem: of a message that was refused, with what was typed."""
    before = position(request, "before")
    found, told = settled(found, lambda session: _told(session, before))
    context = {
        **in_session(request, found, "session"),
        **told,
        "moved_at": moment(found.updated_at),
        "fields": say_fields(request, found) if fields is None else fields,
        "problem": problem,
        KEY: new_key(),
    }
    return show(request, "sessions_app/session", context, live=live_of(found), status=status)


def say_fields(
    request: HttpRequest, session: Session, *, role: str = "user", name: str = "", text: str = ""
) -> list[Field]:
    """Return the controls of a new message."""
    roles = [("user", "user: what the player says"), ("assistant", "assistant: a reply without changes")]
    if holds(request.user, CORRECT, session):
        roles.append(("host", "host: a note of whoever runs this"))
    return [
        Field("text", "Text", text, kind="textarea", rows=3, required=True),
        Field("role", "Who speaks", role, kind="select", required=True, choices=tuple(roles)),
        Field("name", "Name", name, help="As it is shown; empty for none."),
    ]


def _told(session: Session, before: int | None) -> Json:
    rows = message_rows(session, before=before, size=PAGE_MESSAGES + 1)
    shown = rows[-PAGE_MESSAGES:]
    turn, marks = last_turn(session, last_commit(session))
    projection = stored_projection(session)
    quarantined = quarantined_of(session, size=SHOWN_QUARANTINED + 1)
    return {
        "messages_shown": shown,
        "is_earlier_page": before is not None,
        "pager": Pager(
            newer=address("session", session.pk) if before is not None else "",
            older=address("session", session.pk, before=shown[0].number) if len(rows) > PAGE_MESSAGES else "",
        ),
        "turn": turn,
        "panels": panels_of(session, projection, marks),
        "quarantined": [entity_row(each) for each in quarantined[:SHOWN_QUARANTINED]],
        "is_more_quarantined": len(quarantined) > SHOWN_QUARANTINED,
        **audit_of(session),
    }
