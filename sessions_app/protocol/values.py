"""Plain JSON values: the form in which they are kept, their kinds, and when two are the same.

Source: rp.state, section 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fabric_app.mesh.errors import Problem
from sessions_app.protocol.errors import ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.names import UNSAFE_KEYS
from sessions_app.protocol.numbers import Number, as_double
from sessions_app.protocol.pointer import below
from sessions_app.protocol.text import has_surrogate

NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT = "null", "boolean", "number", "string", "array", "object"

_KINDS: dict[type, str] = {
    type(None): NULL,
    bool: BOOLEAN,
    int: NUMBER,
    float: NUMBER,
    str: STRING,
    list: ARRAY,
    dict: OBJECT,
}


def kind_of(value: Any) -> str:
    """Return the JSON type of a value. Raises KeyError for what is no JSON."""
    return _KINDS[type(value)]


def normalised(value: Any, limits: Limits) -> Any:
    """Return a copy of the value in the form in which it is kept.

    Numbers become doubles (`numbers`). Refused are numbers that are not finite, halves of surrogate pairs, unsafe
    keys, what is no JSON, and more depth, nodes or characters than the limits allow.
    Raises ValueInvalid with every problem (at most `limits.issues`), each at its pointer into the value.
    """
    walk = _Walk(limits)
    kept = walk.read(value)
    if walk.problems:
        raise ValueInvalid(walk.problems)
    return kept


def same(left: Any, right: Any) -> bool:
    """Tell whether two JSON values are equal: by structure, numbers as doubles, `true` never as 1, key order free."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        kind = kind_of(one)
        if kind != kind_of(other):
            return False
        if kind == OBJECT:
            if one.keys() != other.keys():
                return False
            pairs.extend((item, other[key]) for key, item in one.items())
        elif kind == ARRAY:
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True


def repeated(values: Iterable[Any]) -> Iterator[int]:
    """Yield the index of each value that is the same as an earlier one; all of them normalised."""
    seen: set[str] = set()
    for index, value in enumerate(values):
        text = likeness(value)
        if text in seen:
            yield index
        seen.add(text)


def likeness(value: Any) -> str:
    """Return a text that two normalised values have in common exactly where they are the same."""
    return json.dumps(value, sort_keys=True)


class _Full(Exception):
    """No more problems are listed, or no more of the value is looked at."""


class _Walk:
    """One reading of one value: the steps to where it is, what it has counted, and the problems on the way."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.problems: list[Problem] = []
        self.steps: list[str | int] = []
        self.nodes = 0
        self.chars = 0
        self.readers: dict[type, Callable[[Any], Any]] = {
            type(None): _as_it_is,
            bool: _as_it_is,
            int: self.number,
            float: self.number,
            str: self.text,
            list: self.array,
            dict: self.object,
        }

    def read(self, value: Any) -> Any:
        try:
            return self.node(value)
        except _Full:
            return None

    def node(self, value: Any) -> Any:
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            self.refuse(f"The value has more than {self.limits.nodes} parts; keep less in one namespace.")
            raise _Full
        reader = self.readers.get(type(value))
        if reader is not None:
            return reader(value)
        self.refuse(f"{type(value).__name__} is no JSON; send a JSON value.")
        return None

    def number(self, value: Number) -> Number | None:
        kept = as_double(value)
        if kept is None:
            self.refuse("The number is not finite; send a finite one.")
        return kept

    def text(self, value: str) -> str:
        self.count(value)
        if has_surrogate(value):
            self.refuse("The text has half of a surrogate pair; send whole characters.")
        return value

    def array(self, value: list[Any]) -> list[Any] | None:
        if self.is_too_deep():
            return None
        kept = []
        for index, item in enumerate(value):
            self.steps.append(index)
            kept.append(self.node(item))
            self.steps.pop()
        return kept

    def object(self, value: dict[Any, Any]) -> dict[str, Any] | None:
        if self.is_too_deep():
            return None
        kept = {}
        for key, item in value.items():
            self.steps.append(key)
            self.check_key(key)
            kept[key] = self.node(item)
            self.steps.pop()
        return kept

    def check_key(self, key: Any) -> None:
        if not isinstance(key, str):
            self.refuse("The key is no text; send a JSON value.")
            return
        self.count(key)
        if key in UNSAFE_KEYS:
            self.refuse(f"No key may be {key}; use another name.")
        elif has_surrogate(key):
            self.refuse("The key has half of a surrogate pair; send whole characters.")

    def count(self, text: str) -> None:
        self.chars += len(text)
        if self.chars > self.limits.value_chars:
            self.refuse(f"The value has more than {self.limits.value_chars} characters; keep less in one namespace.")
            raise _Full

    def is_too_deep(self) -> bool:
        if len(self.steps) < self.limits.depth:
            return False
        self.refuse(f"The value nests more than {self.limits.depth} levels; make it flatter.")
        return True

    def refuse(self, detail: str) -> None:
        path = ""
        for step in self.steps:
            path = below(path, step)
        self.problems.append(Problem(path, ValueInvalid.code, detail))
        if len(self.problems) >= self.limits.issues:
            raise _Full


def _as_it_is(value: Any) -> Any:
    return value
