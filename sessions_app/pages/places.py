"""On which line of a JSON text a place stands, so that a problem can be found where it was typed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

# Possessive, so that no text makes the scan go back.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},]|[^\s\[\]{}:,"]++', re.DOTALL)

# How far each open array or object has come: an index, a key, or None where a key is awaited.
Levels = list["int | str | None"]


def line_of_place(text: str, path: str) -> int | None:
    """Return the line (from 1) on which a JSON Pointer leads; where the place is missing, that of the nearest above it.

    text: well-formed JSON. None where not even the first step is in it.
    """
    wanted = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]
    best, depth = (0, 0) if not wanted else (None, 0)
    for offset, found in _places(text):
        if len(found) == depth + 1 and found == wanted[: depth + 1]:
            best, depth = offset, depth + 1
            if depth == len(wanted):
                break
    return None if best is None else text.count("\n", 0, best) + 1


def _places(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield where each item of an array, and each key of an object, begins, with its path."""
    levels: Levels = []
    for token in _TOKEN.finditer(text):
        mark, top = token[0], levels[-1] if levels else ""
        if top is None and mark[0] == '"':
            levels[-1] = json.loads(mark)
            yield token.start(), list(map(str, levels))
            continue
        if isinstance(top, int) and mark not in "]},":
            yield token.start(), list(map(str, levels))
        _step(levels, mark)


def _step(levels: Levels, mark: str) -> None:
    if mark == "[":
        levels.append(0)
    elif mark == "{":
        levels.append(None)
    elif mark in "]}":
        del levels[-1:]
    elif mark == "," and levels:
        top = levels[-1]
        levels[-1] = top + 1 if isinstance(top, int) else None
