"""What kind of file somebody brings, by its content; the name decides nothing.

Source: users of rp.state, "The files people bring".
"""

from __future__ import annotations

import codecs
import re
from enum import StrEnum
from typing import Any

from fabric_app.mesh.errors import Problem
from sessions_app.importers.cards import is_card
from sessions_app.importers.charx import is_archive
from sessions_app.importers.chat import is_chat_line
from sessions_app.importers.errors import JSONUnreadable, KindUnknown, NotAWorldBook
from sessions_app.importers.json_text import check_size, read_json
from sessions_app.importers.limits import DEFAULT_IMPORT_LIMITS, ImportLimits
from sessions_app.importers.png import SIGNATURE
from sessions_app.importers.world_info import book_in

SESSION_FORMAT = "statehouse.session"
# Sessions are large, and what is written here begins with this; other ones are told by their value.
_SESSION_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"statehouse\.session"')
EXPECTED = (
    "Expected a character card (JSON, PNG or charx), a world book (JSON with entries), a chat (one JSON object a line) "
    "or a session that was exported here."
)


class FileKind(StrEnum):
    """What can be imported."""

    CARD = "card"
    WORLD_INFO = "world-info"
    CHAT = "chat"
    SESSION = "session"


def kind_of(content: bytes, filename: str = "", limits: ImportLimits = DEFAULT_IMPORT_LIMITS) -> FileKind:
    """Return the kind of a file. Raises KindUnknown, which says what was expected, and ImportTooLarge.

    filename: for the refusal alone.
    """
    if _SESSION_START.match(content):
        return FileKind.SESSION
    check_size(content, limits)
    if content.startswith(SIGNATURE) or is_archive(content):
        return FileKind.CARD
    if _is_chat(content, limits):
        return FileKind.CHAT
    try:
        value = read_json(content, limits)
    except JSONUnreadable as refused:
        raise _unknown(filename, refused.problems) from None
    kind = _kind_of_value(value)
    if kind is None:
        raise _unknown(filename)
    return kind


def _kind_of_value(value: Any) -> FileKind | None:
    if not isinstance(value, dict):
        return None
    if value.get("format") == SESSION_FORMAT:
        return FileKind.SESSION
    try:
        book_in(value)
    except NotAWorldBook:
        return FileKind.CARD if is_card(value) else None
    return FileKind.WORLD_INFO


def _is_chat(content: bytes, limits: ImportLimits) -> bool:
    """Tell whether the first line that is not blank is a chat's own."""
    text = content.removeprefix(codecs.BOM_UTF8).lstrip()
    line, *_ = text.split(b"\n", 1)
    if not line.startswith(b"{") or len(line) > limits.text_bytes:
        return False
    try:
        return is_chat_line(read_json(line, limits))
    except JSONUnreadable:
        return False


def _unknown(filename: str, problems: tuple[Problem, ...] = ()) -> KindUnknown:
    shown = f"{filename[:80]}: " if filename.isprintable() and filename else ""
    return KindUnknown([Problem("", KindUnknown.code, f"{shown}{EXPECTED}"), *problems])
