"""JSON as authors of cards write it: comments, single quotes, trailing commas, keys without quotes.

Beyond JSON5 a comma may be missing where the next member or item begins on another line. Refused, with their place:
anything that is no literal (`undefined`, `NaN`, texts without quotes), keys that are there twice, more depth or nodes
than the limits allow. lark's LALR parser keeps its own stack, so that no text is too deep for it.

Source: users of rp.state, section 3, "Loose JSON is normal".
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from sessions_app.importers.unreadable import Unreadable
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.numbers import as_double
from sessions_app.protocol.text import shown

GRAMMAR = Path(__file__).with_name("loose_json.lark")
MAX_INTEGER_CHARS = 17

_WORDS = {"true": True, "false": False, "null": None}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class _Part(NamedTuple):
    """A value, and the lines on which its text begins and ends."""

    value: Any
    first_line: int
    last_line: int


def read_loose_json(text: str, limits: Limits) -> Any:
    """Return the value that `text` describes. Raises Unreadable."""
    reading = _parser().parse_interactive(text.replace("\r\n", "\n").replace("\r", "\n"))
    depth = nodes = 0
    try:
        for token in reading.iter_parse():
            nodes += token.type in {"OPEN_OBJECT", "OPEN_ARRAY", "STRING", "NUMBER", "NAME"}
            depth += (token.type in {"OPEN_OBJECT", "OPEN_ARRAY"}) - (token.type in {"CLOSE", "END"})
            if depth > limits.depth:
                raise _refused(token, f"this nests more than {limits.depth} levels; make it flatter.")
            if nodes > 2 * limits.nodes:
                raise _refused(token, f"there are more than {limits.nodes} parts; bring less.")
        return reading.feed_eof().value
    except UnexpectedCharacters as stop:
        raise Unreadable("This is no JSON: the character is not expected here.", stop.line, stop.column) from None
    except UnexpectedToken as stop:
        if stop.token.type == "$END":
            raise Unreadable("This is no JSON: the text ends too early; something is not closed.") from None
        raise _refused(stop.token, f"{shown(str(stop.token))} is not expected here.") from None


class _Building(Transformer[Token, Any]):
    """What each rule of the grammar becomes; called by the parser at each reduction."""

    def start(self, parts: list[_Part]) -> _Part:
        return parts[0]

    def whole(self, parts: list[Any]) -> _Part:
        return _Part(parts[1].value, parts[0].line, parts[-1].line)

    def empty_object(self, parts: list[Token]) -> _Part:
        return _Part({}, _line(parts[0]), _line(parts[-1]))

    def empty_array(self, parts: list[Token]) -> _Part:
        return _Part([], _line(parts[0]), _line(parts[-1]))

    def string(self, parts: list[Token]) -> _Part:
        text = _ESCAPE.sub(_unescaped, str(parts[0])[1:-1])
        text = _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
        return _Part(text, _line(parts[0]), _line(parts[0]) + str(parts[0]).count("\n"))

    def number(self, parts: list[Token]) -> _Part:
        return _Part(_number(parts[0]), _line(parts[0]), _line(parts[0]))

    def word(self, parts: list[Token]) -> _Part:
        if str(parts[0]) not in _WORDS:
            raise _refused(parts[0], f"{shown(str(parts[0]))} is no literal; put a text in quotes.")
        return _Part(_WORDS[str(parts[0])], _line(parts[0]), _line(parts[0]))

    def name(self, parts: list[Token]) -> _Part:
        return _Part(str(parts[0]), _line(parts[0]), _line(parts[0]))

    def first_member(self, parts: list[Any]) -> _Part:
        key, _, value = parts
        return _Part({key.value: value.value}, key.first_line, value.last_line)

    def next_member(self, parts: list[Any]) -> _Part:
        members, key, value = parts[0], parts[-3], parts[-1]
        if key.value in members.value:
            raise Unreadable(f"The key {shown(key.value)} is there twice; keep one.", key.first_line)
        members.value[key.value] = value.value
        return members._replace(last_line=value.last_line)

    def member_on_next_line(self, parts: list[Any]) -> _Part:
        _check_line(parts[0], parts[1])
        return self.next_member(parts)

    def first_item(self, parts: list[_Part]) -> _Part:
        return parts[0]._replace(value=[parts[0].value])

    def next_item(self, parts: list[Any]) -> _Part:
        items, item = parts[0], parts[-1]
        items.value.append(item.value)
        return items._replace(last_line=item.last_line)

    def item_on_next_line(self, parts: list[_Part]) -> _Part:
        _check_line(parts[0], parts[1])
        return self.next_item(parts)


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR.read_text(encoding="utf-8"), parser="lalr", transformer=_Building(), maybe_placeholders=False)


def _check_line(before: _Part, after: _Part) -> None:
    if after.first_line <= before.last_line:
        raise Unreadable("A comma is missing; put one before this member.", after.first_line)


def _number(token: Token) -> Any:
    text = str(token).lower()
    try:
        if "0x" in text:
            number: int | float = int(text, 16)
        else:
            number = int(text) if len(text) < MAX_INTEGER_CHARS and text.lstrip("+-").isdigit() else float(text)
    except (ValueError, OverflowError):
        raise _refused(token, "the number cannot be read.") from None
    kept = as_double(number)
    if kept is None:
        raise _refused(token, "the number is too large for a double; give a smaller one.")
    return kept


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])


def _line(token: Token) -> int:
    return token.line or 1


def _refused(token: Token, detail: str) -> Unreadable:
    return Unreadable(f"This is no JSON: {detail}", token.line, token.column)
