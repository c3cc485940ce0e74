"""The guard: a small process that starts the commands of one run, and that nothing it started outlives.

Run as a file by a bare interpreter (`python -I -S guard.py`) with its control socket as standard input; standard
library only. It is two processes, each of which cleans up if the other dies:

- the *spawner* holds the control socket, starts shells on request, and adopts and reaps their orphans (sub-reaper);
- the *keeper* is its parent and only waits: when the spawner is gone, all that was left falls to the keeper. A spawner
  that a command has stopped is as good as gone.

Control messages are JSON objects, one a line. First the configuration: `{cwd, environment, identity, limits}`. Then
`{"do": "run", "command"}`, answered by `{"event": "started"}` with the read end of the output pipe, or by
`{"event": "refused", "errno"}`; `{"event": "exited", "code", "signal"}` once the shell is over; and
`{"do": "kill", "seconds"}`, answered by `{"event": "swept", "escaped"}`. End of file on the socket (the owner closed
it, or died) kills everything.

# Note: why no wrong process is ever signalled
Signals go to a child that has not been reaped, whose number therefore cannot be in use by another process, or to the
group of such a child: a dead child that has not been reaped keeps its group's number taken, too. Descendants further
down become children when their parents die, so that sweeping children until none is left reaches all of them.

Without sub-reapers (outside Linux) only the process group is killed; who left it is seen by the output pipe alone.
Modules that are slow to import (dataclasses, pathlib, typing, subprocess) stay out: a run should start at once.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False  # the type checker's own constant, without the import
if TYPE_CHECKING:
    from typing import Any, NoReturn

SHELL = "/bin/sh"
PR_SET_CHILD_SUBREAPER = 36
LAST_SWEEP_SECONDS = 5.0
SWEEP_PAUSE_SECONDS = 0.002
RECEIVE_BYTES = 65_536
ERRNO_BYTES = 4
STAT_BYTES = 4096
# Nothing but SIGKILL and the end of the owner stops the guard.
IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE)


def main() -> NoReturn:
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # What the worker ignores would be ignored by every command, too.
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in IGNORED else signal.SIG_DFL)
    become_subreaper()
    lifeline_read, lifeline_write = os.pipe()
    spawner = os.fork()
    if spawner == 0:
        os.close(lifeline_write)
        become_subreaper()
        Spawner(control, lifeline_read).serve()
    control.close()
    os.close(lifeline_read)
    keep(spawner)


def become_subreaper() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def keep(spawner: int) -> NoReturn:
    """Wait for the spawner's end, then kill what it left behind. SIGTERM from the owner ends a spawner that hangs."""
    signal.signal(signal.SIGTERM, lambda *_: os.kill(spawner, signal.SIGKILL))
    looking = os.WEXITED | os.WSTOPPED | os.WNOWAIT
    while (seen := os.waitid(os.P_PID, spawner, looking)) and seen.si_code == os.CLD_STOPPED:
        os.kill(spawner, signal.SIGKILL)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sweep(group=0, seconds=LAST_SWEEP_SECONDS)
    os._exit(0)


# Starting a shell


class Setup:
    """How each shell of the run is started: the first message."""

    def __init__(
        self, *, cwd: str, environment: dict[str, str], identity: dict[str, Any] | None, limits: dict[str, int]
    ) -> None:
        self.cwd = cwd
        self.environment = environment
        self.identity = identity
        self.limits = limits


def start_shell(command: str, setup: Setup) -> tuple[int, int]:
    """Start a shell that leads its own session; return its pid and the read end of its output pipe. Raises OSError."""
    # Spawning shares memory with the child and takes a third of a fork's time, but can set neither limits nor user.
    start = forked_shell if setup.limits or setup.identity else spawned_shell
    output_read, output_write = os.pipe()
    try:
        return start(command, setup, output_write), output_read
    except ValueError:
        os.close(output_read)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL)) from None
    except OSError:
        os.close(output_read)
        raise
    finally:
        os.close(output_write)


def shell_arguments(command: str) -> list[str]:
    # "--": a command that begins with a dash is a command all the same, not an option of the shell.
    return [SHELL, "-c", "--", command]


def spawned_shell(command: str, setup: Setup, output: int) -> int:
    os.chdir(setup.cwd)  # the spawner has no use of its own for a working folder
    return os.posix_spawn(
        SHELL,
        shell_arguments(command),
        setup.environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)],
        setsid=True,
        setsigmask=[],
        setsigdef=IGNORED,
    )


def forked_shell(command: str, setup: Setup, output: int) -> int:
    failure_read, failure_write = os.pipe()
    try:
        pid = os.fork()
        if pid == 0:
            become_shell(command, setup, output, failure_write)
        os.close(failure_write)
        # It also closes on exec: end of file without a number says that the shell runs, in a session of its own.
        failure = os.read(failure_read, ERRNO_BYTES)
    finally:
        os.close(failure_read)
    if not failure:
        return pid
    os.waitpid(pid, 0)
    number = int.from_bytes(failure, "big")
    raise OSError(number, os.strerror(number))


def become_shell(command: str, setup: Setup, output: int, failure: int) -> NoReturn:
    """Turn this fresh child into the shell, or report the error number and end."""
    failed = errno.EINVAL
    try:
        os.setsid()
        for number in IGNORED:
            signal.signal(number, signal.SIG_DFL)
        os.dup2(output, 1)
        os.dup2(output, 2)
        set_limits(setup.limits)
        if setup.identity is not None:
            become(setup.identity)
        os.chdir(setup.cwd)
        os.execve(SHELL, shell_arguments(command), setup.environment)
    except OSError as error:
        failed = error.errno or failed
    finally:
        os.write(failure, failed.to_bytes(ERRNO_BYTES, "big"))
        os._exit(127)


def set_limits(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (lowered, lowered))


def become(identity: dict[str, Any]) -> None:
    os.setgroups(identity["groups"])
    os.setgid(identity["gid"])
    os.setuid(identity["uid"])


# Ending what was started


def sweep(*, group: int, seconds: float) -> bool:
    """Kill all children, and their children as they fall to us; return whether one was outside `group` or survived.

    group: process group that has been killed already; 0 where there is none.
    """
    deadline = time.monotonic() + seconds
    escaped = False
    with suppress(ChildProcessError):  # no child is left, dead or alive
        while time.monotonic() < deadline:
            while dead := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                escaped |= bury(dead, group)
            for child in living_children():
                # Another user's privileged program may be out of reach; it then counts as a survivor.
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            time.sleep(SWEEP_PAUSE_SECONDS)
        return True
    return escaped


def bury(dead: os.waitid_result, group: int) -> bool:
    """Reap a dead child and kill the group it was in; return whether a kill ended it outside `group`."""
    its_group = os.getpgid(dead.si_pid)
    outside = its_group not in (group, os.getpgrp())
    if outside:
        kill_group(its_group)
    os.waitpid(dead.si_pid, 0)
    return outside and dead.si_code == os.CLD_KILLED and dead.si_status == signal.SIGKILL


def kill_group(group: int) -> None:
    """Kill a group whose number an unreaped child keeps taken."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def living_children() -> list[int]:
    """Return the children of this process by what /proc says; none where there is no /proc."""
    own = str(os.getpid()).encode()
    with suppress(FileNotFoundError), os.scandir("/proc") as entries:
        return [int(entry.name) for entry in entries if entry.name.isdigit() and parent_of(entry.path) == own]
    return []


def parent_of(process: str) -> bytes:
    """Return the parent's pid, or nothing where the process is gone. The name in front may hold any character."""
    try:
        descriptor = os.open(f"{process}/stat", os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(descriptor, STAT_BYTES).rpartition(b")")[2].split()[1]
    except ProcessLookupError:
        return b""
    finally:
        os.close(descriptor)


# Serving the owner


class Spawner:
    """Answers the owner; at most one shell at a time.

    shell: its pid while it has not been reaped. It stays unreaped until the sweep: its group stays ours to kill.
    """

    def __init__(self, control: socket.socket, lifeline: int) -> None:
        self.control = control
        self.lifeline = lifeline
        self.shell: int | None = None
        self.shell_exited = False
        self.setup: Setup | None = None
        self.received = bytearray()

    def serve(self) -> NoReturn:
        """Serve until the owner or the keeper is gone, then kill everything and end."""
        try:
            self._loop(self._child_wakeups())
        finally:
            self._sweep(LAST_SWEEP_SECONDS)
            os._exit(0)

    def _child_wakeups(self) -> int:
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_read, False)
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        return wake_read

    def _loop(self, wake: int) -> None:
        poller = select.poll()
        for descriptor in (self.control.fileno(), self.lifeline, wake):
            poller.register(descriptor, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poller.poll()}
            if self.lifeline in ready:
                return
            if wake in ready:
                with suppress(BlockingIOError):
                    os.read(wake, RECEIVE_BYTES)
                self._reap()
            if self.control.fileno() in ready and not self._receive():
                return

    def _receive(self) -> bool:
        """Handle the messages that arrived; False at end of file."""
        chunk = self.control.recv(RECEIVE_BYTES)
        self.received += chunk
        while (end := self.received.find(b"\n")) >= 0:
            line = bytes(self.received[:end])
            del self.received[: end + 1]
            self._handle(json.loads(line))
        return bool(chunk)

    def _handle(self, message: dict[str, Any]) -> None:
        if self.setup is None:
            self.setup = Setup(**message)
        elif message["do"] == "run":
            self._run(message["command"], self.setup)
        elif message["do"] == "kill":
            self._tell({"event": "swept", "escaped": self._sweep(message["seconds"])})

    def _run(self, command: str, setup: Setup) -> None:
        try:
            self.shell, output = start_shell(command, setup)
        except OSError as error:
            self._tell({"event": "refused", "errno": error.errno})
            return
        self.shell_exited = False
        self._tell({"event": "started"}, descriptors=[output])
        os.close(output)

    def _reap(self) -> None:
        """Reap orphans that died; report the shell's end once and leave it unreaped."""
        with suppress(ChildProcessError):
            while not self.shell_exited:
                dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if dead is None:
                    return
                if dead.si_pid == self.shell:
                    self._report_exit(dead.si_code == os.CLD_EXITED, dead.si_status)
                else:
                    os.waitpid(dead.si_pid, 0)

    def _report_exit(self, by_itself: bool, status: int) -> None:
        self.shell_exited = True
        code, number = (status, None) if by_itself else (None, status)
        self._tell({"event": "exited", "code": code, "signal": number})

    def _sweep(self, seconds: float) -> bool:
        group, self.shell, self.shell_exited = self.shell or 0, None, False
        if group:
            kill_group(group)
        return sweep(group=group, seconds=seconds)

    def _tell(self, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
        line = json.dumps(message).encode() + b"\n"
        with suppress(BrokenPipeError, ConnectionResetError):  # the owner is gone: end of file follows
            socket.send_fds(self.control, [line], descriptors or [])


if __name__ == "__main__":
    main()
