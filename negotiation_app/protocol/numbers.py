"""Exact numbers as decimal text: rounded half-even, with or without trailing zeros. Source: section 13."""

from __future__ import annotations

from fractions import Fraction


def rounded(number: Fraction, decimals: int) -> str:
    """Return the number with exactly `decimals` decimals, rounded half-even."""
    scaled = round(number * 10**decimals)
    digits = str(abs(scaled)).rjust(decimals + 1, "0")
    sign = "-" if scaled < 0 else ""
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)


def two_decimals(number: Fraction) -> str:
    return rounded(number, 2)


def trimmed(number: Fraction, decimals: int) -> str:
    """Return the number rounded half-even to `decimals` decimals, without trailing zeros."""
    text = rounded(number, decimals)
    return text.rstrip("0").rstrip(".") if "." in text else text


def decimals_of(amount: str) -> int:
    """Return how many decimals a stated amount has."""
    return len(amount.partition(".")[2])
