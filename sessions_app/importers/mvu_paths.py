"""Paths as MVU writes them (`角色.阿遥.好感度`, `任务[0].名`), looked up among the places that a value has.

A path is not taken apart by rules: at each place every key that the rest of the path begins with is tried, and the
path means a place only if exactly one is found. `[0]` behind a scalar is what the old style wrote for a value in its
cell, and means the scalar.

Source: users of rp.state, section 4 and habit 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from sessions_app.protocol.pointer import Segments, index_in

OLD_CELL = "[0]"
PATH_CHARS = 1_000
ENOUGH = 2

_STEP_END = re.compile(r"[.\[]|\Z")
_INDEX = re.compile(r"\[(\d{1,9})\]|(\d{1,9})(?=[.\[]|\Z)", re.ASCII)
_QUOTED = re.compile(r"""\[("(?:[^"\\]|\\.)*+"|'[^'"\\]*+')\]""")


def places_of(value: Any, path: str) -> list[Segments]:
    """Return the places that a path may mean: none, one, or two where it is ambiguous."""
    if len(path) > PATH_CHARS:
        return []
    found: list[Segments] = []
    # Places that were come to, with how much of the path led there. A value is a tree, so each is come to once.
    waiting: list[tuple[Any, int, Segments]] = [(value, 0, ())]
    while waiting and len(found) < ENOUGH:
        here, position, segments = waiting.pop()
        is_old_cell = path[position:] == OLD_CELL and not isinstance(here, dict | list)
        if segments and (position == len(path) or is_old_cell):
            found.append(segments)
        else:
            waiting += [(inner, end, (*segments, key)) for key, inner, end in _steps(here, path, position)]
    return found


def _steps(here: Any, path: str, position: int) -> Iterator[tuple[str, Any, int]]:
    """Yield each key that the path may go on with: the key, what is there, and how much of the path is used."""
    start = position + 1 if position and path[position : position + 1] == "." else position
    is_after_dot = start > position or position == 0
    if isinstance(here, list):
        index = _INDEX.match(path, position if path[position : position + 1] == "[" else start)
        key = None if index is None else index[1] or index[2]
        if key is not None and index is not None and (number := index_in(here, key)) is not None:
            yield key, here[number], index.end()
    elif isinstance(here, dict):
        if is_after_dot:
            for end in _STEP_END.finditer(path, start):
                key = path[start : end.start()]
                if key in here:
                    yield key, here[key], end.start()
        yield from _quoted_steps(here, path, position)


def _quoted_steps(here: dict[str, Any], path: str, position: int) -> Iterator[tuple[str, Any, int]]:
    quoted = _QUOTED.match(path, position)
    if quoted is not None:
        key = _unquoted(quoted[1])
        if key in here:
            yield key, here[key], quoted.end()
    index = _INDEX.match(path, position)
    if index is not None and index[1] in here:
        yield index[1], here[index[1]], index.end()


def _unquoted(text: str) -> str | None:
    if text.startswith("'"):
        return text[1:-1]
    try:
        return str(json.loads(text))
    except ValueError:
        return None
