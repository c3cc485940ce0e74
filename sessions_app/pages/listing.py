"""The list of sessions: by latest move, filtered by title, with what needs a person."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from fabric_app.mesh.http.filters import flag, values_of
from fabric_app.mesh.http.pages import address, page, show, tail
from fabric_app.mesh.http.values import Pager, moment
from sessions_app.access import ADD
from sessions_app.live import SessionsChanges
from sessions_app.models import Session
from sessions_app.pages.doors import PLACE
from sessions_app.pages.states import QUARANTINED
from sessions_app.queries import sessions_json
from sessions_app.queries_pages import moved_place, sessions_moved

Json = dict[str, Any]
PAGE_SESSIONS = 40


@page
@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Show the sessions that the account can read, the last moved first."""
    title = next(iter(values_of(request, "title")), "")
    after = next(iter(values_of(request, "after")), "")
    is_narrow = flag(request, "quarantined")
    found = sessions_moved(request.user, title=title, quarantined=is_narrow, after=after, size=PAGE_SESSIONS + 1)
    shown = found[:PAGE_SESSIONS]
    query = {"title": title, "quarantined": "true" if is_narrow else ""}
    context = {
        "title": "Sessions",
        "place": PLACE,
        "filter": query,
        "sessions": session_rows(shown),
        "may_create": request.user.has_perm(f"sessions_app.{ADD}"),
        "pager": Pager(
            newer=address("sessions", **query) if after else "",
            older=address("sessions", **query, after=moved_place(shown[-1])) if len(found) > PAGE_SESSIONS else "",
        ),
    }
    return show(request, "sessions_app/sessions", context, live=address("sessions-live"))


@page
@require_safe
def live(request: HttpRequest) -> HttpResponseBase:
    """Stream `changed` whenever the list may show something else."""
    return tail(request, SessionsChanges())


def session_rows(sessions: list[Session]) -> list[Json]:
    """Return sessions as lists print them: two queries, however many they are."""
    return [
        {
            "address": address("session", row.pk),
            "title": row.title,
            "revision": row.revision,
            "messages": told["messageCount"],
            "quarantined": told["quarantinedCount"],
            "state": QUARANTINED,
            "at": moment(row.updated_at),
            "is_imported": row.origin is not None,
        }
        for row, told in zip(sessions, sessions_json(sessions), strict=True)
    ]
