"""Running evidence commands: `/bin/sh -c COMMAND` one after the other, each in a session of its own, under one guard.

- Exit 0 is `confirmed`, any other exit `violated`; everything else that ends a command is `error`, never an exception.
- Timeout and cancel kill the group with SIGKILL and wait for shell and pipe, but no longer than the drain limit.
- Nothing that a command started outlives it: not its group, nor (on Linux) a descendant that left the group.
- If the process that holds the run dies, the guard kills everything.

No signal handler, no thread, no other child process of the caller is touched; any thread may hold a run, one at a time.
A hook that raises ends the run: everything is killed, and the exception passes on. POSIX only.
Source: state layer, "state.verify"; fabric, section 8.
"""

from __future__ import annotations

import errno
import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fabric_app.evidence.control import Guard, GuardLost
from fabric_app.evidence.environment import Identity, command_environment, identity_of
from fabric_app.evidence.errors import EvidenceNotSupported
from fabric_app.evidence.following import Ending, Following, Hooks
from fabric_app.evidence.limits import RunLimits
from fabric_app.evidence.outcome import (
    ABORTED,
    GUARD_LOST,
    CommandOutcome,
    aborted_outcome,
    exited_outcome,
    failed_outcome,
    signal_error,
    timeout_error,
)
from fabric_app.evidence.output import BoundedOutput

__all__ = ["CommandOutcome", "EvidenceRun", "aborted_outcome"]


class EvidenceRun:
    """The commands of one run, one after the other. Use it in a `with` block: its end kills the guard and what is left.

    cwd: folder in which each command starts; one that is missing makes each command an `error`.
    environment: variables from which the allow-list picks; None means those of this process.
    Raises EvidenceUserUnknown and EvidenceUserNotPermitted for `limits.run_as_user`, EvidenceNotSupported where the
    system cannot do it.
    """

    def __init__(self, *, cwd: Path, limits: RunLimits, environment: Mapping[str, str] | None = None) -> None:
        if not hasattr(os, "waitid"):
            raise EvidenceNotSupported
        self._limits = limits
        identity = None if limits.run_as_user is None else identity_of(limits.run_as_user)
        variables = command_environment(limits, environment, identity)
        self._setup = _setup(cwd, variables, identity, limits)
        self._guard: Guard | None = None
        self._lost = self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill what is left and end the guard; a second call changes nothing."""
        self._closed = True
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.end()

    def run(
        self,
        command: str,
        *,
        timeout_ms: float,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        on_tick: Callable[[], None] | None = None,
    ) -> CommandOutcome:
        """Run one command to its end and return what came of it.

        timeout_ms: at least 1, may be fractional.
        on_output: gets the raw bytes as they are read, in order; nothing is kept of them but the bounded prefix.
        cancelled: asked at most every 100 ms, also while there is no output; True kills the command.
        on_tick: called about once a second while the command runs.
        """
        if not (math.isfinite(timeout_ms) and timeout_ms >= 1):
            raise ValueError(f"The timeout must be at least one millisecond, not {timeout_ms!r}.")
        if self._closed:
            raise ValueError("This run is closed.")
        if cancelled is not None and cancelled():
            return aborted_outcome()
        if not _can_be_passed(command):
            return failed_outcome(_spawn_error(errno.EINVAL))
        if self._lost:
            return failed_outcome(GUARD_LOST)
        try:
            return self._run(command, timeout_ms, Hooks(on_output, cancelled, on_tick))
        except BaseException:
            self.close()
            raise

    def _run(self, command: str, timeout_ms: float, hooks: Hooks) -> CommandOutcome:
        started_at = time.monotonic()
        try:
            guard = self._guard = self._guard or Guard(self._setup)
        except OSError as error:
            return failed_outcome(_spawn_error(error.errno or errno.EAGAIN))
        output = BoundedOutput(self._limits.output_prefix_bytes)
        with closing(Following(guard, hooks, output)) as following:
            failure = self._followed(command, guard, following, started_at, timeout_ms)
            escaped = following.pipe_is_open or bool(following.value("swept", "escaped"))
            duration_ms = round((time.monotonic() - started_at) * 1000)
            if failure is not None:
                return failed_outcome(failure, output, duration_ms=duration_ms, escaped=escaped)
            code = following.value("exited", "code")
            return exited_outcome(code, output, duration_ms=duration_ms, escaped=escaped)

    def _followed(
        self, command: str, guard: Guard, following: Following, started_at: float, timeout_ms: float
    ) -> str | None:
        """Start the command, follow it to its end, and end what is left; return why it has no exit code, if so."""
        try:
            guard.send({"do": "run", "command": command})
            ending = following.follow(started_at + timeout_ms / 1000)
            if ending is not Ending.REFUSED:
                following.sweep(self._limits.drain_seconds)
        except GuardLost:
            self._lose(guard)
            following.drain(self._limits.drain_seconds)
            return GUARD_LOST
        return _failure(ending, following, timeout_ms)

    def _lose(self, guard: Guard) -> None:
        """Give up a guard that is dead or hangs. No later command of the run is started: fail closed."""
        self._lost, self._guard = True, None
        guard.abandon()


def _failure(ending: Ending, following: Following, timeout_ms: float) -> str | None:
    """Return why the command has no exit code; None where it has one."""
    match ending:
        case Ending.TIMEOUT:
            return timeout_error(timeout_ms)
        case Ending.CANCELLED:
            return ABORTED
        case Ending.REFUSED:
            return _spawn_error(following.value("refused", "errno"))
        case Ending.OVER:
            number = following.value("exited", "signal")
            return None if number is None else signal_error(number)


def _spawn_error(number: int) -> str:
    return f"spawn {errno.errorcode.get(number, number)}: {os.strerror(number)}"


def _can_be_passed(command: str) -> bool:
    """Tell whether a shell can be handed this text: not empty, no NUL, and expressible in UTF-8."""
    try:
        command.encode()
    except UnicodeEncodeError:
        return False
    return command != "" and "\0" not in command


def _setup(cwd: Path, variables: dict[str, str], identity: Identity | None, limits: RunLimits) -> dict[str, Any]:
    """Return the configuration message of the guard."""
    numbers = identity and {"uid": identity.uid, "gid": identity.gid, "groups": identity.groups}
    return {
        "cwd": str(cwd.absolute()),
        "environment": variables,
        "identity": numbers,
        "limits": limits.resource_limits(),
    }
