"""Times on the wire: ISO 8601 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment_in(text: str) -> datetime | None:
    """Return the moment that an ISO 8601 text with an offset names, in UTC; None for any other text."""
    try:
        moment = parse_datetime(text)
        return moment.astimezone(UTC) if moment is not None and moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
