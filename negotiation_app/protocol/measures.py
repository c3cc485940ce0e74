"""Magnitudes: what a value measures, in which dimension, and what one currency is in another by declared rates.

Everything is exact. Source: section 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Protocol

from negotiation_app.protocol.times import last_moment, moment
from negotiation_app.protocol.units import Place, duration_unit, number_unit, percent_unit, period
from negotiation_app.protocol.values import Value


class Rate(Protocol):
    """A declared rate: 1 `base` = `rate` `quote`."""

    @property
    def base(self) -> str: ...
    @property
    def quote(self) -> str: ...
    @property
    def rate(self) -> str: ...
    @property
    def as_of(self) -> str: ...


@dataclass(frozen=True)
class Measure:
    """`amount` of a unit that is `scale` base units of its dimension; `currency` None for what is no money."""

    dimension: str
    qualifier: str | None
    amount: Fraction
    scale: Fraction
    decimals: int
    currency: str | None = None

    @property
    def base(self) -> Fraction:
        return self.amount * self.scale


def measure_of(value: Value) -> Measure | None:
    """Return what a value with an amount measures, None for any other value."""
    amount = value.get("amount")
    if amount is None:
        return None
    dimension, scale = _place(value)
    decimals = len(amount.partition(".")[2])
    return Measure(dimension, value.get("qualifier"), Fraction(amount), scale, decimals, value.get("currency"))


def rate_between(base: str, quote: str, rates: Iterable[Rate], at: datetime) -> Fraction | None:
    """Return what one of `base` is in `quote`, by the latest rate of the pair that is not after `at`; None for none."""
    if base == quote:
        return Fraction(1)
    known = [each for each in rates if {each.base, each.quote} == {base, quote} and _begins(each.as_of) <= _aware(at)]
    if not known:
        return None
    # Of rates of one time the one declared last counts.
    latest = max(enumerate(known), key=lambda placed: (_begins(placed[1].as_of), placed[0]))[1]
    rate = Fraction(latest.rate)
    return rate if latest.base == base else 1 / rate


def _place(value: Value) -> Place:
    if value.type == "money":
        family, per = period(value.get("per"))
        # A price a month is a twelfth of one a year.
        return f"money {family}", 1 / per
    if value.type == "percent":
        return percent_unit(value.get("unit"))
    if value.type == "duration":
        return duration_unit(value.get("unit"))
    family, scale = number_unit(value.get("unit"))
    return f"number {family}", scale


def _begins(text: str) -> datetime:
    return (
        moment(text)
        if len(text) > len("2026-01-01")
        else last_moment(text).replace(hour=0, minute=0, second=0, microsecond=0)
    )


def _aware(at: datetime) -> datetime:
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
