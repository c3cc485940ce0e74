"""Values inside a condition: which types can be compared, how, and what stops an evaluation.

- Two values of one JSON type are equal or not; beside null, any scalar is merely unequal; other mixtures are an error.
- Two numbers or two strings have an order, nothing else has. Strings are ordered by UTF-16 code units, where an emoji
  sorts below U+E000 to U+FFFF.

Source: rp.state, section 5.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app.protocol.diagnostics_codes import STATE_CONDITION_INVALID, STATE_CONDITION_MISSING, Diagnostic
from sessions_app.protocol.text import without_surrogates

Scalar = bool | int | float | str | None
State = Mapping[str, Any]

Compare = Callable[[Any, Any], bool]

EQUALITIES: dict[str, Compare] = {"==": operator.eq, "!=": operator.ne}
ORDERS: dict[str, Compare] = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
COMPARISONS = {**EQUALITIES, **ORDERS}
MIRRORED = {"==": "==", "!=": "!=", ">": "<", ">=": "<=", "<": ">", "<=": ">="}

NUMBERS = frozenset((int, float))
A_NUMBER, A_TEXT = "a number", "a text"
SCALARS: dict[type, str] = {bool: "a boolean", int: A_NUMBER, float: A_NUMBER, str: A_TEXT, type(None): "null"}
_CONTAINERS: dict[type, str] = {dict: "an object", list: "an array"}


class Inactive(Exception):
    """Ends one evaluation: the whole condition is inactive, for the reason that the diagnostic gives."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


def missing(message: str) -> Inactive:
    return Inactive(Diagnostic(STATE_CONDITION_MISSING, without_surrogates(message)))


def mismatch(message: str) -> Inactive:
    return Inactive(Diagnostic(STATE_CONDITION_INVALID, without_surrogates(message)))


def not_boolean(what: str, value: Any) -> Inactive:
    """Return what stops an evaluation where true or false is needed."""
    return mismatch(f"{what} is {type_in_words(value)}, where true or false is needed; compare it with something.")


def type_in_words(value: Any) -> str:
    kind = type(value)
    return SCALARS.get(kind) or _CONTAINERS.get(kind) or f"no JSON ({kind.__name__})"


def utf16(text: str) -> bytes:
    """Return the key by which strings are ordered."""
    return text.encode("utf-16-be", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One operator with the words for its two sides; `position` is where it stands in the condition."""

    symbol: str
    position: int
    left: str
    right: str

    def test(self, left: Any, right: Any) -> bool:
        """Return whether the comparison holds. Raises Inactive where the types do not allow it."""
        kind = SCALARS.get(type(left))
        if kind is None or kind != SCALARS.get(type(right)):
            return self._beside_null(left, right)
        if self.symbol in EQUALITIES:
            return EQUALITIES[self.symbol](left, right)
        if kind == A_NUMBER:
            return ORDERS[self.symbol](left, right)
        if kind == A_TEXT:
            return ORDERS[self.symbol](utf16(left), utf16(right))
        raise self.mismatch(left, right)

    def mismatch(self, left: Any, right: Any) -> Inactive:
        """Return what stops an evaluation that meets these two."""
        need = "two values of one type" if self.symbol in EQUALITIES else "two numbers or two texts"
        return mismatch(
            f"{self.symbol} at position {self.position} needs {need}: "
            f"{self.left} is {type_in_words(left)}, {self.right} is {type_in_words(right)}."
        )

    def _beside_null(self, left: Any, right: Any) -> bool:
        both_scalar = type(left) in SCALARS and type(right) in SCALARS
        if both_scalar and self.symbol in EQUALITIES and (left is None or right is None):
            return self.symbol == "!="
        raise self.mismatch(left, right)
