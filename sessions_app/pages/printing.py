"""JSON and texts as pages print them: short enough for a page, and saying where they were cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

RAW_CHARS = 20_000
INLINE_CHARS = 400


@dataclass(frozen=True)
class Text:
    """A text for a page; `left` is how many characters of it are not shown."""

    shown: str
    left: int = 0


def cut(text: str, most: int) -> Text:
    """Return a text, or its beginning where it is longer."""
    return Text(text) if len(text) <= most else Text(text[:most], len(text) - most)


def inline(value: Any, most: int = INLINE_CHARS) -> Text:
    """Return a value on one line; of a large one only the beginning is written."""
    whole, parts, length = True, [], 0
    for part in _pieces(value, None):
        parts.append(part)
        length += len(part)
        if length > most:
            whole = False
            break
    text = "".join(parts)
    return Text(text) if whole else Text(text[:most], 1)


def pretty(value: Any, *, most: int | None = RAW_CHARS) -> Text:
    """Return JSON over several lines; of a large value only the beginning is written. most: None for all of it."""
    parts, length = [], 0
    for part in _pieces(value, 2):
        parts.append(part)
        length += len(part)
        if most is not None and length > most:
            return Text("".join(parts)[:most], 1)
    return Text("".join(parts))


def whole(value: Any) -> str:
    """Return all of a value as JSON over several lines, as forms hold it."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _pieces(value: Any, indent: int | None) -> Iterator[str]:
    """Yield the text of a value piece by piece, so that a large one is not written to its end."""
    return json.JSONEncoder(indent=indent, ensure_ascii=False).iterencode(value)
