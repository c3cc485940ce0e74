"""The commands in a model's reply: `<UpdateVariable>` with `_.set(…);` and the like, `<JSONPatch>` with a list.

- What stands in `<Analysis>`, in comments and outside of the blocks is no command.
- A command ends with a semicolon; a `//` comment behind it on its line is its reason.
- Arguments are literals, read as loose JSON. Nothing is executed.
- Each command that cannot be read is a refusal of its own. A block without its end is refused whole, since a reply
  that was cut off may lack more than its last line.

Source: users of rp.state, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sessions_app.importers.loose_json import read_loose_json
from sessions_app.importers.unreadable import Unreadable
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.text import is_blank, trimmed

BLOCK_CHARS = 262_144
SHOWN_COMMAND = 200

_TAG = re.compile("<(/?)(updatevariable|jsonpatch|analysis|analyze)>", re.IGNORECASE)
_COMMENT = r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
_STRING = r""""(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?"""
_COMMAND = re.compile(rf"{_COMMENT}|_\.(?P<name>[A-Za-z]{{1,40}})\s{{0,9}}\(")
_ARGUMENT = re.compile(rf"(?P<next>\n[ \t]{{0,99}}_\.)|[(\[{{]|[)\]}}]|{_STRING}|{_COMMENT}")
_END = re.compile(r"\s{0,99};(?:[ \t]{0,99}//(?P<reason>[^\n]*))?")
_FENCES = re.compile(r"^[ \t]{0,99}(?:```|~~~)[^\n]*$", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """One command: the name of a function with its arguments, or a patch with its members. `text` is for messages."""

    name: str
    text: str
    arguments: tuple[Any, ...] = ()
    patch: dict[str, Any] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True)
class Refusal:
    """A command that is not translated, and why."""

    command: str
    reason: str

    def as_json(self) -> dict[str, str]:
        return {"command": self.command, "reason": self.reason}


def commands_in(reply: str, limits: Limits) -> Iterator[Command | Refusal]:
    """Yield the commands of a reply in their order, or for each that cannot be read why not."""
    if len(reply) > BLOCK_CHARS:
        yield Refusal(reply[:SHOWN_COMMAND], f"The reply has more than {BLOCK_CHARS} characters.")
        return
    for tag, text in _parts(reply):
        if tag == "jsonpatch":
            yield from _patches(text, limits)
        elif tag == "updatevariable":
            yield from _calls(text, limits)
        else:
            yield Refusal(trimmed(text)[:SHOWN_COMMAND], "The block has no end, so that the reply may be cut off.")


def _parts(reply: str) -> Iterator[tuple[str, str]]:
    """Yield the innermost tag with each text that stands in a block; a text whose block has no end under ""."""
    found: list[tuple[str, str]] = []
    open_tags: list[str] = []
    begun = 0
    for mark in _TAG.finditer(reply):
        name = mark[2].lower()
        if open_tags:
            found.append((open_tags[-1], reply[begun : mark.start()]))
        if mark[1] and name in open_tags:
            del open_tags[open_tags.index(name) :]
        elif not mark[1] and name not in open_tags:
            open_tags.append(name)
        begun = mark.end()
        if not open_tags:
            yield from (part for part in found if part[0] in ("jsonpatch", "updatevariable"))
            found = []
    if open_tags:
        yield "", "".join(text for _, text in found) + reply[begun:]


def _calls(text: str, limits: Limits) -> Iterator[Command | Refusal]:
    position = 0
    while (found := _COMMAND.search(text, position)) is not None:
        position = found.end()
        if found["name"] is None:
            continue
        inside, position = _arguments_end(text, position)
        told = text[found.start() : min(position, found.start() + SHOWN_COMMAND)]
        end = _END.match(text, position)
        if inside is None:
            yield Refusal(told, "The command has no closing bracket.")
        elif end is None:
            yield Refusal(told, "The command does not end with a semicolon.")
        else:
            yield _call(found["name"], told, text[found.end() : inside], trimmed(end["reason"] or ""), limits)
            position = end.end()


def _arguments_end(text: str, start: int) -> tuple[int | None, int]:
    """Return where the arguments end, None where nothing closes them, and where to read on."""
    depth = 1
    for mark in _ARGUMENT.finditer(text, start):
        if mark["next"] is not None:
            return None, mark.start()
        depth += (mark[0] in ("(", "[", "{")) - (mark[0] in (")", "]", "}"))
        if depth == 0:
            return mark.start(), mark.end()
    return None, len(text)


def _call(name: str, told: str, arguments: str, reason: str, limits: Limits) -> Command | Refusal:
    try:
        values = read_loose_json(f"[{arguments}]", limits)
    except Unreadable as refusal:
        return Refusal(told, f"Only literal values are taken. {refusal.detail}")
    return Command(name, told, tuple(values), reason=reason)


def _patches(text: str, limits: Limits) -> Iterator[Command | Refusal]:
    plain = _FENCES.sub("", text)
    if is_blank(plain):
        return
    try:
        patches = read_loose_json(plain, limits)
    except Unreadable as refusal:
        yield Refusal(trimmed(plain)[:SHOWN_COMMAND], refusal.sentence())
        return
    for patch in patches if isinstance(patches, list) else [patches]:
        told = str(patch)[:SHOWN_COMMAND]
        if isinstance(patch, dict) and isinstance(patch.get("op"), str):
            yield Command(patch["op"], told, patch=patch)
        else:
            yield Refusal(told, "A patch is an object with op and path.")
