"""Following one command from its start to the last byte of its output: what arrives, and what must be asked in between.

A command is over when its shell has exited *and* its output pipe is at end of file: a background child that keeps the
pipe open delays the result, at the longest to the timeout. Source: state layer, "state.verify"; fabric, section 8.
"""

from __future__ import annotations

import enum
import os
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fabric_app.evidence.control import Guard, GuardLost, Message
from fabric_app.evidence.output import BoundedOutput

READ_BYTES = 262_144
CANCEL_POLL_SECONDS = 0.1
TICK_SECONDS = 1.0
# How much later than its own limit the guard may answer before it counts as lost.
ANSWER_SECONDS = 1.0


class Ending(enum.Enum):
    """Why following stopped."""

    OVER = "over"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


@dataclass
class Hooks:
    """What the caller wants to hear and to be asked while a command runs; times are those of `time.monotonic`."""

    on_output: Callable[[bytes], None] | None = None
    cancelled: Callable[[], bool] | None = None
    on_tick: Callable[[], None] | None = None
    next_poll: float = field(default_factory=lambda: time.monotonic() + CANCEL_POLL_SECONDS)
    next_tick: float = field(default_factory=lambda: time.monotonic() + TICK_SECONDS)

    def is_cancelled(self, now: float) -> bool:
        """Ask the caller, not more often than every `CANCEL_POLL_SECONDS`."""
        if self.cancelled is None or now < self.next_poll:
            return False
        self.next_poll = now + CANCEL_POLL_SECONDS
        return self.cancelled()

    def tick(self, now: float) -> None:
        if self.on_tick is not None and now >= self.next_tick:
            self.next_tick = now + TICK_SECONDS
            self.on_tick()

    def next_at(self) -> float:
        """Return when a hook is due; infinity where there is none."""
        poll = float("inf") if self.cancelled is None else self.next_poll
        tick = float("inf") if self.on_tick is None else self.next_tick
        return min(poll, tick)


class Following:
    """One command that the guard was asked to run. Close it: it holds the output pipe."""

    def __init__(self, guard: Guard, hooks: Hooks, output: BoundedOutput) -> None:
        self._guard = guard
        self._hooks = hooks
        self._output = output
        self._messages: dict[str, Message] = {}
        self._pipe: int | None = None
        self._selector = selectors.DefaultSelector()
        self._selector.register(guard.socket, selectors.EVENT_READ)

    def close(self) -> None:
        self._selector.close()
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    @property
    def pipe_is_open(self) -> bool:
        return self._pipe is not None

    def value(self, event: str, name: str) -> Any:
        """Return a value of a message that has arrived; None where it has not."""
        message = self._messages.get(event)
        return message and message.values.get(name)

    def follow(self, deadline: float) -> Ending:
        """Take in output until the command is over, refused, cancelled or too late. Raises GuardLost."""
        while True:
            if "refused" in self._messages:
                return Ending.REFUSED
            if "exited" in self._messages and self._pipe is None:
                return Ending.OVER
            now = time.monotonic()
            if now >= deadline:
                return Ending.TIMEOUT
            if self._hooks.is_cancelled(now):
                return Ending.CANCELLED
            self._hooks.tick(now)
            self._take_in(min(deadline, self._hooks.next_at()) - now)

    def sweep(self, drain_seconds: float) -> None:
        """Have the guard kill what is left; take in output to its end, but no longer than `drain_seconds`.

        Raises GuardLost where the guard does not answer.
        """
        self._guard.send({"do": "kill", "seconds": drain_seconds})
        drained_by = time.monotonic() + drain_seconds
        answered_by = drained_by + ANSWER_SECONDS
        while "swept" not in self._messages or self._pipe is not None:
            limit = drained_by if "swept" in self._messages else answered_by
            left = limit - time.monotonic()
            if left <= 0:
                break
            self._take_in(left)
        if "swept" not in self._messages:
            raise GuardLost

    def drain(self, seconds: float) -> None:
        """Take in output to its end without the guard, but no longer than `seconds`."""
        self._selector.unregister(self._guard.socket)
        until = time.monotonic() + seconds
        while self._pipe is not None and (left := until - time.monotonic()) > 0:
            self._take_in(left)

    def _take_in(self, seconds: float) -> None:
        for key, _ in self._selector.select(max(seconds, 0)):
            if key.fd == self._pipe:
                self._read(self._pipe)
            else:
                self._listen()

    def _listen(self) -> None:
        for message in self._guard.receive():
            self._messages[message.event] = message
            if message.descriptor is not None:
                self._pipe = message.descriptor
                self._selector.register(self._pipe, selectors.EVENT_READ)

    def _read(self, pipe: int) -> None:
        chunk = os.read(pipe, READ_BYTES)
        if not chunk:
            self._selector.unregister(pipe)
            os.close(pipe)
            self._pipe = None
            return
        self._output.feed(chunk)
        if self._hooks.on_output is not None:
            self._hooks.on_output(chunk)
