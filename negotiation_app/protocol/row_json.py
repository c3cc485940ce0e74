"""Rows as JSON and back: members are the fields' names in camelCase, values by the fields' types.

`row_from_json(kind, row_json(row)) == row` for every row that the protocol makes.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from negotiation_app.protocol.rows import PARTS, ROWS, Row
from negotiation_app.protocol.value_forms import read_value
from negotiation_app.protocol.values import Value

# What is JSON as it is; an enumeration's member is a str too, and becomes a plain one.
_PLAIN = (str, type(None), bool, int)
BY_TABLE = {kind.TABLE: kind for kind in ROWS}
R = TypeVar("R")


def row_json(row: Any) -> dict[str, Any]:
    """Return a row, or a dataclass inside one, as JSON."""
    return {camel: _plain(getattr(row, name)) for name, camel, _ in _FIELDS[type(row)]}


def row_from_json(table: str, raw: dict[str, Any]) -> Row:
    """Return the row that `row_json` wrote. Raises KeyError for another table or a missing member."""
    return _read(BY_TABLE[table], raw)


def _plain(value: Any) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Value):
        return value.as_json()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return row_json(value) if dataclasses.is_dataclass(value) else value


def _read(kind: type[R], raw: dict[str, Any]) -> R:
    return kind(**{name: read(raw[camel]) for name, camel, read in _FIELDS[kind]})


def _camel(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in others)


def _reader(hint: Any) -> Callable[[Any], Any]:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        inner = _reader(next(part for part in parts if part is not type(None)))
        return lambda raw: None if raw is None else inner(raw)
    if origin is tuple:
        item = _reader(parts[0])
        return lambda raw: tuple(item(each) for each in raw)
    if origin is dict:
        member = _reader(parts[1])
        return lambda raw: {name: member(each) for name, each in raw.items()}
    if hint is Value:
        return _stored_value
    if dataclasses.is_dataclass(hint):
        return lambda raw: _read(hint, raw)  # type: ignore[arg-type]
    return lambda raw: raw


def _stored_value(raw: Any) -> Value:
    value = read_value(raw, "", [])
    if value is None:
        raise ValueError("a stored value cannot be read back")
    return value


def _fields_of(kind: type[Any]) -> tuple[tuple[str, str, Callable[[Any], Any]], ...]:
    hints = get_type_hints(kind)
    return tuple((each.name, _camel(each.name), _reader(hints[each.name])) for each in dataclasses.fields(kind))


# Kind -> its fields, as (name, name in JSON, reader).
_FIELDS = {kind: _fields_of(kind) for kind in (*ROWS, *PARTS)}
