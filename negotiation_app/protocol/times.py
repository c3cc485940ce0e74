"""Moments: as texts in rows, as datetimes where they are compared. Source: sections 1, 4 and 12.2."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from negotiation_app.protocol import refusals
from negotiation_app.protocol.forms import Problems, note

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(_DAY.pattern + r"[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})")


def stamp(moment_: datetime) -> str:
    """Return an aware datetime as RFC 3339 text in UTC."""
    return moment_.astimezone(UTC).isoformat().replace("+00:00", "Z")


@lru_cache(maxsize=4096)
def moment(text: str) -> datetime:
    """Return the instant that a stored text names. Raises ValueError."""
    return datetime.fromisoformat(text.upper()).astimezone(UTC)


@lru_cache(maxsize=4096)
def last_moment(text: str) -> datetime:
    """Return the end of what the text names: an instant itself, a day through its end in UTC. Raises ValueError."""
    if _DAY.fullmatch(text):
        return datetime.combine(date.fromisoformat(text), time.max, tzinfo=UTC)
    return moment(text)


def instant(raw: Any, path: str, problems: Problems) -> Any:
    """Read an RFC 3339 instant with its offset; it is kept as stated."""
    if isinstance(raw, str) and _INSTANT.fullmatch(raw) and _exists(raw):
        return raw
    return note(problems, path, "has to be an RFC 3339 instant with an offset", refusals.ValueFormat.code)


def day_or_instant(raw: Any, path: str, problems: Problems) -> Any:
    if isinstance(raw, str) and (_DAY.fullmatch(raw) or _INSTANT.fullmatch(raw)) and _exists(raw):
        return raw
    return note(problems, path, "has to be a date or an RFC 3339 instant with an offset", refusals.ValueFormat.code)


def _exists(text: str) -> bool:
    try:
        last_moment(text) + timedelta(days=1)
    except (ValueError, OverflowError):
        return False
    return True
