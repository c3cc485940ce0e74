"""The four operations on a value: set, increment, append, remove.

- A change copies the arrays and objects along its path, never the whole value; what was given is left as it was, and
  shares with the result what no change has touched.
- `set` wants a parent that exists, and in an array an item that exists; it replaces and never merges.
- `increment` wants a number and has to lead to a finite one; `append` wants an array and adds one item; `remove` wants
  something there, and closes the gap in an array.

Source: rp.state, section 6, "Operations".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from sessions_app.protocol import pointer
from sessions_app.protocol.change_errors import IssueCode
from sessions_app.protocol.definition import Operation
from sessions_app.protocol.numbers import Number, as_double, is_number
from sessions_app.protocol.pointer import Segments
from sessions_app.protocol.text import shown

# The operation's own member beside op, path, reason and ruleId; the attribute of `Change` has the same name.
OPERAND: Mapping[Operation, str | None] = {
    Operation.SET: "value",
    Operation.INCREMENT: "by",
    Operation.APPEND: "value",
    Operation.REMOVE: None,
}


class Change(NamedTuple):
    """One edit, in its normal form: trimmed reason, numbers as they are kept, `rule_id` None where none was named."""

    op: Operation
    path: str
    segments: Segments
    reason: str
    rule_id: str | None = None
    value: Any = None
    by: Number = 0

    def as_json(self) -> dict[str, Any]:
        operand = OPERAND[self.op]
        wire = {"op": self.op.value, "path": self.path, "reason": self.reason}
        named = {} if self.rule_id is None else {"ruleId": self.rule_id}
        return wire | named | ({} if operand is None else {operand: getattr(self, operand)})


class _Absent(StrEnum):
    ABSENT = "nothing is there"


ABSENT = _Absent.ABSENT


class Difference(NamedTuple):
    """What one change did: the place that has another value now, and both values; ABSENT where there is none.

    segments: of an append the new item's place, of any other change its path. touched: where a value can have become
    invalid; these segments, or the array that lost an item.
    """

    segments: Segments
    before: Any
    after: Any
    touched: Segments


class Inapplicable(Exception):  # noqa: N818, RUF100 - becomes an issue, and is never seen from outside
    """A change cannot be carried out on the value as it is."""

    def __init__(self, code: IssueCode, detail: str) -> None:
        self.code = code
        self.detail = detail
        super().__init__(detail)


class Draft:
    """A working copy of one value, which shares with it all that was not changed.

    `copied` has the containers that this draft made itself, by identity, so that each is copied once.
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        self.copied: dict[int, Any] = {}

    def apply(self, change: Change) -> Difference:
        """Carry out one change. Raises Inapplicable, with this draft perhaps copied but equal to what it was."""
        return _APPLY[change.op](self, change)

    def own(self, container: Any) -> Any:
        """Return the container if it is this draft's own already, else a copy of it."""
        if id(container) in self.copied:
            return container
        copy = container.copy()
        self.copied[id(copy)] = copy
        return copy

    def owned(self, segments: Segments) -> Any:
        """Return the array or object at a path that exists, after copying what leads to it and it itself."""
        container = self.value = self.own(self.value)
        for segment in segments:
            key = _key(container, segment)
            inner = self.own(container[key])
            container[key] = inner
            container = inner
        return container


def _set(draft: Draft, change: Change) -> Difference:
    if not change.segments:
        before, draft.value = draft.value, change.value
        return Difference((), before, change.value, ())
    parent = _parent(draft, change)
    key = _key(parent, change.segments[-1])
    if key is None:
        raise _no_item(change, parent)
    container = draft.owned(change.segments[:-1])
    before = container.get(key, ABSENT) if isinstance(container, dict) else container[key]
    container[key] = change.value
    return Difference(change.segments, before, change.value, change.segments)


def _increment(draft: Draft, change: Change) -> Difference:
    before = _current(draft, change)
    if not is_number(before):
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"At {shown(change.path)} is no number, so nothing can be added.")
    after = as_double(_sum(before, change.by))
    if after is None:
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"The sum at {shown(change.path)} would not be finite.")
    if not change.segments:
        draft.value = after
    else:
        container = draft.owned(change.segments[:-1])
        container[_key(container, change.segments[-1])] = after
    return Difference(change.segments, before, after, change.segments)


def _append(draft: Draft, change: Change) -> Difference:
    found = pointer.read(draft.value, change.segments)
    if isinstance(found, pointer.Missing) or not isinstance(found.value, list):
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"At {shown(change.path)} is no array to append to.")
    array = draft.owned(change.segments)
    array.append(change.value)
    place = (*change.segments, str(len(array) - 1))
    return Difference(place, ABSENT, change.value, place)


def _remove(draft: Draft, change: Change) -> Difference:
    parent = _parent(draft, change)
    key = _key(parent, change.segments[-1])
    if key is None:
        raise _no_item(change, parent)
    if isinstance(parent, dict) and key not in parent:
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"There is nothing at {shown(change.path)} to remove.")
    before = draft.owned(change.segments[:-1]).pop(key)
    touched = change.segments if isinstance(parent, dict) else change.segments[:-1]
    return Difference(change.segments, before, ABSENT, touched)


_APPLY: Mapping[Operation, Callable[[Draft, Change], Difference]] = {
    Operation.SET: _set,
    Operation.INCREMENT: _increment,
    Operation.APPEND: _append,
    Operation.REMOVE: _remove,
}


def _parent(draft: Draft, change: Change) -> Any:
    found = pointer.read(draft.value, change.segments[:-1])
    if isinstance(found, pointer.Missing):
        reached = shown(pointer.format(change.segments[: found.depth]))
        missing = shown(change.segments[found.depth])
        raise Inapplicable(
            IssueCode.APPLICATION_FAILED, f"There is no {missing} at {reached}; parents are not made up."
        )
    if not isinstance(found.value, dict | list):
        above = shown(pointer.format(change.segments[:-1]))
        raise Inapplicable(IssueCode.APPLICATION_FAILED, f"At {above} is neither an object nor an array.")
    return found.value


def _current(draft: Draft, change: Change) -> Any:
    """Return the value that an increment starts from; its parent has to exist first."""
    if change.segments:
        _parent(draft, change)
    found = pointer.read(draft.value, change.segments)
    if isinstance(found, pointer.Missing):
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"There is nothing at {shown(change.path)} to add to.")
    return found.value


def _key(container: Any, segment: str) -> Any:
    """Return the key of an object, or the index of an item of an array, None where there is no such item."""
    return segment if isinstance(container, dict) else pointer.index_in(container, segment)


def _no_item(change: Change, array: list[Any]) -> Inapplicable:
    detail = f"There is no item {shown(change.segments[-1])} among {len(array)}; append adds one."
    return Inapplicable(IssueCode.APPLICATION_FAILED, detail)


def _sum(left: Number, right: Number) -> float:
    """Return the sum of two doubles; kept integers are exact as floats, and infinite where it overflows."""
    return float(left) + float(right)
