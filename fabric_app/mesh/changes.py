"""Change streams: they tell a page when to fetch itself again.

A change stream does not list what happened; it says `changed` whenever what a page would show is different from what it
was at the position, so that nothing is missed whatever order transactions become visible in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.streams import Item, item

# How far back a change of an older row is noticed.
WATCHED_ROWS = 30


class Changes:
    """Base of the change streams: an item is there as long as the position is not the fingerprint of now."""

    def fetch(self, after: int, limit: int) -> list[Item]:  # the interface's
        shown = self.shown()
        position = fingerprint(shown)
        return [] if position == after else [item(position, shown, event="changed")]

    def latest(self) -> int:
        return fingerprint(self.shown())

    def is_news(self, item_id: int, position: int) -> bool:
        return item_id != position

    def is_over(self, position: int) -> bool:  # the interface's
        return False

    def shown(self) -> dict[str, Any]:
        """Return what a page depends on, small."""
        raise NotImplementedError  # each kind of change says what it depends on


def fingerprint(shown: dict[str, Any]) -> int:
    """Return a positive number below 2**53 that stands for the value."""
    return int.from_bytes(hashlib.sha256(dumps(shown).encode()).digest()[:8], "big") >> 11 or 1


def rows_mark(rows: Any) -> str:
    """Return a short digest of the newest rows."""
    newest: Iterable[tuple[Any, ...]] = rows[:WATCHED_ROWS]
    return hashlib.sha256(repr([tuple(map(str, row)) for row in newest]).encode()).hexdigest()[:12]
