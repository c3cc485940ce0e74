"""A page of what waits in all negotiations that an account may see; it is settled on the negotiators' own pages."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest, HttpResponse

from fabric_app.mesh.admin.cells import plain
from fabric_app.mesh.admin.reading import BoundedPaginator
from fabric_app.mesh.http.pages import address
from negotiation_app.access import visible_negotiations
from negotiation_app.admin.showing import show
from negotiation_app.models import CurrentRow
from negotiation_app.protocol.row_words import content_of
from negotiation_app.protocol.value_words import word
from negotiation_app.queries_needs import waiting_rows

Json = dict[str, Any]
ROWS_A_PAGE = 50
_PAGES = {"contradictions": "negotiation-contradiction", "patches": "negotiation-patch"}


def waiting(request: HttpRequest) -> HttpResponse:
    """List open contradictions, and patches that are to be reconciled or run again."""
    page = BoundedPaginator(waiting_rows(visible_negotiations(request.user)), ROWS_A_PAGE).get_page(
        request.GET.get("page")
    )
    rows = [_told(row) for row in page]
    return show(request, "waiting", title="Open contradictions and patches", rows=rows, page=page)


def _told(row: CurrentRow) -> Json:
    stored = _read(row.text)  # type: ignore[attr-defined]
    return {
        "negotiation": row.negotiation,
        "key": row.key,
        "address": address(_PAGES[row.table], row.negotiation.ref, row.key),
        "kind": word(row.table),
        "says": None if stored is None else plain(content_of(stored)),
        "status": None if stored is None else word(stored.get("status")),
    }


def _read(text: str) -> Json | None:
    """Return the row as it is stored, None where it is no row."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
