"""Lines and texts that people and models write: titles, names, reasons, messages."""

from __future__ import annotations

from fabric_app.mesh.errors import InvalidArguments, Problem
from sessions_app.limits import stored_limits
from sessions_app.models import TITLE_CHARS
from sessions_app.protocol.text import has_surrogate, is_blank, trimmed

REASON_CHARS = 4_096


def line_of(text: str, path: str, *, most: int = TITLE_CHARS, may_be_blank: bool = False) -> str:
    """Return a line of text without white space at its ends. Raises InvalidArguments with `path`."""
    line = trimmed(text)
    if not line and not may_be_blank:
        raise InvalidArguments([Problem(path, "blank", "must not be blank.")])
    if len(line) > most or "\0" in line or has_surrogate(line):
        raise InvalidArguments([Problem(path, "wrong_form", f"must have at most {most} characters, without NUL.")])
    return line


def reason_of(text: str, path: str = "/reason") -> str:
    """Return the reason for what somebody does. Raises InvalidArguments where it is blank."""
    if is_blank(text):
        raise InvalidArguments([Problem(path, "blank", "Say why: the log keeps it.")])
    return line_of(text, path, most=REASON_CHARS)


def message_text(text: str, path: str = "/text") -> str:
    """Return the text of a message as it is. Raises InvalidArguments where it is too long."""
    most = stored_limits().message_chars
    if len(text) > most or has_surrogate(text):
        raise InvalidArguments([Problem(path, "too_long", f"must have at most {most} characters.")])
    return text
