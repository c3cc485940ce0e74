"""A model's MVU commands as changes of `rp.state`, or refused one by one with the reason.

- Nothing is executed, and no path is mended: a dotted path has to spell exactly one place of the value, and what it was
  read as is told. A JSON Patch has strict pointers.
- A command needs a rule for its operation on its place. Where there is none, but one that lets a container around it be
  set, the container is set to what the command makes of it; several such commands become one change.
- Commands see what those before them did. A second change of a place, or of what is in it, is refused.
- The old value of a three-argument `_.set` has to be the current one.

Source: users of rp.state, section 4; rp.state, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sessions_app.importers.mvu_blocks import SHOWN_COMMAND, Command, Refusal, commands_in
from sessions_app.importers.mvu_paths import OLD_CELL, places_of
from sessions_app.protocol import pointer
from sessions_app.protocol.changes import Change, Draft, Inapplicable
from sessions_app.protocol.definition import Definition, Operation, Rule, UpdateMode
from sessions_app.protocol.errors import PointerInvalid, ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.names import UNSAFE_KEYS
from sessions_app.protocol.numbers import Number, is_number
from sessions_app.protocol.pointer import Found, Segments
from sessions_app.protocol.text import is_blank, shown, without_surrogates
from sessions_app.protocol.values import normalised, same

END = "-"
MAX_COMMANDS = 512


class Translation(NamedTuple):
    """Raw changes for one effect, the commands that gave none, and what dotted paths were read as."""

    changes: list[dict[str, Any]]
    refusals: list[Refusal]
    told: list[str]


class _Refused(Exception):  # noqa: N818, RUF100 - becomes a refusal, and is never seen from outside
    """One command cannot be translated."""


@dataclass
class _Kept:
    """A change as it stands; `is_whole` where it sets a container to what commands made of it."""

    change: Change
    is_whole: bool


class _Wanted(NamedTuple):
    """What one command means."""

    op: Operation
    segments: Segments
    value: Any = None
    by: Number = 0


def translate_update(reply: str, *, value: Any, definition: Definition, limits: Limits) -> Translation:
    """Return the changes that the commands in a reply mean for a namespace with this value and definition."""
    translating = _Translating(value, definition, limits)
    refusals: list[Refusal] = []
    for count, command in enumerate(commands_in(reply, limits)):
        if count == MAX_COMMANDS:
            refusals.append(Refusal("", f"There are more than {MAX_COMMANDS} commands; the rest was not looked at."))
            break
        if isinstance(command, Refusal):
            refusals.append(command)
            continue
        try:
            translating.take(command)
        except _Refused as refusal:
            refusals.append(Refusal(command.text, str(refusal)))
    return Translation([kept.change.as_json() for kept in translating.kept], refusals, translating.told)


class _Translating:
    """One translation: the value as the commands so far have left it, and the changes."""

    def __init__(self, value: Any, definition: Definition, limits: Limits) -> None:
        self.draft = Draft(value)
        self.definition = definition
        self.limits = limits
        self.kept: list[_Kept] = []
        self.told: list[str] = []
        self.rules: dict[tuple[str, Operation], list[Rule]] = {}
        for rule in definition.rules:
            self.rules.setdefault((rule.target, rule.effect.op), []).append(rule)

    def take(self, command: Command) -> None:
        """Add the change that a command means. Raises _Refused."""
        if self.definition.update_mode is UpdateMode.DISABLED:
            raise _Refused("Updates of this namespace are off.")
        reason = command.reason if not is_blank(command.reason) else f"MVU: {command.text}"
        reason = without_surrogates(reason)[: min(SHOWN_COMMAND, self.limits.reason_chars)]
        if command.patch:
            self.put(self.patched(command.patch), reason)
            return
        meaning = _CALLS.get(command.name)
        if meaning is None:
            raise _Refused(f"There is no command {command.name}; known are {', '.join(_CALLS)}.")
        place = self.place(command.arguments)
        arguments = tuple(self.literal(each) for each in command.arguments[1:])
        self.put(meaning(self, place, arguments), reason)

    def put(self, wanted: _Wanted, reason: str) -> None:
        """Apply what is wanted to the draft and keep it as a change."""
        self.check_schema(wanted)
        rule = self.rule(pointer.format(wanted.segments), wanted)
        if rule is None and self.definition.update_mode is UpdateMode.RULES_REQUIRED:
            wanted, rule = self.around(wanted, reason)
            self.keep(_change(wanted, reason, rule), is_whole=True)
        else:
            self.keep(_change(wanted, reason, rule), is_whole=False)

    def keep(self, change: Change, *, is_whole: bool) -> None:
        earlier = next((kept for kept in self.kept if pointer.conflicts(kept.change.segments, change.segments)), None)
        may_join = is_whole and earlier is not None and earlier.is_whole and earlier.change.path == change.path
        if earlier is not None and not may_join:
            raise _Refused(f"An earlier command changes {shown(earlier.change.path)}; a commit changes a place once.")
        self.apply(self.draft, change)
        if earlier is None:
            self.kept.append(_Kept(change, is_whole))
        else:
            joined = f"{earlier.change.reason}; {change.reason}"[: self.limits.reason_chars]
            earlier.change = change._replace(reason=joined)

    def rule(self, path: str, wanted: _Wanted) -> Rule | None:
        """Return the rule for an operation on a place; of several the first whose bounds are kept, or the first."""
        found = self.rules.get((path, wanted.op), [])
        fitting = (rule for rule in found if wanted.op is not Operation.INCREMENT or _is_within(rule, wanted.by))
        return next(fitting, found[0] if found else None)

    def around(self, wanted: _Wanted, reason: str) -> tuple[_Wanted, Rule]:
        """Return the setting of the nearest container that may be set, to what the command makes of it."""
        for depth in range(len(wanted.segments) - 1, -1, -1):
            segments = wanted.segments[:depth]
            rule = self.rule(pointer.format(segments), _Wanted(Operation.SET, segments))
            if rule is not None:
                scratch = Draft(self.draft.value)
                self.apply(scratch, _change(wanted, reason, None))
                return _Wanted(Operation.SET, segments, _read(scratch.value, segments)), rule
        raise _Refused(f"No rule allows {wanted.op.value} at {shown(pointer.format(wanted.segments))}.")

    def check_schema(self, wanted: _Wanted) -> None:
        checks = {
            Operation.SET: self.definition.checker.check_part,
            Operation.APPEND: self.definition.checker.check_item,
        }
        check = checks.get(wanted.op)
        violation = None if check is None else check(wanted.value, wanted.segments)
        if violation is not None:
            place = pointer.format((*wanted.segments, *violation.segments))
            raise _Refused(f"The value does not fit the schema: {shown(place)} {violation.sentence()}")

    def apply(self, draft: Draft, change: Change) -> None:
        try:
            draft.apply(change)
        except Inapplicable as stop:
            raise _Refused(stop.detail) from None

    def place(self, arguments: tuple[Any, ...]) -> Segments:
        """Return the one place that a command's path spells."""
        if not arguments or not isinstance(arguments[0], str):
            raise _Refused("The first argument is a path, as a text.")
        path = arguments[0]
        found = places_of(self.draft.value, path)
        if not found:
            raise _Refused(f"{shown(path)} is no path of this state.")
        if len(found) > 1:
            raise _Refused(f"{shown(path)} may mean {' or '.join(shown(pointer.format(each)) for each in found)}.")
        old = ", the value of the old pair" if path.endswith(OLD_CELL) and found[0][-1] != "0" else ""
        self.told.append(f"{shown(path)} was read as {shown(pointer.format(found[0]))}{old}.")
        return found[0]

    def literal(self, raw: Any) -> Any:
        try:
            return normalised(raw, self.limits)
        except ValueInvalid as refusal:
            raise _Refused(refusal.sentence()) from None

    def at(self, segments: Segments) -> Any:
        return _read(self.draft.value, segments)

    def patched(self, patch: Mapping[str, Any]) -> _Wanted:
        """Return what one JSON Patch means."""
        op = patch["op"]
        meaning = _PATCHES.get(op)
        if meaning is None:
            raise _Refused(f"There is no patch {shown(op)}; known are {', '.join(_PATCHES)}.")
        if op != "remove" and "value" not in patch:
            raise _Refused(f"{op} needs a value.")
        try:
            segments = pointer.parse(patch.get("path"))
        except PointerInvalid as refusal:
            raise _Refused(refusal.sentence()) from None
        return meaning(self, segments, self.literal(patch.get("value")))


def _set(now: _Translating, place: Segments, values: tuple[Any, ...]) -> _Wanted:
    if len(values) not in (1, 2):
        raise _Refused("set takes a path and a value, or a path, the old value and the new one.")
    if len(values) == 2 and not same(values[0], now.at(place)):  # noqa: PLR2004 - the old value and the new one
        raise _Refused("The old value is not the current one; nothing was set.")
    return _Wanted(Operation.SET, place, values[-1])


def _add(_now: _Translating, place: Segments, values: tuple[Any, ...]) -> _Wanted:
    if len(values) != 1 or not is_number(values[0]):
        raise _Refused("add takes a path and a number.")
    return _Wanted(Operation.INCREMENT, place, by=values[0])


def _assign(now: _Translating, place: Segments, values: tuple[Any, ...]) -> _Wanted:
    container = now.at(place)
    if len(values) == 1:
        return _assigned_whole(container, place, values[0])
    if len(values) != 2:  # noqa: PLR2004 - a key and a value
        raise _Refused("assign and insert take a path and a value, or a path, a key and a value.")
    key, value = values
    if isinstance(container, dict):
        return _Wanted(Operation.SET, (*place, _key(key)), value)
    if isinstance(container, list) and is_number(key) and key in range(len(container) + 1):
        return _inserted(container, place, int(key), value)
    raise _Refused("The key is a name in an object, or an index from 0 to the length of an array.")


def _assigned_whole(container: Any, place: Segments, value: Any) -> _Wanted:
    if isinstance(container, list):
        return _Wanted(Operation.APPEND, place, value)
    if isinstance(container, dict) and isinstance(value, dict):
        return _Wanted(Operation.SET, place, container | value)
    raise _Refused("A value is added to an array, or the members of an object to an object.")


def _inserted(array: list[Any], place: Segments, index: int, value: Any) -> _Wanted:
    if index == len(array):
        return _Wanted(Operation.APPEND, place, value)
    return _Wanted(Operation.SET, place, [*array[:index], value, *array[index:]])


def _remove(now: _Translating, place: Segments, values: tuple[Any, ...]) -> _Wanted:
    if not values:
        return _Wanted(Operation.REMOVE, place)
    container, which = now.at(place), values[0]
    if len(values) > 1:
        raise _Refused("remove takes a path, or a path and a key, index or item.")
    if isinstance(container, dict):
        return _Wanted(Operation.REMOVE, (*place, _key(which)))
    if isinstance(container, list):
        found = [which] if is_number(which) else [n for n, item in enumerate(container) if same(item, which)]
        if len(found) == 1 and found[0] in range(len(container)):
            return _Wanted(Operation.REMOVE, (*place, str(int(found[0]))))
        raise _Refused("The array has no such item, or has it more than once.")
    raise _Refused("Something is removed from an object or an array.")


def _replaced(now: _Translating, segments: Segments, value: Any) -> _Wanted:
    _check_exists(now, segments)
    return _Wanted(Operation.SET, segments, value)


def _delta(_now: _Translating, segments: Segments, value: Any) -> _Wanted:
    if not is_number(value):
        raise _Refused("delta needs a number.")
    return _Wanted(Operation.INCREMENT, segments, by=value)


def _insert_patch(now: _Translating, segments: Segments, value: Any) -> _Wanted:
    if not segments:
        raise _Refused("insert names a place inside the value.")
    _check_exists(now, segments[:-1])
    container, key = now.at(segments[:-1]), segments[-1]
    if isinstance(container, dict):
        if key in container:
            raise _Refused(f"{shown(pointer.format(segments))} is there already; replace it.")
        return _Wanted(Operation.SET, segments, value)
    if isinstance(container, list):
        index = len(container) if key in (END, str(len(container))) else pointer.index_in(container, key)
        if index is not None:
            return _inserted(container, segments[:-1], index, value)
    raise _Refused(f"Nothing can be inserted at {shown(pointer.format(segments))}.")


def _removed(_now: _Translating, segments: Segments, _value: Any) -> _Wanted:
    if not segments:
        raise _Refused("The whole value cannot be removed.")
    return _Wanted(Operation.REMOVE, segments)


_CALLS: Mapping[str, Callable[[_Translating, Segments, tuple[Any, ...]], _Wanted]] = {
    "set": _set,
    "add": _add,
    "assign": _assign,
    "insert": _assign,
    "remove": _remove,
}
_PATCHES: Mapping[str, Callable[[_Translating, Segments, Any], _Wanted]] = {
    "replace": _replaced,
    "delta": _delta,
    "insert": _insert_patch,
    "add": _insert_patch,
    "remove": _removed,
}


def _change(wanted: _Wanted, reason: str, rule: Rule | None) -> Change:
    return Change(
        op=wanted.op,
        path=pointer.format(wanted.segments),
        segments=wanted.segments,
        reason=reason,
        rule_id=None if rule is None else rule.id,
        value=wanted.value,
        by=wanted.by,
    )


def _check_exists(now: _Translating, segments: Segments) -> None:
    if not isinstance(pointer.read(now.draft.value, segments), Found):
        raise _Refused(f"There is nothing at {shown(pointer.format(segments))}.")


def _read(value: Any, segments: Segments) -> Any:
    found = pointer.read(value, segments)
    if not isinstance(found, Found):
        raise _Refused(f"There is nothing at {shown(pointer.format(segments))}.")
    return found.value


def _key(raw: Any) -> str:
    key = str(raw) if is_number(raw) and isinstance(raw, int) else raw
    if not isinstance(key, str) or key in UNSAFE_KEYS:
        raise _Refused("A key is a text, and none of those that nothing may have.")
    return key


def _is_within(rule: Rule, by: Number) -> bool:
    low, high = rule.effect.minimum, rule.effect.maximum
    return (low is None or by >= low) and (high is None or by <= high)
