"""A value as a tree that people read: a flat list of steps, cut to what a page can bear, with what changed marked.

Templates open and close lists as the steps say, so that no template calls itself. What is left out has an address that
shows the rest: each place of a value can be looked at alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

from sessions_app.pages.printing import Text, cut, inline
from sessions_app.protocol import pointer

TREE_STEPS = 250
TEXT_CHARS = 300
KEY_CHARS = 120
PATH_CHARS = 200
# A longer place has no address of its own: the whole value is downloaded instead.
ADDRESS_PATH_CHARS = 600
# So many bytes of text weigh as much as a step of the tree itself.
STEP_BYTES = 200
OPEN_DEPTH = 3
OPEN_CHILDREN = 40
NO_TEXT = Text("")


class Kind(StrEnum):
    LEAF = "leaf"
    OPEN = "open"
    CLOSE = "close"
    REST = "rest"


@dataclass(frozen=True)
class Step:
    """One step of a tree.

    path: a JSON Pointer, or its beginning. was: what stood there before the last turn, None where it was nothing.
    place: where this place is looked at alone, copied and corrected. address: where what is cut here is shown.
    """

    kind: Kind
    key: str = ""
    path: str = ""
    type: str = ""
    text: Text = NO_TEXT
    size: str = ""
    is_open: bool = False
    is_changed: bool = False
    was: Text | None = None
    address: str = ""
    place: str = ""


@dataclass
class Budget:
    """How many more steps a page takes."""

    left: int = TREE_STEPS

    def spend(self, step: Step) -> None:
        """Count a step, and its texts by their weight."""
        texts = (step.key, step.path, step.text.shown, step.was.shown if step.was else "", step.address, step.place)
        self.left -= 1 + sum(len(text.encode("utf-8", "replace")) for text in texts) // STEP_BYTES


@dataclass(frozen=True)
class Mark:
    """What the last turn did at a place: what stood there before, None where there was nothing."""

    was: Text | None


@dataclass(frozen=True)
class Tree:
    """Draws one value.

    rest_address: of a place, from one of its children on. file_address: of the whole value. marks: by path.
    """

    rest_address: Callable[[str, int], str]
    file_address: str
    marks: Mapping[str, Mark] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)

    def steps(self, value: Any, path: str = "", start: int = 0) -> list[Step]:
        """Return the steps for the children of a container, from one on, or for a single scalar."""
        if not isinstance(value, dict | list):
            return [self._leaf("", path, value)]
        found: list[Step] = []
        self._children(value, path, 0, start, found)
        return found

    def _children(self, value: Any, path: str, depth: int, start: int, found: list[Step]) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for index, (key, each) in enumerate(islice(items, start, None), start=start):
            if self.budget.left <= 0:
                rest = Text(f"{len(value) - index} more")
                self._add(Step(Kind.REST, text=rest, address=self._address(path, index)), found)
                return
            self._node(str(key), each, pointer.below(path, key), depth, found)

    def _node(self, key: str, value: Any, path: str, depth: int, found: list[Step]) -> None:
        if not isinstance(value, dict | list) or not value:
            self._add(self._leaf(key, path, value), found)
            return
        mark = self.marks.get(path)
        is_inside = any(place.startswith(f"{path}/") for place in self.marks)
        self._add(
            Step(
                Kind.OPEN,
                key=key[:KEY_CHARS],
                path=path[:PATH_CHARS],
                type="list" if isinstance(value, list) else "object",
                size=f"{len(value)} {'item' if isinstance(value, list) else 'member'}{'' if len(value) == 1 else 's'}",
                is_open=is_inside or (depth < OPEN_DEPTH and len(value) <= OPEN_CHILDREN),
                is_changed=mark is not None,
                was=mark.was if mark else None,
                place=self._address(path, 0),
            ),
            found,
        )
        self._children(value, path, depth + 1, 0, found)
        found.append(Step(Kind.CLOSE))

    def _leaf(self, key: str, path: str, value: Any) -> Step:
        mark = self.marks.get(path)
        text = cut(value, TEXT_CHARS) if isinstance(value, str) else inline(value, TEXT_CHARS)
        return Step(
            Kind.LEAF,
            key=key[:KEY_CHARS],
            path=path[:PATH_CHARS],
            type=_type_of(value),
            text=text,
            address=self._address(path, 0) if text.left else "",
            is_changed=mark is not None,
            was=mark.was if mark else None,
            place=self._address(path, 0) if key else "",
        )

    def _add(self, step: Step, found: list[Step]) -> None:
        self.budget.spend(step)
        found.append(step)

    def _address(self, path: str, start: int) -> str:
        return self.rest_address(path, start) if len(path) <= ADDRESS_PATH_CHARS else self.file_address


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text" if value else "empty"
    return "empty"
