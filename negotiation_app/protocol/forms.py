"""Reading a body member by member: every independent problem is noted with its place, then the body is refused.

A reader takes a raw value, its JSON Pointer and the list of problems, and returns what it read, or None where it noted
a problem. Optional members that are null count as left out, unless their reader is `nullable`.

Source: canonical negotiation state, section 1, "Order of checks".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NoReturn

from fabric_app.mesh.errors import Problem
from fabric_app.mesh.strict_json import pointer
from negotiation_app.protocol import refusals
from negotiation_app.protocol.errors import NegotiationError

Problems = list[Problem]
Reader = Callable[[Any, str, Problems], Any]

MAX_TEXT = 20_000
MAX_TITLE = 200
# With the name of its table before it, a name has to fit the column of keys.
MAX_NAME = 180
MAX_ITEMS = 500
MAX_VERSION = 2**53 - 1
REF = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
DECIMAL = re.compile(r"(0|[1-9][0-9]{0,29})(\.[0-9]{1,30})?")
# Written by the server for events that have no ref of their own.
_SERVER_REF = re.compile(r"event-[0-9]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_FORM_ERRORS: dict[str, type[NegotiationError]] = {
    error.code: error
    for error in (
        refusals.BodyInvalid,
        refusals.ValueFormat,
        refusals.EventTypeUnknown,
        refusals.EventTypeReserved,
        refusals.EventPayloadMissing,
        refusals.OperationNotPermitted,
        refusals.ProtectedTarget,
    )
}


def read(reader: Reader, raw: Any) -> Any:
    """Return what `reader` makes of a whole body. Raises the error of the first problem, with all of them."""
    problems: Problems = []
    value = reader(raw, "", problems)
    if problems:
        refuse(problems)
    return value


def refuse(problems: Problems) -> NoReturn:
    summary = "; ".join(f"{problem.path or '/'} {problem.detail.removesuffix('.')}" for problem in problems)
    raise _FORM_ERRORS[problems[0].code](problems=problems, summary=summary)


def note(problems: Problems, path: str, detail: str, code: str = refusals.BodyInvalid.code) -> Any:
    """Note a problem; None comes back, in place of what could not be read."""
    problems.append(Problem(path, code, detail))
    return None


def members(required: Mapping[str, Reader], optional: Mapping[str, Reader] | None = None) -> Reader:
    """Read an object; the result has the members that were sent and no others."""
    readers = {**required, **(optional or {})}

    def read_members(raw: Any, path: str, problems: Problems) -> Any:
        if not isinstance(raw, dict):
            return note(problems, path, "has to be an object")
        for name in raw:
            if name not in readers:
                note(problems, pointer(path, name), "is not a member of this; leave it out")
        for name in required:
            if name not in raw or (raw[name] is None and not _takes_null(required[name])):
                note(problems, pointer(path, name), "is required")
        return {
            name: readers[name](value, pointer(path, name), problems)
            for name, value in raw.items()
            if name in readers and (value is not None or _takes_null(readers[name]))
        }

    return read_members


class nullable:  # noqa: N801 - reads as the other readers do
    """Let null through as a value of its own."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def __call__(self, raw: Any, path: str, problems: Problems) -> Any:
        return None if raw is None else self.reader(raw, path, problems)


def _takes_null(reader: Reader) -> bool:
    return isinstance(reader, nullable)


def words(raw: Any, path: str, problems: Problems) -> Any:
    """Any text, blank ones too, up to the limit."""
    if not isinstance(raw, str):
        return note(problems, path, "has to be a text")
    if len(raw) > MAX_TEXT:
        return note(problems, path, f"has more than {MAX_TEXT} characters")
    if not _is_whole(raw):
        return note(problems, path, "has half of a surrogate pair")
    return raw


def text(raw: Any, path: str, problems: Problems) -> Any:
    """A text that says something."""
    found = words(raw, path, problems)
    if found is not None and not found.strip():
        return note(problems, path, "must not be blank")
    return found


def short(limit: int) -> Reader:
    """A text that says something in at most `limit` characters."""

    def read_short(raw: Any, path: str, problems: Problems) -> Any:
        found = text(raw, path, problems)
        if found is not None and len(found) > limit:
            return note(problems, path, f"has more than {limit} characters")
        return found

    return read_short


def title(raw: Any, path: str, problems: Problems) -> Any:
    """A title, which has a column of its own: short, and without NUL, which not every database takes."""
    found = short(MAX_TITLE)(raw, path, problems)
    if found is not None and "\0" in found:
        return note(problems, path, "must not have a NUL character")
    return found


def name(raw: Any, path: str, problems: Problems) -> Any:
    """A name that becomes part of a field path: short, without slashes and control characters."""
    found = short(MAX_NAME)(raw, path, problems)
    if found is not None and ("/" in found or _CONTROL.search(found)):
        return note(problems, path, "must have neither a slash nor control characters")
    return found


def ref(raw: Any, path: str, problems: Problems) -> Any:
    if not isinstance(raw, str) or not REF.fullmatch(raw):
        return note(problems, path, f"has to be a ref: {REF.pattern}")
    return raw


def event_ref(raw: Any, path: str, problems: Problems) -> Any:
    """A client's own ref for an event; those that the server counts out are not for taking."""
    found = ref(raw, path, problems)
    if found is not None and _SERVER_REF.fullmatch(found):
        return note(problems, path, "is written by the server; choose another ref")
    return found


def flag(raw: Any, path: str, problems: Problems) -> Any:
    return raw if isinstance(raw, bool) else note(problems, path, "has to be true or false")


def version(raw: Any, path: str, problems: Problems) -> Any:
    if isinstance(raw, bool) or not isinstance(raw, int) or not 0 <= raw <= MAX_VERSION:
        return note(problems, path, "has to be a version number")
    return raw


def decimal(raw: Any, path: str, problems: Problems) -> Any:
    """A positive decimal number, as text."""
    if not isinstance(raw, str) or not DECIMAL.fullmatch(raw) or not raw.strip("0."):
        return note(problems, path, "has to be a positive decimal number as text", refusals.ValueFormat.code)
    return raw


def one_of(kind: type[StrEnum], *, without: tuple[StrEnum, ...] = ()) -> Reader:
    allowed = {str(item): item for item in kind if item not in without}

    def read_one(raw: Any, path: str, problems: Problems) -> Any:
        if not isinstance(raw, str) or raw not in allowed:
            return note(problems, path, f"has to be one of {', '.join(allowed)}")
        return allowed[raw]

    return read_one


def listed(reader: Reader, *, at_least: int = 0, key: Callable[[Any], Any] | None = None) -> Reader:
    """Read a list; `key` says what must not be there twice."""

    def read_list(raw: Any, path: str, problems: Problems) -> Any:
        if not isinstance(raw, list):
            return note(problems, path, "has to be a list")
        if not at_least <= len(raw) <= MAX_ITEMS:
            return note(problems, path, f"has to have {at_least} to {MAX_ITEMS} items")
        found = [reader(item, pointer(path, index), problems) for index, item in enumerate(raw)]
        if key is not None:
            _note_repeated([None if item is None else key(item) for item in found], path, problems)
        return found

    return read_list


def by_ref(reader: Reader, *, at_least: int = 0) -> Reader:
    """Read an object whose names are refs."""

    def read_by_ref(raw: Any, path: str, problems: Problems) -> Any:
        if not isinstance(raw, dict):
            return note(problems, path, "has to be an object")
        if not at_least <= len(raw) <= MAX_ITEMS:
            return note(problems, path, f"has to have {at_least} to {MAX_ITEMS} members")
        return {
            each: reader(value, pointer(path, each), problems)
            for each, value in raw.items()
            if ref(each, pointer(path, each), problems) is not None
        }

    return read_by_ref


def itself(item: Any) -> Any:
    return item


def ref_of(item: Mapping[str, Any]) -> Any:
    return item.get("ref")


def _note_repeated(keys: list[Any], path: str, problems: Problems) -> None:
    seen = set()
    for index, each in enumerate(keys):
        if each is not None and each in seen:
            note(problems, pointer(path, index), "is there twice")
        seen.add(each)


def _is_whole(found: str) -> bool:
    try:
        found.encode()
    except UnicodeEncodeError:
        return False
    return True
