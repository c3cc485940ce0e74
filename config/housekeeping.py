"""Work that is due again and again in a process that lives: a thread that calls each round when its time has come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog
from django.db import connections

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Round:
    """Something to do every `every_seconds`, first at once."""

    name: str
    every_seconds: float
    act: Callable[[], object]


class Housekeeping(threading.Thread):
    """Calls rounds until it is told to stop. A round that fails is logged and comes again at its next time."""

    def __init__(self, rounds: Sequence[Round]) -> None:
        super().__init__(name="housekeeping", daemon=True)
        self._rounds = tuple(rounds)
        self._stopping = threading.Event()

    def run(self) -> None:
        due = dict.fromkeys(self._rounds, time.monotonic())
        while not self._stopping.wait(max(0.0, min(due.values()) - time.monotonic())):
            now = time.monotonic()
            for each in [each for each, at in due.items() if at <= now]:
                _act(each)
                due[each] = time.monotonic() + each.every_seconds

    def stop(self, *, wait_seconds: float) -> None:
        """Ask for the end and wait for a round that is under way, within the limit."""
        self._stopping.set()
        self.join(wait_seconds)


def _act(each: Round) -> None:
    try:
        each.act()
    except Exception:  # a database that is away for a while must not end the thread
        log.exception("housekeeping round failed", round=each.name)
    finally:
        # Between rounds nothing is held: a process that forks now gives no connection to its child.
        connections.close_all()
