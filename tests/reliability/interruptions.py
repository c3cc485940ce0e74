"""Something done right before or right after the n-th step that an operation takes in the database.

A step is a statement, BEGIN and savepoints included, or a commit. Both databases go through the same two places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db import connection

COMMIT = "COMMIT"
Moment = Literal["before", "after"]


@dataclass
class Interruption:
    """When to interrupt, by what, and which steps were seen so far."""

    number: int
    moment: Moment
    act: Callable[[str], None]
    seen: list[str] = field(default_factory=list)
    is_done: bool = False

    def step(self, name: str, take: Callable[[], Any]) -> Any:
        """Take one step, and do what was asked for where this is its place."""
        self.seen.append(name)
        is_here = not self.is_done and len(self.seen) == self.number
        self.is_done = self.is_done or is_here
        if is_here and self.moment == "before":
            self.act(name)
        result = take()
        if is_here and self.moment == "after":
            self.act(name)
        return result


@contextmanager
def interrupted(interruption: Interruption) -> Iterator[Interruption]:
    """Count this thread's steps in the database and interrupt the one that was named."""

    def statement(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        return interruption.step(sql, lambda: execute(sql, params, many, context))

    commit = connection._commit
    # Django does not show commits to its wrappers.
    connection._commit = lambda: interruption.step(COMMIT, commit)
    try:
        with connection.execute_wrapper(statement):
            yield interruption
    finally:
        del connection._commit
