"""JSON as it comes in from outside: parsed exactly, or refused with a pointer to each place that is wrong.

Refused are: bytes that are not UTF-8, syntax errors and trailing data, duplicate keys, NaN and infinities (`1e999`
too), lone surrogates, integers beyond 2^53 - 1 in size, and nesting deeper than the limit. Depth is looked at before
parsing, since the standard parser fails in a way of its own there. Independent problems are reported together.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from fabric_app.mesh.errors import Problem, StatehouseError

MAX_DEPTH = 64
MAX_SAFE_INTEGER = 2**53 - 1
MAX_PROBLEMS = 50
MAX_POINTER_CHARS = 500
# Longer texts of digits are out of range whatever they say, and would be slow to convert.
MAX_INTEGER_CHARS = len(str(-MAX_SAFE_INTEGER))

# Possessive, and with an optional closing quote, so that no text makes the scan go back.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{},:]', re.DOTALL)
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class InvalidJSON(StatehouseError):
    """The content is not JSON, or not the part of JSON that is stored without loss."""

    code, status = "INVALID_JSON", 400
    message = "The body is not acceptable JSON: {summary}"

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = tuple(problems)
        summary = "; ".join(f"{problem.path or '/'}: {problem.detail}" for problem in problems)
        super().__init__(summary=summary, errors=[problem.as_json() for problem in problems])

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.sentence(), "errors": self.details["errors"]}


class JSONTooLarge(StatehouseError):
    """The content has more bytes than the door takes."""

    code, status = "REQUEST_TOO_LARGE", 413
    message = "The body has more than {limitBytes} bytes. Send less in one request."


@dataclass(frozen=True)
class _Refused:
    """Stands in a parsed value where a number was refused."""

    code: str
    detail: str


@dataclass(frozen=True)
class _Repeated:
    """Stands in a parsed value for an object that names a key twice."""

    pairs: list[tuple[str, Any]]


def loads(
    content: str | bytes,
    *,
    max_depth: int = MAX_DEPTH,
    max_bytes: int | None = None,
    integers_as_doubles: bool = False,
) -> Any:
    """Return the value that `content` describes.

    max_depth: how many arrays and objects may stand in one another. max_bytes: of UTF-8; None for content that is
    bounded elsewhere. integers_as_doubles: a larger integer becomes the nearest double, for protocols whose numbers
    are doubles, and is not refused. Raises InvalidJSON with every problem found, JSONTooLarge.
    """
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    if max_bytes is not None and len(raw) > max_bytes:
        raise JSONTooLarge(limitBytes=max_bytes)
    text = content if isinstance(content, str) else _decoded(content)
    _check_depth(text, max_depth)
    value, is_suspect = _parsed(text, _RoundingReader() if integers_as_doubles else _Reader())
    if is_suspect or _SURROGATE_ESCAPE.search(text) or _SURROGATE.search(text):
        problems = _first(_problems(value, ""), MAX_PROBLEMS)
        if problems:
            raise InvalidJSON(problems)
    return value


def pointer(base: str, step: str | int) -> str:
    """Return the JSON Pointer one step below `base`; what cannot be shown in it is escaped, an endless one cut."""
    if len(base) > MAX_POINTER_CHARS:
        return base
    name = str(step)[:MAX_POINTER_CHARS].replace("~", "~0").replace("/", "~1")
    return f"{base}/{_SURROGATE.sub(_escaped, name)}"


def _escaped(surrogate: re.Match[str]) -> str:
    return f"\\u{ord(surrogate[0]):04x}"


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        _refuse("", "not_utf8", f"byte {error.start} is not UTF-8: send JSON in UTF-8")


def _check_depth(text: str, max_depth: int) -> None:
    depth = 0
    for token in _BRACKETS.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth > max_depth:
                _refuse(_pointer_at(text, token.start()), "too_deep", f"nest at most {max_depth} levels")
        elif token[0] in "]}":
            depth -= 1


class _Reader:
    """The standard parser's hooks: what is refused leaves a stand-in in the value, and a note that there is one."""

    def __init__(self) -> None:
        self.has_refused = False

    def integer(self, digits: str) -> Any:
        if len(digits) <= MAX_INTEGER_CHARS and abs(number := int(digits)) <= MAX_SAFE_INTEGER:
            return number
        return self.large_integer(digits)

    def large_integer(self, _digits: str) -> Any:
        return self._refused("integer_too_large", "use integers within 2^53 - 1, or send the number as a text")

    def fraction(self, digits: str) -> Any:
        number = float(digits)
        if math.isfinite(number):
            return number
        return self._refused("number_too_large", "the number has no finite double: send a smaller one")

    def constant(self, name: str) -> Any:
        return self._refused("not_a_number", f"{name} is not JSON: leave it out or send null")

    def members(self, pairs: list[tuple[str, Any]]) -> Any:
        distinct = dict(pairs)
        if len(distinct) == len(pairs):
            return distinct
        self.has_refused = True
        return _Repeated(pairs)

    def _refused(self, code: str, detail: str) -> _Refused:
        self.has_refused = True
        return _Refused(code, detail)


class _RoundingReader(_Reader):
    """Reads an integer beyond 2^53 - 1 as the nearest double."""

    def large_integer(self, digits: str) -> Any:
        return self.fraction(digits)


def _parsed(text: str, reader: _Reader) -> tuple[Any, bool]:
    """Return the value with stand-ins where something is refused, and whether there are any."""
    try:
        value = json.loads(
            text,
            parse_int=reader.integer,
            parse_float=reader.fraction,
            parse_constant=reader.constant,
            object_pairs_hook=reader.members,
        )
    except json.JSONDecodeError as error:
        place = f"{error.msg} at line {error.lineno}, column {error.colno}"
        _refuse(_pointer_at(text, error.pos), "syntax", place)
    return value, reader.has_refused


def _problems(value: Any, path: str) -> Iterator[Problem]:
    """Yield what is wrong in a parsed value, in reading order. Depth is bounded by then."""
    if isinstance(value, _Refused):
        yield Problem(path, value.code, value.detail)
    elif isinstance(value, str):
        if _SURROGATE.search(value):
            yield Problem(path, "lone_surrogate", "the text has half of a surrogate pair: send whole characters")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _problems(item, pointer(path, index))
    elif isinstance(value, dict):
        yield from _member_problems(list(value.items()), path)
    elif isinstance(value, _Repeated):
        yield from _member_problems(value.pairs, path)


def _member_problems(pairs: list[tuple[str, Any]], path: str) -> Iterator[Problem]:
    seen: set[str] = set()
    for name, item in pairs:
        place = pointer(path, name)
        if name in seen:
            yield Problem(place, "duplicate_key", "the key is there twice: send it once")
        if _SURROGATE.search(name):
            yield Problem(place, "lone_surrogate", "the key has half of a surrogate pair: send whole characters")
        seen.add(name)
        yield from _problems(item, place)


def _first(problems: Iterator[Problem], limit: int) -> list[Problem]:
    return [problem for problem, _ in zip(problems, range(limit), strict=False)]


def _pointer_at(text: str, end: int) -> str:
    """Return the JSON Pointer of the value that is being read at character `end`."""
    # Each level is the index that an array has come to, or the key that an object has; None while a key is awaited.
    levels: list[int | str | None] = []
    for token in _TOKEN.finditer(text, 0, end):
        _step(levels, token[0])
    path = ""
    for level in levels:
        if level is not None:
            path = pointer(path, level)
    return path


def _step(levels: list[int | str | None], mark: str) -> None:
    if mark == "[":
        levels.append(0)
    elif mark == "{":
        levels.append(None)
    elif mark in "]}":
        del levels[-1:]
    elif mark == "," and levels:
        top = levels[-1]
        levels[-1] = top + 1 if isinstance(top, int) else None
    elif mark[0] == '"' and levels and levels[-1] is None:
        levels[-1] = mark[1:].removesuffix('"')


def _refuse(path: str, code: str, detail: str) -> NoReturn:
    raise InvalidJSON([Problem(path, code, detail)])
