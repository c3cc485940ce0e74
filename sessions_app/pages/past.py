"""The state as it was after an event, and what is different between any two places of the log."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from fabric_app.mesh.http.filters import position
from fabric_app.mesh.http.pages import address, page, show
from sessions_app.models import Session
from sessions_app.pages.changes_view import groups_of
from sessions_app.pages.doors import in_session, readable
from sessions_app.pages.event_rows import event_row
from sessions_app.pages.state_panel import panels_of
from sessions_app.protocol.comparing import namespace_differences
from sessions_app.protocol.projection import EMPTY, Projection
from sessions_app.queries import settled
from sessions_app.queries_pages import event_at
from sessions_app.stored_state import projection_at, stored_projection

Json = dict[str, Any]


@page
@require_safe
def past(request: HttpRequest, session_id: uuid.UUID, sequence: int) -> HttpResponse:
    """Show the state as it was after an event, and what is different now."""
    session = readable(request, session_id)

    def read(session: Session) -> tuple[Projection, Projection]:
        return projection_at(session, sequence)[1], stored_projection(session)

    session, (then, now) = settled(session, read)
    row = event_at(session, sequence)
    context = {
        **in_session(request, session, "session-timeline"),
        "title": f"{session.title} after event {sequence}",
        "event": None if row is None else event_row(row),
        "sequence": sequence,
        "revision": then.revision,
        "panels": panels_of(session, then, at=sequence),
        "groups": groups_of(namespace_differences(then, now)),
        "earlier": address("session-past", session.pk, sequence - 1) if sequence > 1 else "",
        "later": address("session-past", session.pk, sequence + 1) if sequence < session.log_sequence else "",
        "last": session.log_sequence,
    }
    return show(request, "sessions_app/past", context)


@page
@require_safe
def compare(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show what is different between the states after two events (`from`, `to`); without them, a form to choose."""
    session = readable(request, session_id)
    last = session.log_sequence
    first = min(position(request, "from") or max(last - 1, 1), last)
    second = min(position(request, "to") or last, last)

    def read(session: Session) -> tuple[Projection, Projection]:
        return _at(session, first), _at(session, second)

    session, (before, after) = settled(session, read)
    context = {
        **in_session(request, session, "session-timeline"),
        "title": f"Compare two states of {session.title}",
        "first": first,
        "second": second,
        "last": last,
        "revision": {"before": before.revision, "after": after.revision},
        "first_address": address("session-past", session.pk, first),
        "second_address": address("session-past", session.pk, second),
        "groups": groups_of(namespace_differences(before, after)),
    }
    return show(request, "sessions_app/compare", context)


def _at(session: Session, sequence: int) -> Projection:
    return projection_at(session, sequence)[1] if sequence else EMPTY
