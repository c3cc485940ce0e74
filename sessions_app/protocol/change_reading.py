"""Changes as they come over the wire: each one read alone, the first fault of each reported.

A change is an object; `op` one of four; no member that this operation does not have; `reason` with something in it;
`ruleId`, if named, a text; `path` a pointer, not the root for `remove`; `by` a finite number; `value` JSON that can be
kept at this depth.

Source: rp.state, section 6, steps 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sessions_app.protocol import pointer
from sessions_app.protocol.change_errors import Gathered, Issue, IssueCode
from sessions_app.protocol.changes import OPERAND, Change
from sessions_app.protocol.definition import Operation
from sessions_app.protocol.errors import PointerInvalid, ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.nearest import Help
from sessions_app.protocol.numbers import Number, as_double, is_number
from sessions_app.protocol.pointer import Segments
from sessions_app.protocol.text import has_surrogate, shown, trimmed
from sessions_app.protocol.values import normalised

CHANGES_PATH = "/payload/changes"

_COMMON = frozenset(("op", "path", "reason", "ruleId"))
_MEMBERS: Mapping[Operation, frozenset[str]] = {
    op: _COMMON if operand is None else _COMMON | {operand} for op, operand in OPERAND.items()
}
_OPERATIONS: Mapping[str, Operation] = {op.value: op for op in Operation}
# What other patch languages call an operation -> what it is here.
_MEANT = {
    "replace": "set",
    "add": "set",
    "insert": "append",
    "delta": "increment",
    "delete": "remove",
    "push": "append",
}


# The well-formed changes, each with its index in the request.
ReadChanges = tuple[tuple[int, Change], ...]
# `value` and `by` of a change.
Operands = tuple[Any, Number]


class _Malformed(Exception):  # noqa: N818, RUF100 - becomes an issue, and is never seen from outside
    """One change is not of the documented form; `step` is the member at fault, None for the whole change."""

    def __init__(self, code: IssueCode, step: str | None, message: str, **details: Any) -> None:
        self.code = code
        self.step = step
        self.told = message
        self.details = details
        super().__init__(message)


def read_changes(raw: Any, *, namespace: str, limits: Limits, issues: Gathered, help_with: Help) -> ReadChanges:
    """Return the well-formed changes of an effect; what is wrong with the others goes to `issues`."""
    if not isinstance(raw, list) or not raw:
        message = "Send a list with at least one change, or leave the effect out."
        issues.add(Issue(IssueCode.CHANGES_REQUIRED, CHANGES_PATH, message, namespace))
        return ()
    if len(raw) > limits.changes:
        message = f"One effect has at most {limits.changes} changes; set a larger part at once instead."
        details = {"maximum": limits.changes, "count": len(raw)}
        issues.add(Issue(IssueCode.CHANGES_LIMIT, CHANGES_PATH, message, namespace, details=details))
        return ()
    well_formed = []
    for index, each in enumerate(raw):
        try:
            well_formed.append((index, _change(each, limits)))
        except _Malformed as fault:
            nearest = help_with.path(each.get("path")) if fault.code is IssueCode.PATH_INVALID else None
            issues.add(_issue(fault, index, namespace, nearest))
    return tuple(well_formed)


def stored_change(wire: Mapping[str, Any]) -> Change:
    """Return a change from its normal form, as `Change.as_json` gave it; nothing is checked again."""
    path = wire["path"]
    return Change(
        op=_OPERATIONS[wire["op"]],
        path=path,
        segments=pointer.parse(path),
        reason=wire["reason"],
        rule_id=wire.get("ruleId"),
        value=wire.get("value"),
        by=wire.get("by", 0),
    )


def _change(raw: Any, limits: Limits) -> Change:
    if not isinstance(raw, dict):
        raise _Malformed(IssueCode.NOT_OBJECT, None, "A change is an object with op, path and reason.")
    op = _operation(raw.get("op"))
    _check_members(raw, op)
    reason = _reason(raw.get("reason"), limits)
    rule_id = _rule_id(raw)
    segments = _segments(raw.get("path"), op, limits)
    value, by = _OPERANDS[op](raw, segments, limits)
    return Change(op, raw["path"], segments, reason, rule_id, value, by)


def _operation(raw: Any) -> Operation:
    op = _OPERATIONS.get(raw) if isinstance(raw, str) else None
    if op is None:
        allowed = list(_OPERATIONS)
        meant = _MEANT.get(raw) if isinstance(raw, str) else None
        details = {"allowed": allowed} | ({} if meant is None else {"nearest": meant})
        raise _Malformed(IssueCode.UNSUPPORTED_OPERATION, "op", f"op is one of {', '.join(allowed)}.", **details)
    return op


def _check_members(raw: dict[str, Any], op: Operation) -> None:
    if not raw.keys() <= _MEMBERS[op]:
        unknown = next(name for name in raw if name not in _MEMBERS[op])
        allowed = sorted(_MEMBERS[op])
        message = f"{op.value} has no member {shown(unknown)}; it has {', '.join(allowed)}."
        raise _Malformed(IssueCode.UNKNOWN_FIELD, unknown, message, allowed=allowed)


def _reason(raw: Any, limits: Limits) -> str:
    reason = trimmed(raw) if isinstance(raw, str) else ""
    if not reason:
        raise _Malformed(IssueCode.REASON_REQUIRED, "reason", "Say in a few words why the story changes this.")
    if len(reason) > limits.reason_chars:
        message = f"A reason has at most {limits.reason_chars} characters; say it shorter."
        raise _Malformed(IssueCode.REASON_REQUIRED, "reason", message, maximum=limits.reason_chars)
    if has_surrogate(reason):
        message = "The reason has half of a surrogate pair; send whole characters."
        raise _Malformed(IssueCode.REASON_REQUIRED, "reason", message)
    return reason


def _rule_id(raw: dict[str, Any]) -> str | None:
    if "ruleId" not in raw:
        return None
    rule_id = raw["ruleId"]
    if not isinstance(rule_id, str) or not rule_id:
        message = "ruleId is the id of a rule of this namespace; leave it out where no rule is meant."
        raise _Malformed(IssueCode.RULE_ID_INVALID, "ruleId", message)
    return rule_id


def _segments(raw: Any, op: Operation, limits: Limits) -> Segments:
    if isinstance(raw, str) and len(raw) > limits.pointer_chars:
        message = f"A path has at most {limits.pointer_chars} characters."
        raise _Malformed(IssueCode.PATH_INVALID, "path", message, maximum=limits.pointer_chars)
    try:
        return pointer.parse(raw, allow_root=op is not Operation.REMOVE)
    except PointerInvalid as fault:
        raise _Malformed(IssueCode.PATH_INVALID, "path", fault.problems[0].detail) from None


def _item(raw: dict[str, Any], segments: Segments, limits: Limits) -> Operands:
    return _value(raw, (*segments, "-"), limits)


def _value(raw: dict[str, Any], segments: Segments, limits: Limits) -> Operands:
    if "value" not in raw:
        raise _Malformed(IssueCode.VALUE_INVALID, "value", "Send the value; null is one, nothing is none.")
    # What a value may nest is what its place leaves of the depth of the whole.
    left = (
        replace(limits, depth=max(0, limits.depth - len(segments))) if isinstance(raw["value"], dict | list) else limits
    )
    try:
        return normalised(raw["value"], left), 0
    except ValueInvalid as fault:
        problems = [problem.as_json() for problem in fault.problems]
        raise _Malformed(IssueCode.VALUE_INVALID, "value", fault.problems[0].detail, problems=problems) from None


def _by(raw: dict[str, Any], _segments: Segments, _limits: Limits) -> Operands:
    by = raw.get("by")
    kept = as_double(by) if is_number(by) else None
    if kept is None:
        raise _Malformed(IssueCode.INCREMENT_BY_INVALID, "by", "by is the finite number to add; no text, no total.")
    return None, kept


def _nothing(_raw: dict[str, Any], _segments: Segments, _limits: Limits) -> Operands:
    return None, 0


_OPERANDS: Mapping[Operation, Callable[[dict[str, Any], Segments, Limits], Operands]] = {
    Operation.SET: _value,
    Operation.INCREMENT: _by,
    Operation.APPEND: _item,
    Operation.REMOVE: _nothing,
}


def _issue(fault: _Malformed, index: int, namespace: str, nearest: str | None) -> Issue:
    place = f"{CHANGES_PATH}/{index}"
    path = place if fault.step is None else pointer.below(place, fault.step)
    details = fault.details | ({} if nearest is None else {"nearestPath": nearest})
    return Issue(fault.code, path, fault.told, namespace, index, details=details)
