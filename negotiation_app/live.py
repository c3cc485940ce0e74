"""The live streams of the negotiations: changes that a page or a client wants to hear of."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Sum

from fabric_app.mesh.changes import Changes
from fabric_app.mesh.streams import Item, item
from negotiation_app.models import Negotiation, NegotiationEntry
from negotiation_app.queries import entry_json


@dataclass(frozen=True)
class NegotiationEntries:
    """The log of a negotiation; it has no end."""

    negotiation_id: uuid.UUID

    @property
    def name(self) -> str:
        return f"negotiation:{self.negotiation_id}#entries"

    def fetch(self, after: int, limit: int) -> list[Item]:
        rows = NegotiationEntry.objects.filter(negotiation_id=self.negotiation_id, sequence__gt=after)
        return [item(row.sequence, entry_json(row)) for row in rows.order_by("sequence")[:limit]]

    def latest(self) -> int:
        found = Negotiation.objects.filter(pk=self.negotiation_id).values_list("log_sequence", flat=True).first()
        return found or 0

    def is_news(self, item_id: int, position: int) -> bool:
        return item_id > position

    def is_over(self, position: int) -> bool:  # the interface's
        return False


@dataclass(frozen=True)
class NegotiationChanges(Changes):
    """Whatever a page of one negotiation shows: its version."""

    negotiation_id: uuid.UUID

    @property
    def name(self) -> str:
        return f"negotiation:{self.negotiation_id}#changes"

    def shown(self) -> dict[str, Any]:
        rows = Negotiation.objects.filter(pk=self.negotiation_id)
        return {"version": rows.values_list("version", flat=True).first()}


@dataclass(frozen=True)
class NegotiationsChanges(Changes):
    """Whatever the list of negotiations shows."""

    name: str = "negotiations"

    def shown(self) -> dict[str, Any]:
        return negotiations_mark()


def negotiations_mark() -> dict[str, Any]:
    """Return a small value that is another one after any write to any negotiation."""
    # A sum of counters that only grow, and a count: any commit changes one of them.
    return dict(Negotiation.objects.aggregate(count=Count("pk"), versions=Sum("version", default=0)))
