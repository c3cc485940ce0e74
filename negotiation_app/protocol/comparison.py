"""Comparing two values: equal only if the text says so, ordered only where there is an order.

Different units of one dimension, and currencies with a declared rate, are equal if one side, rounded half-even to the
decimals that the other one stated, gives it, and both differ by at most 0.01 %; else the exact values decide.
Source: section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from fractions import Fraction

from negotiation_app.protocol.measures import Measure, Rate, measure_of, rate_between
from negotiation_app.protocol.texts import normal_text
from negotiation_app.protocol.values import Value, calendar_day, instant_of

TOLERANCE = Fraction(1, 10_000)


class Comparison(StrEnum):
    """What the first of two values is to the second."""

    EQUAL = "EQUAL"
    LESS = "LESS"
    GREATER = "GREATER"
    DIFFERENT = "DIFFERENT"
    COMPATIBLE = "COMPATIBLE"
    INCOMPARABLE = "INCOMPARABLE"


def compare(left: Value, right: Value, rates: Sequence[Rate], at: datetime) -> Comparison:
    """Compare two values by the rates known at a time: those of `rates` that hold from then or before."""
    if "range" in (left.type, right.type):
        return _compare_ranges(ends(left), ends(right), rates, at)
    if left.type != right.type:
        return Comparison.INCOMPARABLE
    if left.type == "text":
        return _compare_texts(left, right)
    if left.type == "boolean":
        return Comparison.EQUAL if left.get("value") == right.get("value") else Comparison.DIFFERENT
    if left.type == "date":
        return _compare_dates(left, right)
    return _compare_amounts(left, right, rates, at)


def measured(value: Value, like: Value, rates: Sequence[Rate], at: datetime) -> Fraction | None:
    """Return a value's exact magnitude in the unit and currency of another; days for dates, None for none."""
    day = calendar_day(value)
    if day is not None:
        return Fraction(day.toordinal()) if like.type == "date" else None
    one, other = measure_of(value), measure_of(like)
    if one is None or other is None or value.type != like.type:
        return None
    return _converted(one, other, rates, at)


def ends(value: Value) -> tuple[Value | None, Value | None]:
    """Return the ends of a range, None for an open one; any other value is both of its ends."""
    return (value.get("low"), value.get("high")) if value.type == "range" else (value, value)


def _compare_texts(left: Value, right: Value) -> Comparison:
    if normal_text(left.get("value")) == normal_text(right.get("value")):
        return Comparison.EQUAL
    one, other = left.get("lang"), right.get("lang")
    is_translation = one is not None and other is not None and one.casefold() != other.casefold()
    return Comparison.INCOMPARABLE if is_translation else Comparison.DIFFERENT


def _compare_dates(left: Value, right: Value) -> Comparison:
    one, other = instant_of(left), instant_of(right)
    if one is not None and other is not None:
        return _order(one, other)
    days = _order(calendar_day(left), calendar_day(right))
    is_mixed = (one is None) != (other is None)
    return Comparison.COMPATIBLE if is_mixed and days is Comparison.EQUAL else days


def _compare_amounts(left: Value, right: Value, rates: Sequence[Rate], at: datetime) -> Comparison:
    one, other = measure_of(left), measure_of(right)
    if one is None or other is None:
        return Comparison.INCOMPARABLE
    here, there = _converted(one, other, rates, at), _converted(other, one, rates, at)
    if here is None or there is None:
        return Comparison.INCOMPARABLE
    is_same_unit = one.scale == other.scale and one.currency == other.currency
    if not is_same_unit and _rounds_to(here, other) and _is_near(here, other.amount):
        return Comparison.EQUAL
    if not is_same_unit and _rounds_to(there, one) and _is_near(there, one.amount):
        return Comparison.EQUAL
    return _order(here, other.amount)


def _converted(one: Measure, other: Measure, rates: Sequence[Rate], at: datetime) -> Fraction | None:
    """Return an amount in the unit and currency of another measure, None where it is of another kind."""
    if one.dimension != other.dimension or one.qualifier != other.qualifier:
        return None
    if one.currency is None or other.currency is None:
        return one.base / other.scale
    rate = rate_between(one.currency, other.currency, rates, at)
    return None if rate is None else one.base * rate / other.scale


def _rounds_to(amount: Fraction, stated: Measure) -> bool:
    return Fraction(round(amount * 10**stated.decimals), 10**stated.decimals) == stated.amount


def _is_near(one: Fraction, other: Fraction) -> bool:
    return abs(one - other) <= TOLERANCE * max(abs(one), abs(other))


def _compare_ranges(
    left: tuple[Value | None, Value | None],
    right: tuple[Value | None, Value | None],
    rates: Sequence[Rate],
    at: datetime,
) -> Comparison:
    (low, high), (other_low, other_high) = left, right
    below, above = _of_ends(high, other_low, rates, at), _of_ends(low, other_high, rates, at)
    lows, highs = _of_ends(low, other_low, rates, at), _of_ends(high, other_high, rates, at)
    if Comparison.INCOMPARABLE in (below, above, lows, highs):
        return Comparison.INCOMPARABLE
    if below is Comparison.LESS:
        return Comparison.LESS
    if above is Comparison.GREATER:
        return Comparison.GREATER
    is_same = _is_same_end(low, other_low, lows) and _is_same_end(high, other_high, highs)
    return Comparison.EQUAL if is_same else Comparison.COMPATIBLE


def _of_ends(one: Value | None, other: Value | None, rates: Sequence[Rate], at: datetime) -> Comparison | None:
    """Compare two ends; None where one of them is open. Kinds without an order cannot be compared with a range."""
    if one is None or other is None:
        return None
    found = compare(one, other, rates, at)
    return Comparison.INCOMPARABLE if found is Comparison.DIFFERENT else found


def _is_same_end(one: Value | None, other: Value | None, found: Comparison | None) -> bool:
    return found is Comparison.EQUAL or (one is None and other is None)


def _order(one: object, other: object) -> Comparison:
    if one == other:
        return Comparison.EQUAL
    return Comparison.LESS if one < other else Comparison.GREATER  # type: ignore[operator]  # of one ordered kind
