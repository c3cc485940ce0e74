"""The log of a session as people read it: events newest first, one event with what it did, all of it to download."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.http.filters import FilterField, filter_bar, kept_query, position, row_filter
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Pager
from sessions_app.models import Session
from sessions_app.pages.changes_view import changed_rows, groups_of
from sessions_app.pages.doors import in_session, live_of, readable
from sessions_app.pages.entity_rows import moves_of
from sessions_app.pages.event_rows import event_row
from sessions_app.pages.printing import RAW_CHARS, pretty
from sessions_app.pages.state_panel import diagnostic_rows
from sessions_app.protocol.events import EventKind
from sessions_app.queries import event_json, event_page, event_with_changes, settled
from sessions_app.queries_pages import event_at, events_before

Json = dict[str, Any]
PAGE_EVENTS = 40
RAW_EVENTS = 10
RAW_EACH = 8_000
PART_EVENTS = 100


@page
@require_safe
def timeline(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show the events of a session, newest first: as rows, or raw (`view=raw`)."""
    session = readable(request, session_id)
    is_raw = request.GET.get("view") == "raw"
    before = position(request, "before")
    size = RAW_EVENTS if is_raw else PAGE_EVENTS
    found = events_before(session, before=before, kinds=row_filter(request, "kind"), size=size + 1)
    shown = found[:size]
    query = {**kept_query(request, "kind"), "view": "raw" if is_raw else ""}
    bar = filter_bar(
        request,
        (FilterField("kind", "Kind", choices=tuple(EventKind)),),
        kept=[("view", "raw")] if is_raw else (),
    )
    context = {
        **in_session(request, session, "session-timeline"),
        "title": f"Timeline of {session.title}",
        "bar": bar,
        "is_filtered": bar.is_narrow,
        "is_raw": is_raw,
        "rows_address": address("session-timeline", session.pk, **{**query, "view": ""}, before=before),
        "raw_address": address("session-timeline", session.pk, **{**query, "view": "raw"}, before=before),
        "events": [] if is_raw else [event_row(each) for each in shown],
        "raw": [(each.sequence, pretty(event_json(each), most=RAW_EACH)) for each in shown] if is_raw else [],
        "pager": Pager(
            newer=address("session-timeline", session.pk, **query) if before else "",
            older=address("session-timeline", session.pk, **query, before=shown[-1].sequence)
            if len(found) > size
            else "",
        ),
    }
    return show(request, "sessions_app/timeline", context, live=live_of(session))


@page
@require_safe
def event(request: HttpRequest, session_id: uuid.UUID, sequence: int) -> HttpResponse:
    """Show one event: who, when, why, what it did to entities and to the state, and how it is stored."""
    session = readable(request, session_id)
    row = event_at(session, sequence)
    if row is None:
        raise NotFound(what="event", name=str(sequence))
    session, told = settled(session, lambda session: event_with_changes(session, row))
    data = row.data if isinstance(row.data, dict) else {}
    stored = pretty(event_json(row), most=RAW_CHARS)
    context = {
        **in_session(request, session, "session-timeline"),
        "title": f"Event {sequence} of {session.title}",
        "event": event_row(row),
        "message": data.get("message"),
        "turn": data.get("turn"),
        "digest": row.digest,
        "previous_digest": row.previous_digest,
        "revision": told["revision"],
        "groups": groups_of(told["changes"]),
        "changed": changed_rows(data.get("changed") or ()),
        "diagnostics": diagnostic_rows(data.get("diagnostics") or ()),
        "moves": moves_of(session.pk, data.get("entities") or {}),
        "cancelled": data.get("cancelledTurns") or [],
        "stored": stored,
        "whole_address": address("session-event-file", session.pk, sequence) if stored.left else "",
        "state_address": address("session-past", session.pk, sequence),
        "earlier": address("session-event", session.pk, sequence - 1) if sequence > 1 else "",
        "later": address("session-event", session.pk, sequence + 1) if sequence < session.log_sequence else "",
    }
    return show(request, "sessions_app/event", context)


@page
@require_safe
def event_file(request: HttpRequest, session_id: uuid.UUID, sequence: int) -> HttpResponseBase:
    """Send one event whole, as JSON in the form of the API."""
    session = readable(request, session_id)
    row = event_at(session, sequence)
    if row is None:
        raise NotFound(what="event", name=str(sequence))
    headers = {"Content-Disposition": f'attachment; filename="session-{session.pk}-event-{sequence}.json"'}
    return HttpResponse(_bytes(event_json(row)), content_type="application/json", headers=headers)


@page
@require_safe
def download(request: HttpRequest, session_id: uuid.UUID) -> HttpResponseBase:
    """Send the whole log as JSON, an event a line, in the form of the API."""
    session = readable(request, session_id)
    headers = {"Content-Disposition": f'attachment; filename="session-{session.pk}-events.jsonl"'}
    return StreamingHttpResponse(_all_events(session), content_type="application/x-ndjson", headers=headers)


def _all_events(session: Session) -> Iterator[bytes]:
    after = 0
    while found := event_page(session, after=after, limit=PART_EVENTS):
        after = found[-1].sequence
        yield b"".join(_bytes(event_json(each)) + b"\n" for each in found)


def _bytes(value: Any) -> bytes:
    return dumps(value).encode("utf-8", "replace")
