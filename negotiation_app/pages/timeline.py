"""The history: its events with their changes and steps, the state as it was, and what differs between two versions."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.http.filters import position as number_in
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.times import moment_in
from fabric_app.mesh.http.values import Pager
from fabric_app.mesh.http.values import moment as moment_of
from negotiation_app.pages.doors import in_negotiation, live_of, readable
from negotiation_app.pages.position import batna_row, event_row, issue_row, strategy_row
from negotiation_app.protocol.wording import differences
from negotiation_app.queries import latest_history, state_document, state_document_at

Json = dict[str, Any]
PAGE_EVENTS = 40


@page
@require_safe
def timeline(request: HttpRequest, ref: str) -> HttpResponse:
    """Show the history events, the newest first."""
    held = readable(request, ref)
    before = number_in(request, "before")
    found = latest_history(held.row, limit=PAGE_EVENTS + 1, before=before)
    shown = found[:PAGE_EVENTS]
    older = address("negotiation-timeline", ref, before=shown[-1]["seq"]) if len(found) > PAGE_EVENTS else ""
    context = {
        **in_negotiation(request, held, "negotiation-timeline"),
        "events": [event_row(held, row) for row in shown],
        "version": held.row.state_version,
        "pager": Pager(newer=address("negotiation-timeline", ref) if before else "", older=older),
    }
    return show(request, "negotiation_app/timeline", context, live="" if before else live_of(held))


@page
@require_safe
def event(request: HttpRequest, ref: str, seq: int) -> HttpResponse:
    """Show one history event: its source, its ten steps, and each change before and after."""
    held = readable(request, ref)
    found = latest_history(held.row, limit=1, before=seq + 1)
    if not found or found[0]["seq"] != seq:
        raise NotFound(what="history event", name=str(seq))
    row = found[0]
    context = {
        **in_negotiation(request, held, ""),
        "event": event_row(held, row),
        "steps": row["steps"],
        "raw": [
            {"field": each["field"], "before": _pretty(each.get("before")), "after": _pretty(each.get("after"))}
            for each in row["changes"]
        ],
    }
    return show(request, "negotiation_app/event", context)


@page
@require_safe
def past(request: HttpRequest, ref: str) -> HttpResponse:
    """Show the position at a version, and in words what differs between two versions."""
    held = readable(request, ref)
    latest = held.row.state_version
    moment = moment_in(request.GET.get("at", ""))
    if moment is None:
        version = min(number_in(request, "version") or latest, latest)
    else:
        version = state_document_at(held.row, moment=min(moment, timezone.now()))["negotiation"]["stateVersion"]
    other = min(number_in(request, "against") or latest, latest)
    then = state_document(held.row, now=timezone.now(), version=version)
    now = state_document(held.row, now=timezone.now(), version=other)
    context = {
        **in_negotiation(request, held, ""),
        "version": version,
        "against": other,
        "latest": latest,
        "at": moment_of(moment),
        "issues": [issue_row(then, issue) for issue in then["issues"]],
        "batna": batna_row(then),
        "strategy": strategy_row(then),
        "differences": differences(then, now) if version <= other else differences(now, then),
    }
    return show(request, "negotiation_app/past", context)


def _pretty(value: Any) -> str:
    return "" if value is None else dumps(value)
