"""Reading a state inside a condition: `state(namespace, path)` and `exists(namespace, path)`.

The fast way asks one mapping after the other; a text is no key of an array or a scalar, so that whatever it finds is
right. Where it finds nothing, the strict way of JSON Pointers decides: an index into an array, or a place that is
missing.

Source: rp.state, sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sessions_app.protocol import pointer
from sessions_app.protocol.condition_values import (
    COMPARISONS,
    EQUALITIES,
    ORDERS,
    SCALARS,
    Compare,
    Scalar,
    State,
    mismatch,
    missing,
    type_in_words,
    utf16,
)
from sessions_app.protocol.text import shown

Run = Callable[[State], Scalar]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A place in a state; `keys` are the namespace and the decoded segments of the path."""

    label: str
    keys: tuple[str, ...]

    @classmethod
    def at(cls, namespace: str, path: str) -> Lookup:
        """Return the lookup of a well-formed path. Raises PointerInvalid otherwise."""
        return cls(f"state({shown(namespace)}, {shown(path)})", (namespace, *pointer.parse(path)))

    def find(self, state: State) -> pointer.Found | pointer.Missing:
        namespace, *segments = self.keys
        if namespace not in state:
            return pointer.Missing(0)
        return pointer.read(state[namespace], segments)

    def read(self, state: State) -> Any:
        """Return the value, strictly read. Raises Inactive where there is none."""
        found = self.find(state)
        if isinstance(found, pointer.Found):
            return found.value
        raise missing(f"{self.label} does not exist now; test it by exists(...) first, or mend its path.")

    def scalar(self, value: Any) -> Scalar:
        """Return the value that was read. Raises Inactive where it is an object or an array."""
        if type(value) in SCALARS:
            return value  # type: ignore[no-any-return]  # by the test above
        raise mismatch(f"{self.label} is {type_in_words(value)}; read a number, text, boolean or null inside it.")


def exists(lookup: Lookup) -> Run:
    """Return what tells whether the place exists; null exists."""
    keys, find = lookup.keys, lookup.find

    def run(state: State) -> bool:
        value: Any = state
        try:
            for key in keys:
                value = value[key]
        except (KeyError, TypeError):
            return isinstance(find(state), pointer.Found)
        return True

    return run


def reading(lookup: Lookup) -> Run:
    """Return what reads the scalar at the place."""
    keys, read, scalar = lookup.keys, lookup.read, lookup.scalar

    def run(state: State) -> Scalar:
        value: Any = state
        try:
            for key in keys:
                value = value[key]
        except (KeyError, TypeError):
            value = read(state)
        return value if type(value) in SCALARS else scalar(value)

    return run


def testing(lookup: Lookup, symbol: str, literal: Scalar, settle: Callable[[Any], bool]) -> Run:
    """Return what compares the value at the place with a literal, in one call where their types agree.

    symbol: the operator with the lookup on its left. settle: decides, or raises, for values of other types.
    """
    if type(literal) is str and symbol in ORDERS:
        return _testing_order_of_texts(lookup, ORDERS[symbol], utf16(literal), settle)
    if type(literal) in (int, float):
        return _testing_number(lookup, COMPARISONS[symbol], literal, settle)
    if type(literal) in (str, bool) and symbol in EQUALITIES:
        return _testing_equality(lookup, EQUALITIES[symbol], literal, settle)
    read = lookup.read
    return lambda state: settle(read(state))


def _testing_number(lookup: Lookup, compare: Compare, number: Scalar, settle: Callable[[Any], bool]) -> Run:
    keys, read = lookup.keys, lookup.read

    def run(state: State) -> bool:
        value: Any = state
        try:
            for key in keys:
                value = value[key]
        except (KeyError, TypeError):
            value = read(state)
        kind = type(value)
        return compare(value, number) if kind is int or kind is float else settle(value)

    return run


def _testing_equality(lookup: Lookup, compare: Compare, literal: Scalar, settle: Callable[[Any], bool]) -> Run:
    keys, read, kind = lookup.keys, lookup.read, type(literal)

    def run(state: State) -> bool:
        value: Any = state
        try:
            for key in keys:
                value = value[key]
        except (KeyError, TypeError):
            value = read(state)
        return compare(value, literal) if type(value) is kind else settle(value)

    return run


def _testing_order_of_texts(lookup: Lookup, compare: Compare, order: bytes, settle: Callable[[Any], bool]) -> Run:
    keys, read = lookup.keys, lookup.read

    def run(state: State) -> bool:
        value: Any = state
        try:
            for key in keys:
                value = value[key]
        except (KeyError, TypeError):
            value = read(state)
        return compare(utf16(value), order) if type(value) is str else settle(value)

    return run
