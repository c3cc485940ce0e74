"""What each MVU command means for a value: one operation on one place.

A meaning takes the value as it is, a place in it, and what else the command says; nothing is changed here. Raises
Refused where the command cannot be meant so.

Source: users of rp.state, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sessions_app.protocol import pointer
from sessions_app.protocol.definition import Operation
from sessions_app.protocol.names import UNSAFE_KEYS
from sessions_app.protocol.numbers import Number, is_number
from sessions_app.protocol.pointer import Found, Segments
from sessions_app.protocol.text import shown
from sessions_app.protocol.values import same

END = "-"


class Refused(Exception):  # noqa: N818, RUF100 - becomes a refusal, and is never seen from outside
    """One command cannot be translated."""


class Wanted(NamedTuple):
    """What one command means."""

    op: Operation
    segments: Segments
    value: Any = None
    by: Number = 0


Meaning = Callable[[Any, Segments, Any], Wanted]


def read_at(value: Any, segments: Segments) -> Any:
    """Return what is at a place. Raises Refused where nothing is."""
    found = pointer.read(value, segments)
    if not isinstance(found, Found):
        raise Refused(f"There is nothing at {shown(pointer.format(segments))}.")
    return found.value


def _set(value: Any, place: Segments, given: tuple[Any, ...]) -> Wanted:
    if len(given) not in (1, 2):
        raise Refused("set takes a path and a value, or a path, the old value and the new one.")
    if len(given) == 2 and not same(given[0], read_at(value, place)):  # noqa: PLR2004 - the old value and the new one
        raise Refused("The old value is not the current one; nothing was set.")
    return Wanted(Operation.SET, place, given[-1])


def _add(_value: Any, place: Segments, given: tuple[Any, ...]) -> Wanted:
    if len(given) != 1 or not is_number(given[0]):
        raise Refused("add takes a path and a number.")
    return Wanted(Operation.INCREMENT, place, by=given[0])


def _assign(value: Any, place: Segments, given: tuple[Any, ...]) -> Wanted:
    container = read_at(value, place)
    if len(given) == 1:
        return _assigned_whole(container, place, given[0])
    if len(given) != 2:  # noqa: PLR2004 - a key and a value
        raise Refused("assign and insert take a path and a value, or a path, a key and a value.")
    key, item = given
    if isinstance(container, dict):
        return Wanted(Operation.SET, (*place, _key(key)), item)
    if isinstance(container, list) and is_number(key) and key in range(len(container) + 1):
        return _inserted(container, place, int(key), item)
    raise Refused("The key is a name in an object, or an index from 0 to the length of an array.")


def _assigned_whole(container: Any, place: Segments, value: Any) -> Wanted:
    if isinstance(container, list):
        return Wanted(Operation.APPEND, place, value)
    if isinstance(container, dict) and isinstance(value, dict):
        return Wanted(Operation.SET, place, container | value)
    raise Refused("A value is added to an array, or the members of an object to an object.")


def _inserted(array: list[Any], place: Segments, index: int, value: Any) -> Wanted:
    if index == len(array):
        return Wanted(Operation.APPEND, place, value)
    return Wanted(Operation.SET, place, [*array[:index], value, *array[index:]])


def _remove(value: Any, place: Segments, given: tuple[Any, ...]) -> Wanted:
    if not given:
        return Wanted(Operation.REMOVE, place)
    container, which = read_at(value, place), given[0]
    if len(given) > 1:
        raise Refused("remove takes a path, or a path and a key, index or item.")
    if isinstance(container, dict):
        return Wanted(Operation.REMOVE, (*place, _key(which)))
    if isinstance(container, list):
        found = [which] if is_number(which) else [n for n, item in enumerate(container) if same(item, which)]
        if len(found) == 1 and found[0] in range(len(container)):
            return Wanted(Operation.REMOVE, (*place, str(int(found[0]))))
        raise Refused("The array has no such item, or has it more than once.")
    raise Refused("Something is removed from an object or an array.")


def _replaced(value: Any, segments: Segments, operand: Any) -> Wanted:
    read_at(value, segments)
    return Wanted(Operation.SET, segments, operand)


def _delta(_value: Any, segments: Segments, operand: Any) -> Wanted:
    if not is_number(operand):
        raise Refused("delta needs a number.")
    return Wanted(Operation.INCREMENT, segments, by=operand)


def _insert_patch(value: Any, segments: Segments, operand: Any) -> Wanted:
    if not segments:
        raise Refused("insert names a place inside the value.")
    container, key = read_at(value, segments[:-1]), segments[-1]
    if isinstance(container, dict):
        if key in container:
            raise Refused(f"{shown(pointer.format(segments))} is there already; replace it.")
        return Wanted(Operation.SET, segments, operand)
    if isinstance(container, list):
        index = len(container) if key in (END, str(len(container))) else pointer.index_in(container, key)
        if index is not None:
            return _inserted(container, segments[:-1], index, operand)
    raise Refused(f"Nothing can be inserted at {shown(pointer.format(segments))}.")


def _removed(_value: Any, segments: Segments, _operand: Any) -> Wanted:
    if not segments:
        raise Refused("The whole value cannot be removed.")
    return Wanted(Operation.REMOVE, segments)


def _key(raw: Any) -> str:
    key = str(raw) if is_number(raw) and isinstance(raw, int) else raw
    if not isinstance(key, str) or key in UNSAFE_KEYS:
        raise Refused("A key is a text, and none of those that nothing may have.")
    return key


CALLS: Mapping[str, Meaning] = {
    "set": _set,
    "add": _add,
    "assign": _assign,
    "insert": _assign,
    "remove": _remove,
}
PATCHES: Mapping[str, Meaning] = {
    "replace": _replaced,
    "delta": _delta,
    "insert": _insert_patch,
    "add": _insert_patch,
    "remove": _removed,
}
