"""The nearest thing that would have been right, for a path or a rule id that leads nowhere.

A help in words only: nothing is ever mended by it. Paths are looked for among the value's own, those that the schema
declares and the rules' targets, at most `CANDIDATES` of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from sessions_app.protocol import pointer
from sessions_app.protocol.definition import Definition

CANDIDATES = 1_000
COMPARED_CHARS = 200
LIKENESS = 0.6

# Models write paths with dots, brackets and prefixes of other systems.
_STEPS = re.compile(r"[./\[\]#]+")


def nearest_id(wrong: str, allowed: Iterable[str]) -> str | None:
    """Return the id of a rule or namespace most like the wrong one, or None where none is."""
    return _nearest(wrong, {each: each for each in allowed})


def nearest_path(wrong: Any, value: Any, definition: Definition) -> str | None:
    """Return the path most like the wrong one, whatever separates its steps, or None where none is."""
    if not isinstance(wrong, str):
        return None
    known = chain((rule.target for rule in definition.rules), _declared(definition.schema), _existing(value))
    candidates = {_spoken(path): path for path in islice(known, CANDIDATES) if path and len(path) <= COMPARED_CHARS}
    found = _nearest(_spoken(wrong), candidates)
    return None if found == wrong else found


def _nearest(wrong: str, candidates: dict[str, str]) -> str | None:
    found = difflib.get_close_matches(wrong[:COMPARED_CHARS], candidates, n=1, cutoff=LIKENESS)
    return candidates[found[0]] if found else None


def _spoken(path: str) -> str:
    return _STEPS.sub("/", path.lower()).strip("/")


def _existing(value: Any) -> Iterator[str]:
    """Yield the paths of a value, outermost first."""
    level = [("", value)]
    while level:
        deeper = []
        for path, container in level:
            for step, item in _members(container):
                place = pointer.below(path, step)
                yield place
                deeper.append((place, item))
        level = deeper


def _members(container: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(container, dict):
        return container.items()
    return enumerate(container) if isinstance(container, list) else ()


def _declared(schema: Any) -> Iterator[str]:
    """Yield the paths of properties that a schema names, outermost first."""
    level = [("", schema)]
    while level:
        deeper = []
        for path, node in level:
            for name, inner in node.get("properties", {}).items():
                place = pointer.below(path, name)
                yield place
                deeper.append((place, inner))
        level = deeper
