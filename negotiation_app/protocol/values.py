"""Values: tagged objects, stored as they were stated. `value_forms` reads them, `comparison` compares them.

Source: section 4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import cached_property
from typing import Any

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FRACTION = re.compile(r"\.[0-9]+")


@dataclass(frozen=True)
class Value:
    """One value; `type` is its tag, `members` are the others as they are stored."""

    type: str
    members: tuple[tuple[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the value as it is stored and sent."""
        return {"type": self.type, **{name: _sent(member) for name, member in self.members}}

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        return dict(self.members)

    def get(self, name: str) -> Any:
        return self.fields.get(name)


def calendar_day(value: Value) -> date | None:
    """Return the day of a date, of an instant the day at its own offset; None for what is no date."""
    return date.fromisoformat(value.get("value")[:10]) if value.type == "date" else None


def instant_of(value: Value) -> tuple[datetime, Fraction] | None:
    """Return the whole second and the rest of it that an instant names; None for a day and for what is no date."""
    text = value.get("value")
    return None if value.type != "date" or DAY.fullmatch(text) else parsed_instant(text)


def parsed_instant(text: str) -> tuple[datetime, Fraction]:
    """Return the second at its own offset and the rest of it, exact to any digit. Raises ValueError."""
    fraction = _FRACTION.search(text)
    second = datetime.fromisoformat(_FRACTION.sub("", text.upper()))
    return second, Fraction(0) if fraction is None else Fraction(f"0{fraction[0]}")


def _sent(member: Any) -> Any:
    return member.as_json() if isinstance(member, Value) else member
