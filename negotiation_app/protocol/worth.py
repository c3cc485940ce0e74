"""Comparing what the state holds: with its rates, at the right time, and in the direction of an issue.

Source: canonical negotiation state, section 4.
"""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache

from negotiation_app.protocol import comparison
from negotiation_app.protocol.comparison import Comparison
from negotiation_app.protocol.names import Direction
from negotiation_app.protocol.rows import Issue, Proposition, RateRow
from negotiation_app.protocol.state import Negotiation, in_order
from negotiation_app.protocol.texts import normal_text
from negotiation_app.protocol.times import moment
from negotiation_app.protocol.values import Value, calendar_day

AGREEING = (Comparison.EQUAL, Comparison.COMPATIBLE)


def compare_propositions(state: Negotiation, one: Proposition, other: Proposition) -> Comparison:
    """Compare two statements by the rates of the time when the later one was recorded."""
    if one.value is None or other.value is None:
        return Comparison.EQUAL if one.value is other.value else Comparison.INCOMPARABLE
    at = max(moment(one.recorded_at), moment(other.recorded_at))
    return compare_plain(state, one.value, other.value, at)


def agree(state: Negotiation, one: Proposition, other: Proposition) -> bool:
    """Tell whether both statements can hold at once."""
    return compare_propositions(state, one, other) in AGREEING


def compare_on(state: Negotiation, issue: Issue, left: Value, right: Value, at: datetime) -> Comparison:
    """Compare two values of an issue; where it has options, an earlier one is GREATER, that is, better."""
    ranks = {normal_text(option): -rank for rank, option in enumerate(issue.options)}
    one, other = (ranks.get(_text(value)) if ranks else None for value in (left, right))
    if one is None or other is None:
        return compare_plain(state, left, right, at)
    if one == other:
        return Comparison.EQUAL
    return Comparison.GREATER if one > other else Comparison.LESS


def advantage(state: Negotiation, issue: Issue, left: Value, right: Value, at: datetime) -> int | None:
    """Return 1 where `left` is better for the user than `right`, -1 where worse, 0 where alike, None unknown."""
    found = compare_on(state, issue, left, right, at)
    if found in AGREEING:
        return 0
    if found not in (Comparison.GREATER, Comparison.LESS):
        return None
    sign = 1 if found == Comparison.GREATER else -1
    if issue.options and issue.type == "text":
        return sign
    return {Direction.HIGHER: sign, Direction.LOWER: -sign}.get(Direction(issue.direction))


def compare_plain(state: Negotiation, left: Value, right: Value, at: datetime) -> Comparison:
    """Compare two values that belong to no issue, by the rates of `at`."""
    if _needs_a_rate(state, left, right):
        return comparison.compare(left, right, rates_of(state), at)
    return _compared(left, right)


def measured(state: Negotiation, value: Value, like: Value, at: datetime) -> Fraction | None:
    """Return the value's exact magnitude in the unit and currency of another one; days for dates, None for none."""
    if _needs_a_rate(state, value, like):
        return comparison.measured(value, like, rates_of(state), at)
    return _measured(value, like)


def days_between(one: Value, other: Value) -> int | None:
    """Return how many days lie between two dates; None for what are none."""
    days = [calendar_day(each) for each in (one, other)]
    return None if days[0] is None or days[1] is None else abs((days[0] - days[1]).days)


def ends(value: Value) -> tuple[Value | None, Value | None]:
    """Return the ends of a range, None for an open one; any other value is both of its ends."""
    return comparison.ends(value)


def rates_of(state: Negotiation) -> list[RateRow]:
    """List the declared rates, in the order of their declaration."""
    return in_order(state.rates)


def _needs_a_rate(state: Negotiation, left: Value, right: Value) -> bool:
    """Tell whether a declared rate may come into it; a range may have one inside."""
    if not state.rates:
        return False
    return "range" in (left.type, right.type) or left.get("currency") != right.get("currency")


# What no rate comes into is the same at any time, and is asked for again with every later event.
_ANY_TIME = datetime.min.replace(tzinfo=UTC)


@lru_cache(maxsize=65_536)
def _compared(left: Value, right: Value) -> Comparison:
    return comparison.compare(left, right, (), _ANY_TIME)


@lru_cache(maxsize=65_536)
def _measured(value: Value, like: Value) -> Fraction | None:
    return comparison.measured(value, like, (), _ANY_TIME)


def _text(value: Value) -> str:
    """Return a text in normal form, an empty one for any other value."""
    return normal_text(value.get("value")) if value.type == "text" else ""
