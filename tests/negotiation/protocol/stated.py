"""Values as clients state them: small builders for tables, and strategies that draw values of every type."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from negotiation_app.protocol.value_forms import read_value
from negotiation_app.protocol.values import Value

MARCH = datetime(2026, 3, 2, 9, tzinfo=UTC)
Json = dict[str, Any]


@dataclass(frozen=True)
class Declared:
    """A declared rate: 1 `base` = `rate` `quote`."""

    base: str
    quote: str
    rate: str
    as_of: str = "2026-01-01"


def value(raw: Json) -> Value:
    """Return the value that is stated; a fault of the test's own where none is."""
    problems: list[Any] = []
    found = read_value(raw, "", problems)
    assert found is not None, problems
    return found


def money(amount: str, currency: str = "EUR", **more: str) -> Json:
    return {"type": "money", "amount": amount, "currency": currency, **more}


def number(amount: str, unit: str | None = None, **more: str) -> Json:
    return {"type": "number", "amount": amount, **({} if unit is None else {"unit": unit}), **more}


def percent(amount: str, **more: str) -> Json:
    return {"type": "percent", "amount": amount, **more}


def duration(amount: str, unit: str) -> Json:
    return {"type": "duration", "amount": amount, "unit": unit}


def date(text: str) -> Json:
    return {"type": "date", "value": text}


def text(words: str, **more: str) -> Json:
    return {"type": "text", "value": words, **more}


def boolean(truth: bool) -> Json:
    return {"type": "boolean", "value": truth}


def span(low: Json | None, high: Json | None) -> Json:
    return {"type": "range", "low": low, "high": high}


AMOUNTS = st.decimals(min_value=-10_000, max_value=10_000, places=2).map(lambda each: f"{each:f}") | st.integers(
    -10_000, 10_000
).map(str)
_QUALIFIERS = st.fixed_dictionaries({}, optional={"qualifier": st.sampled_from(("net", "gross"))})
_MONEY = st.builds(
    lambda amount, currency, per, more: money(amount, currency, **per, **more),
    AMOUNTS,
    st.sampled_from(("EUR", "USD", "CZK")),
    st.fixed_dictionaries({}, optional={"per": st.sampled_from(("month", "quarter", "year", "day", "week", "seat"))}),
    _QUALIFIERS,
)
_NUMBERS = st.builds(
    lambda amount, unit, more: number(amount, unit, **more),
    AMOUNTS,
    st.sampled_from((None, "g", "kg", "t", "lb", "m", "km", "ft", "m2", "ft2", "l", "m3", "seat")),
    _QUALIFIERS,
)
_PERCENTS = st.builds(lambda amount, unit: percent(amount, unit=unit), AMOUNTS, st.sampled_from(("%", "bps")))
_DURATIONS = st.builds(
    duration, AMOUNTS, st.sampled_from(("minute", "hour", "day", "week", "month", "quarter", "year", "business_day"))
)
_DAYS = st.dates().map(lambda day: day.isoformat())
_OFFSETS = st.sampled_from(("Z", "+01:00", "-05:30", "+14:00", "-12:00"))
_INSTANTS = st.builds(lambda at, offset: at.replace(microsecond=0).isoformat() + offset, st.datetimes(), _OFFSETS)
_DATES = (_DAYS | _INSTANTS).map(date)
_TEXTS = st.builds(
    lambda words, more: text(words, **more),
    st.sampled_from(("FOB", " fob ", "Fob", "CIF", "Straße", "STRASSE", "木托盘", "e\u0301tage", "étage")),
    st.fixed_dictionaries({}, optional={"lang": st.sampled_from(("en", "EN", "de", "zh"))}),
)
SCALARS = st.one_of(_MONEY, _NUMBERS, _PERCENTS, _DURATIONS, _DATES, _TEXTS, st.booleans().map(boolean))


@st.composite
def _ranges(draw: st.DrawFn) -> Json:
    """A range whose ends are stated in one unit, or in none: always in order."""
    low, high = sorted((draw(AMOUNTS), draw(AMOUNTS)), key=float)
    build = draw(st.sampled_from((money, number, percent)))
    ends = [draw(st.sampled_from((end, end, None))) for end in (low, high)]
    if ends == [None, None]:
        ends = [low, None]
    return span(*(None if end is None else build(end) for end in ends))


VALUES = SCALARS | _ranges()
RATES = st.lists(
    st.builds(
        Declared,
        st.just("EUR"),
        st.sampled_from(("USD", "CZK")),
        st.sampled_from(("1.1", "25", "0.9")),
        st.sampled_from(("2026-01-01", "2026-03-01T12:00:00Z", "2026-04-01")),
    ),
    max_size=3,
)
