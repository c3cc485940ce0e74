"""Units and their families: what can be converted into what, exactly.

A unit outside of the families is a family of its own, and equal to itself alone. Source: section 4.
"""

from __future__ import annotations

from fractions import Fraction

_FAMILIES: dict[str, dict[str, Fraction]] = {
    "mass": {"g": Fraction(1), "kg": Fraction(1000), "t": Fraction(1_000_000), "lb": Fraction("453.59237")},
    "length": {
        "mm": Fraction(1),
        "cm": Fraction(10),
        "m": Fraction(1000),
        "km": Fraction(1_000_000),
        "in": Fraction("25.4"),
        "ft": Fraction("304.8"),
        "mi": Fraction("1609344"),
    },
    "area": {"m2": Fraction(1), "ft2": Fraction("0.09290304"), "ha": Fraction(10_000)},
    "volume": {"l": Fraction(1), "m3": Fraction(1000)},
    "percent": {"%": Fraction(1), "bps": Fraction(1, 100)},
    "clock": {"minute": Fraction(1), "hour": Fraction(60), "day": Fraction(1440), "week": Fraction(10_080)},
    "calendar": {"month": Fraction(1), "quarter": Fraction(3), "year": Fraction(12)},
    "business_day": {"business_day": Fraction(1)},
}
_PER = {"month": "calendar", "quarter": "calendar", "year": "calendar", "day": "clock", "week": "clock"}
_NUMBER_FAMILIES = ("mass", "length", "area", "volume")

PERCENT_UNITS = frozenset(_FAMILIES["percent"])
DURATION_UNITS = frozenset((*_FAMILIES["clock"], *_FAMILIES["calendar"], "business_day"))

Place = tuple[str, Fraction]


def number_unit(unit: str | None) -> Place:
    """Return the family of a number's unit, and how many of the family's base unit one is."""
    for family in _NUMBER_FAMILIES:
        if unit in _FAMILIES[family]:
            return family, _FAMILIES[family][unit]
    return _alone("unit", unit), Fraction(1)


def percent_unit(unit: str | None) -> Place:
    return "percent", _FAMILIES["percent"][unit or "%"]


def duration_unit(unit: str) -> Place:
    family = next(name for name in ("clock", "calendar", "business_day") if unit in _FAMILIES[name])
    return family, _FAMILIES[family][unit]


def period(per: str | None) -> Place:
    """Return the family of a price's period, and how many of the family's base period it is."""
    if per not in _PER:
        return _alone("per", per), Fraction(1)
    family = _PER[per]
    return family, _FAMILIES[family][per]


def _alone(kind: str, word: str | None) -> str:
    """Name the family of a unit that is equal to itself alone; no family of several has such a name."""
    return f"without {kind}" if word is None else f"{kind} {word}"
