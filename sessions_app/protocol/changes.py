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
        """Return an array or object if it is this draft's own, else a copy. Raises LookupError for anything else."""
        if id(container) in self.copied:
            return container
        if isinstance(container, dict | list):
            copy = container.copy()
            self.copied[id(copy)] = copy
            return copy
        raise LookupError

    def owned(self, segments: Segments) -> Any:
        """Return the array or object at a path, after copying what leads to it and it itself.

        Raises LookupError where there is none.
        """
        container = self.value = self.own(self.value)
        for segment in segments:
            key = segment if isinstance(container, dict) else pointer.index_in(container, segment)
            if key is None:
                raise LookupError
            inner = self.own(container[key])
            container[key] = inner
            container = inner
        return container


def _set(draft: Draft, change: Change) -> Difference:
    if not change.segments:
        before, draft.value = draft.value, change.value
        return Difference((), before, change.value, ())
    container, key = _place(draft, change)
    if key is None:
        raise _no_item(container, change)
    before = _at(container, key)
    container[key] = change.value
    return Difference(change.segments, before, change.value, change.segments)


def _increment(draft: Draft, change: Change) -> Difference:
    if not change.segments:
        before, draft.value = draft.value, _sum(draft.value, change)
        return Difference((), before, draft.value, ())
    container, key = _place(draft, change)
    before = _at(container, key)
    after = _sum(before, change)
    container[key] = after
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
    container, key = _place(draft, change)
    if key is None:
        raise _no_item(container, change)
    before = _at(container, key)
    if before is ABSENT:
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"There is nothing at {shown(change.path)} to remove.")
    del container[key]
    touched = change.segments if isinstance(container, dict) else change.segments[:-1]
    return Difference(change.segments, before, ABSENT, touched)


_APPLY: Mapping[Operation, Callable[[Draft, Change], Difference]] = {
    Operation.SET: _set,
    Operation.INCREMENT: _increment,
    Operation.APPEND: _append,
    Operation.REMOVE: _remove,
}


def _place(draft: Draft, change: Change) -> tuple[Any, Any]:
    """Return the draft's own container of a path, and the key or index in it; None where an array has no such item.

    Raises Inapplicable where there is no container.
    """
    try:
        container = draft.owned(change.segments[:-1])
    except LookupError:
        raise _no_parent(draft.value, change.segments) from None
    last = change.segments[-1]
    return container, last if isinstance(container, dict) else pointer.index_in(container, last)


def _at(container: Any, key: Any) -> Any:
    """Return what is at a key or index of a container, or ABSENT."""
    if isinstance(container, dict):
        return container.get(key, ABSENT)
    return ABSENT if key is None else container[key]


def _sum(before: Any, change: Change) -> Number:
    """Return the sum of two doubles, in the form in which numbers are kept. Raises Inapplicable where there is none."""
    if before is ABSENT:
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"There is nothing at {shown(change.path)} to add to.")
    if not is_number(before):
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"At {shown(change.path)} is no number, so nothing can be added.")
    after = as_double(float(before) + float(change.by))
    if after is None:
        raise Inapplicable(IssueCode.UPDATE_INVALID, f"The sum at {shown(change.path)} would not be finite.")
    return after


def _no_parent(value: Any, segments: Segments) -> Inapplicable:
    found = pointer.read(value, segments[:-1])
    if isinstance(found, pointer.Missing):
        reached, missing = shown(pointer.format(segments[: found.depth])), shown(segments[found.depth])
        detail = f"There is no {missing} at {reached}; parents are not made up."
    else:
        detail = f"At {shown(pointer.format(segments[:-1]))} is neither an object nor an array."
    return Inapplicable(IssueCode.APPLICATION_FAILED, detail)


def _no_item(array: list[Any], change: Change) -> Inapplicable:
    detail = f"There is no item {shown(change.segments[-1])} among {len(array)}; append adds one."
    return Inapplicable(IssueCode.APPLICATION_FAILED, detail)
