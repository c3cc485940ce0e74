"""What needs a person in negotiations, counted from the current rows: no log is read."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q, TextField
from django.db.models.functions import Cast

from negotiation_app.models import CurrentRow, Negotiation

# Rows that wait for somebody, by the text that their stored JSON has.
_OPEN = (
    Q(table="contradictions", text__contains='"status":"OPEN"')
    | Q(table="patches", text__contains='"status":"SUBMITTED"')
    | Q(table="patches", text__contains='"status":"PARKED"')
    | Q(table="judgements", text__contains='"status":"STALE"')
    | Q(table="judgements", text__contains='"status":"NEEDS_REVIEW"')
    | Q(table="notifications", text__contains='"acknowledgedAt":null')
)


def needs_count(negotiations: Iterable[Negotiation]) -> dict[uuid.UUID, int]:
    """Return how many rows of each negotiation wait for somebody."""
    rows: Any = CurrentRow.objects.filter(negotiation__in=list(negotiations))
    open_rows = rows.annotate(text=Cast("row", TextField())).filter(_OPEN)
    return dict(open_rows.values_list("negotiation").annotate(Count("pk")).order_by())
