"""Times on the wire: milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime


def to_ms(moment: datetime) -> int:
    """Return an aware datetime as milliseconds since 1970."""
    return int(moment.timestamp() * 1000)


def from_ms(milliseconds: int) -> datetime:
    """Return milliseconds since 1970 as an aware datetime in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
