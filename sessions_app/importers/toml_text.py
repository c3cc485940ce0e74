"""TOML with dates and times as the texts that were written, as nothing that JSON keeps is a date.

Dates are put in quotes before the standard parser reads them, which changes no key and no other value. Depth, also
that of dotted keys, is looked at before parsing, since the parser recurses and copies there.

Source: users of rp.state, section 3.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from sessions_app.importers.unreadable import Unreadable
from sessions_app.protocol.limits import Limits

# Texts and comments. Each matches without its end too, so that no text is looked at twice.
_TEXTS = (
    r'"""(?:[^\\]|\\[\s\S])*?(?:"""|\Z)'
    "|'''[\\s\\S]*?(?:'''|\\Z)"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    "|'[^'\n]*+'?"
    "|#[^\n]*+"
)
_TIME = r"\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
_DATE = rf"\d{{4}}-\d{{2}}-\d{{2}}(?:[Tt ]{_TIME}(?:[Zz]|[+-]\d{{2}}:\d{{2}})?)?"
_DATES = re.compile(rf"(?P<text>{_TEXTS})|(?<![\w.:+-])(?P<date>{_DATE}|{_TIME})(?![\w.:+-])", re.ASCII)
_MARKS = re.compile(rf"(?:{_TEXTS})|[\[\]{{}}.=,\n]")


def read_toml(text: str, limits: Limits) -> dict[str, Any]:
    """Return the table that `text` describes. Raises Unreadable."""
    plain = text.replace("\r\n", "\n")
    _check_depth(plain, limits.depth)
    try:
        return tomllib.loads(_DATES.sub(_quoted, plain))
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(f"This is no TOML: {error}.") from None
    except (ValueError, OverflowError):
        raise Unreadable("This is no TOML: a number is too large.") from None


def _quoted(found: re.Match[str]) -> str:
    return found["text"] if found["date"] is None else f'"{found["date"]}"'


def _check_depth(text: str, most: int) -> None:
    """Refuse brackets, or dots between two other marks, that lead deeper than `most` levels."""
    depth = dots = 0
    line = 1
    for mark in _MARKS.finditer(text):
        sign = mark[0]
        depth = max(0, depth + (sign in "[{") - (sign in "]}"))
        if sign == ".":
            dots += 1
        elif sign in "[]{}=,\n":
            dots = 0
        line += sign.count("\n")
        if depth > most or dots > most:
            raise Unreadable(f"This nests more than {most} levels; make it flatter.", line)
