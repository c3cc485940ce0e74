"""As-ofs: when a statement holds. Absent is always; a period holds from its first to its last moment, in UTC.

`2026`, `2026-Q1`, `2026-03`, `2026-03-14`, an instant, or `{from?, to?}` of these, both included. Source: section 4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from negotiation_app.protocol import refusals
from negotiation_app.protocol.forms import Problems, note
from negotiation_app.protocol.times import moment

FORMAT = refusals.ValueFormat.code
_PERIOD = re.compile(r"(?P<year>[0-9]{4})(-Q(?P<quarter>[1-4])|-(?P<month>[0-9]{2})(-(?P<day>[0-9]{2}))?)?")
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_LONGEST = len("2026-03-14T12:00:00.000000000+00:00")
_TICK = timedelta(microseconds=1)
_SAYS = "has to be a period (2026, 2026-Q1, 2026-03, 2026-03-14), an instant with an offset, or {from?, to?} of these"


@dataclass(frozen=True)
class Interval:
    """From its first to its last moment, both included; None for no end on that side."""

    start: datetime | None = None
    end: datetime | None = None


ALWAYS = Interval()


def read_as_of(raw: Any, path: str, problems: Problems) -> Any:
    """Return an as-of as it was stated, or None and a problem (VALUE_FORMAT) with its place."""
    if _is_moment(raw):
        return raw
    if isinstance(raw, dict) and raw.keys() <= {"from", "to"}:
        ends = {name: each for name, each in raw.items() if each is not None}
        if ends and all(map(_is_moment, ends.values())) and _is_forward(ends):
            return ends
    return note(problems, path, _SAYS, FORMAT)


def interval(as_of: Any) -> Interval:
    """Return the interval of a stored as-of, None for always."""
    if as_of is None:
        return ALWAYS
    if isinstance(as_of, str):
        return _held(as_of) or ALWAYS
    begins, ends = as_of.get("from"), as_of.get("to")
    return Interval(
        None if begins is None else (_held(begins) or ALWAYS).start,
        None if ends is None else (_held(ends) or ALWAYS).end,
    )


def _is_moment(raw: Any) -> bool:
    return isinstance(raw, str) and len(raw) <= _LONGEST and _held(raw) is not None


def _is_forward(ends: dict[str, str]) -> bool:
    held = interval(ends)
    return held.start is None or held.end is None or held.start <= held.end


@lru_cache(maxsize=4096)
def _held(text: str) -> Interval | None:
    """Return the interval of a period or instant, None for what is neither."""
    try:
        if _INSTANT.fullmatch(text):
            at = moment(text)
            return Interval(at, at)
        found = _PERIOD.fullmatch(text)
        return None if found is None else _period(found)
    except (ValueError, OverflowError):
        return None


def _period(found: re.Match[str]) -> Interval:
    year = int(found["year"])
    if found["day"]:
        start = datetime(year, int(found["month"]), int(found["day"]), tzinfo=UTC)
        return Interval(start, start + timedelta(days=1) - _TICK)
    first = (int(found["quarter"]) - 1) * 3 + 1 if found["quarter"] else int(found["month"] or 1)
    months = 3 if found["quarter"] else 1 if found["month"] else 12
    start = datetime(year, first, 1, tzinfo=UTC)
    return Interval(start, _months_later(start, months) - _TICK)


def _months_later(start: datetime, months: int) -> datetime:
    years, month = divmod(start.month - 1 + months, 12)
    return start.replace(year=start.year + years, month=month + 1)
