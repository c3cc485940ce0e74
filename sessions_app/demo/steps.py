"""What a told session is made of: what each side says, and what the model wants to change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """One exchange. `refused` are changes that the model sends first, and that are refused; then come `changes`."""

    said: str
    reply: str
    changes: tuple[Json, ...] = ()
    refused: tuple[Json, ...] = ()


@dataclass(frozen=True)
class Regenerated:
    """The last reply is taken back and written again."""

    reply: str
    changes: tuple[Json, ...] = ()


@dataclass(frozen=True)
class Deleted:
    """An earlier reply is deleted, counted back from the last one (1)."""

    back: int
    reason: str


@dataclass(frozen=True)
class Corrected:
    """The host sets the state right by hand: another whole value, with a reason."""

    reason: str
    values: Json


@dataclass(frozen=True)
class Story:
    """A session to tell: how its state begins, its world book, and its steps."""

    title: str
    speaker: str
    greeting: str
    definition: Json
    value: Json
    book_title: str
    entries: tuple[Json, ...]
    steps: tuple[Turn | Regenerated | Deleted | Corrected, ...] = field(default_factory=tuple)


def add(path: str, by: Any, rule: str, reason: str) -> Json:
    return {"op": "increment", "path": path, "by": by, "ruleId": rule, "reason": reason}


def put(path: str, value: Any, rule: str, reason: str) -> Json:
    return {"op": "set", "path": path, "value": value, "ruleId": rule, "reason": reason}


def gain(path: str, value: Any, rule: str, reason: str) -> Json:
    return {"op": "append", "path": path, "value": value, "ruleId": rule, "reason": reason}


def lose(path: str, rule: str, reason: str) -> Json:
    return {"op": "remove", "path": path, "ruleId": rule, "reason": reason}
