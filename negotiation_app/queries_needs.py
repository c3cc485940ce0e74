"""What needs a person in negotiations, counted from the current rows: no log is read."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast

from negotiation_app.models import CurrentRow, Negotiation

# Rows that wait for somebody, by the text that their stored JSON has.
_CONFLICTS_AND_PATCHES = (
    Q(table="contradictions", text__contains='"status":"OPEN"')
    | Q(table="patches", text__contains='"status":"SUBMITTED"')
    | Q(table="patches", text__contains='"status":"PARKED"')
)
_OPEN = (
    _CONFLICTS_AND_PATCHES
    | Q(table="judgements", text__contains='"status":"STALE"')
    | Q(table="judgements", text__contains='"status":"NEEDS_REVIEW"')
    | Q(table="notifications", text__contains='"acknowledgedAt":null')
)


def needs_count(negotiations: Iterable[Negotiation]) -> dict[uuid.UUID, int]:
    """Return how many rows of each negotiation wait for somebody."""
    rows: Any = CurrentRow.objects.filter(negotiation__in=list(negotiations))
    open_rows = rows.annotate(text=Cast("row", TextField())).filter(_OPEN)
    return dict(open_rows.values_list("negotiation").annotate(Count("pk")).order_by())


def waiting_rows(negotiations: QuerySet[Negotiation]) -> QuerySet[CurrentRow]:
    """Return open contradictions and patches that wait, by negotiation; what is stored is read as `text` alone."""
    rows: QuerySet[CurrentRow] = CurrentRow.objects.filter(negotiation__in=negotiations).defer("row")
    found: QuerySet[CurrentRow] = rows.annotate(text=Cast("row", TextField())).filter(_CONFLICTS_AND_PATCHES)
    return found.select_related("negotiation").order_by("negotiation__ref", "table", "id")
