"""A filter of rows by the values of one column."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q


@dataclass(frozen=True)
class RowFilter:
    """Values of one column to show, and values to leave out."""

    wanted: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def on(self, column: str) -> Q:
        """Return the condition for a column."""
        shown = Q(**{f"{column}__in": self.wanted}) if self.wanted else Q()
        return shown & ~Q(**{f"{column}__in": self.without}) if self.without else shown


ANY = RowFilter()
