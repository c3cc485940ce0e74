"""The nearest thing that would have been right, for a path or a rule id that leads nowhere.

A help in words only: nothing is ever mended by it. Paths are looked for among the value's own, those that the schema
declares and the rules' targets, at most `CANDIDATES` of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any

from sessions_app.protocol import pointer
from sessions_app.protocol.definition import Definition

CANDIDATES = 1_000
SUGGESTIONS = 8
COMPARED_CHARS = 200
LIKENESS = 0.6

# Models write paths with dots, brackets and prefixes of other systems.
_STEPS = re.compile(r"[./\[\]#]+")


class Help:
    """What one namespace has to suggest, at most `SUGGESTIONS` times, as each look costs milliseconds."""

    def __init__(self, definition: Definition, value: Any) -> None:
        self.definition = definition
        self.value = value
        self.left = SUGGESTIONS

    def rule_id(self, wrong: str) -> str | None:
        """Return the id of the rule most like the wrong one, or None where none is."""
        return nearest_id(wrong, [rule.id for rule in self.definition.rules]) if self._may_look() else None

    def path(self, wrong: Any) -> str | None:
        """Return the path most like the wrong one, whatever separates its steps, or None where none is."""
        if not isinstance(wrong, str) or not self._may_look():
            return None
        found = _nearest(_spoken(wrong), self._paths)
        return None if found == wrong else found

    @cached_property
    def _paths(self) -> dict[str, str]:
        targets = (rule.target for rule in self.definition.rules)
        known = islice(chain(targets, _declared(self.definition.schema), _existing(self.value)), CANDIDATES)
        return {_spoken(path): path for path in known if path and len(path) <= COMPARED_CHARS}

    def _may_look(self) -> bool:
        self.left -= 1
        return self.left >= 0


def nearest_id(wrong: str, allowed: Iterable[str]) -> str | None:
    """Return the id most like the wrong one, or None where none is."""
    return _nearest(wrong, {each: each for each in islice(allowed, CANDIDATES)})


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
