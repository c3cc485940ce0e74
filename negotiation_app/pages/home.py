"""What negotiations put on the home page."""

from __future__ import annotations

from django.http import HttpRequest

from fabric_app.mesh.http.home import HomePart
from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import Need, moment
from negotiation_app.access import visible_negotiations
from negotiation_app.pages.doors import state_of
from negotiation_app.pages.listing import rows
from negotiation_app.queries_needs import needs_count

SHOWN = 8


def home_part(request: HttpRequest) -> HomePart:
    """Return the negotiations that were moved last, and those in which something waits."""
    visible = list(visible_negotiations(request.user).order_by("-updated_at", "id")[:SHOWN])
    counts = needs_count(visible)
    needs = [
        Need(
            state_of("OPEN"),
            f"{row.title}: {counts[row.pk]} wait{'s' if counts[row.pk] == 1 else ''} for somebody",
            address("negotiation", row.ref),
            "Open contradictions, patches, judgements to be looked at again, or notifications.",
            moment(row.updated_at),
        )
        for row in visible
        if counts.get(row.pk)
    ]
    active = sum(row.status == "ACTIVE" for row in visible)
    counted = [{"word": "active negotiations", "number": active}] if visible else []
    return HomePart("negotiation_app/home.html", {"negotiations": rows(visible)}, needs, counted)
