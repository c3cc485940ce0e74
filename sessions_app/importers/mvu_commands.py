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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sessions_app.importers.mvu_blocks import SHOWN_COMMAND, Command, Refusal, commands_in
from sessions_app.importers.mvu_meanings import CALLS, PATCHES, Refused, Wanted, read_at
from sessions_app.importers.mvu_paths import OLD_CELL, places_of
from sessions_app.protocol import pointer
from sessions_app.protocol.changes import Change, Draft, Inapplicable
from sessions_app.protocol.definition import Definition, Operation, Rule, UpdateMode
from sessions_app.protocol.errors import PointerInvalid, ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.numbers import Number
from sessions_app.protocol.pointer import Segments
from sessions_app.protocol.text import is_blank, shown, without_surrogates
from sessions_app.protocol.values import normalised

MAX_COMMANDS = 512


class Translation(NamedTuple):
    """Raw changes for one effect, the commands that gave none, and what dotted paths were read as."""

    changes: list[dict[str, Any]]
    refusals: list[Refusal]
    told: list[str]


@dataclass
class _Kept:
    """A change as it stands; `is_whole` where it sets a container to what commands made of it."""

    change: Change
    is_whole: bool


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
        except Refused as refusal:
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
        """Add the change that a command means. Raises Refused."""
        if self.definition.update_mode is UpdateMode.DISABLED:
            raise Refused("Updates of this namespace are off.")
        reason = command.reason if not is_blank(command.reason) else f"MVU: {command.text}"
        reason = without_surrogates(reason)[: min(SHOWN_COMMAND, self.limits.reason_chars)]
        if command.patch:
            self.put(self.patched(command.patch), reason)
            return
        meaning = CALLS.get(command.name)
        if meaning is None:
            raise Refused(f"There is no command {command.name}; known are {', '.join(CALLS)}.")
        place = self.place(command.arguments)
        arguments = tuple(self.literal(each) for each in command.arguments[1:])
        self.put(meaning(self.draft.value, place, arguments), reason)

    def put(self, wanted: Wanted, reason: str) -> None:
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
            raise Refused(f"An earlier command changes {shown(earlier.change.path)}; a commit changes a place once.")
        self.apply(self.draft, change)
        if earlier is None:
            self.kept.append(_Kept(change, is_whole))
        else:
            joined = f"{earlier.change.reason}; {change.reason}"[: self.limits.reason_chars]
            earlier.change = change._replace(reason=joined)

    def rule(self, path: str, wanted: Wanted) -> Rule | None:
        """Return the rule for an operation on a place; of several the first whose bounds are kept, or the first."""
        found = self.rules.get((path, wanted.op), [])
        fitting = (rule for rule in found if wanted.op is not Operation.INCREMENT or _is_within(rule, wanted.by))
        return next(fitting, found[0] if found else None)

    def around(self, wanted: Wanted, reason: str) -> tuple[Wanted, Rule]:
        """Return the setting of the nearest container that may be set, to what the command makes of it."""
        for depth in range(len(wanted.segments) - 1, -1, -1):
            segments = wanted.segments[:depth]
            rule = self.rule(pointer.format(segments), Wanted(Operation.SET, segments))
            if rule is not None:
                scratch = Draft(self.draft.value)
                self.apply(scratch, _change(wanted, reason, None))
                return Wanted(Operation.SET, segments, read_at(scratch.value, segments)), rule
        raise Refused(f"No rule allows {wanted.op.value} at {shown(pointer.format(wanted.segments))}.")

    def check_schema(self, wanted: Wanted) -> None:
        checks = {
            Operation.SET: self.definition.checker.check_part,
            Operation.APPEND: self.definition.checker.check_item,
        }
        check = checks.get(wanted.op)
        violation = None if check is None else check(wanted.value, wanted.segments)
        if violation is not None:
            place = pointer.format((*wanted.segments, *violation.segments))
            raise Refused(f"The value does not fit the schema: {shown(place)} {violation.sentence()}")

    def apply(self, draft: Draft, change: Change) -> None:
        try:
            draft.apply(change)
        except Inapplicable as stop:
            raise Refused(stop.detail) from None

    def place(self, arguments: tuple[Any, ...]) -> Segments:
        """Return the one place that a command's path spells."""
        if not arguments or not isinstance(arguments[0], str):
            raise Refused("The first argument is a path, as a text.")
        path = arguments[0]
        found = places_of(self.draft.value, path)
        if not found:
            raise Refused(f"{shown(path)} is no path of this state.")
        if len(found) > 1:
            raise Refused(f"{shown(path)} may mean {' or '.join(shown(pointer.format(each)) for each in found)}.")
        old = ", the value of the old pair" if path.endswith(OLD_CELL) and found[0][-1] != "0" else ""
        self.told.append(f"{shown(path)} was read as {shown(pointer.format(found[0]))}{old}.")
        return found[0]

    def literal(self, raw: Any) -> Any:
        try:
            return normalised(raw, self.limits)
        except ValueInvalid as refusal:
            raise Refused(refusal.sentence()) from None

    def patched(self, patch: Mapping[str, Any]) -> Wanted:
        """Return what one JSON Patch means."""
        op = patch["op"]
        meaning = PATCHES.get(op)
        if meaning is None:
            raise Refused(f"There is no patch {shown(op)}; known are {', '.join(PATCHES)}.")
        if op != "remove" and "value" not in patch:
            raise Refused(f"{op} needs a value.")
        try:
            segments = pointer.parse(patch.get("path"))
        except PointerInvalid as refusal:
            raise Refused(refusal.sentence()) from None
        return meaning(self.draft.value, segments, self.literal(patch.get("value")))


def _change(wanted: Wanted, reason: str, rule: Rule | None) -> Change:
    return Change(
        op=wanted.op,
        path=pointer.format(wanted.segments),
        segments=wanted.segments,
        reason=reason,
        rule_id=None if rule is None else rule.id,
        value=wanted.value,
        by=wanted.by,
    )


def _is_within(rule: Rule, by: Number) -> bool:
    low, high = rule.effect.minimum, rule.effect.maximum
    return (low is None or by >= low) and (high is None or by <= high)
