"""The list of negotiations, by ref, filtered by status, with what needs a decision."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from fabric_app.mesh.http.filters import values_of
from fabric_app.mesh.http.pages import address, page, show, tail
from fabric_app.mesh.http.values import Pager, moment
from negotiation_app.access import ADD
from negotiation_app.live import NegotiationsChanges
from negotiation_app.models import Negotiation
from negotiation_app.pages.doors import PLACE, state_of
from negotiation_app.protocol.names import Status
from negotiation_app.queries import negotiation_page
from negotiation_app.queries_needs import needs_count

Json = dict[str, Any]
PAGE = 40


@page
@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Show the negotiations in which the account has a role."""
    status = next((each for each in values_of(request, "status") if each in set(Status)), "")
    after = next(iter(values_of(request, "after")), "")
    found = negotiation_page(request.user, after=after or None, limit=PAGE + 1, status=status or None)
    shown = found[:PAGE]
    context = {
        "title": "Negotiations",
        "place": PLACE,
        "filter": {"status": status},
        "statuses": [each.value for each in Status],
        "negotiations": rows(shown),
        "may_create": request.user.has_perm(f"negotiation_app.{ADD}"),
        "pager": Pager(
            newer=address("negotiations", status=status) if after else "",
            older=address("negotiations", status=status, after=shown[-1].ref) if len(found) > PAGE else "",
        ),
    }
    return show(request, "negotiation_app/negotiations", context, live=address("negotiations-live"))


@page
@require_safe
def live(request: HttpRequest) -> HttpResponseBase:
    """Stream `changed` whenever the list may show something else."""
    return tail(request, NegotiationsChanges())


def rows(negotiations: list[Negotiation]) -> list[Json]:
    """Return negotiations as lists print them: one query more, however many they are."""
    counts = needs_count(negotiations)
    return [
        {
            "address": address("negotiation", row.ref),
            "ref": row.ref,
            "title": row.title,
            "status": state_of(row.status),
            "mode": row.mode.lower(),
            "version": row.state_version,
            "needs": counts.get(row.pk, 0),
            "at": moment(row.updated_at),
        }
        for row in negotiations
    ]
