"""Numbers as IEEE-754 doubles, so that clients in two languages agree on every one of them.

An integral double below 2^53 in size is kept as a Python integer, any other as a float: `1.0` is 1, `-0.0` is 0, and
9007199254740993 is 9007199254740992.0. A boolean is no number.

Source: rp.state, section 1.
"""

from __future__ import annotations

import math
from typing import Any, TypeGuard

Number = int | float

MAX_SAFE_INTEGER = 2**53 - 1


def is_number(value: Any) -> TypeGuard[Number]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_double(number: Number) -> Number | None:
    """Return the number in its one form, or None where no finite double has its size."""
    if isinstance(number, int):
        if -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
            return number
        return _rounded(number)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) <= MAX_SAFE_INTEGER else number


def in_one_form(value: Any) -> Any:
    """Return a JSON value with each number in its one form; a number that no finite double has the size of stays."""
    if isinstance(value, dict):
        return {name: in_one_form(each) for name, each in value.items()}
    if isinstance(value, list):
        return [in_one_form(each) for each in value]
    if not is_number(value):
        return value
    number = as_double(value)
    return value if number is None else number


def is_safe_integer(value: Any) -> TypeGuard[Number]:
    """Tell whether the value is a number without a fraction, at most 2^53 - 1 in size (`1.0` is one)."""
    return is_number(value) and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER and value == int(value)


def _rounded(number: int) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None
