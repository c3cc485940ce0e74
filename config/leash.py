"""Keep one process and all of its descendants on a leash: when the holder goes, they go.

    python -I -S leash.py FD GRACE_SECONDS COMMAND [ARGUMENT ...]

Standard library only, a process of its own. FD is the read end of a pipe whose write end the holder alone has; end of
file there means that the holder is gone, even by SIGKILL. Then, and on SIGTERM, the command gets SIGTERM (itself, not
its children: a worker stops them in its own way), GRACE_SECONDS to follow, and SIGKILL with every descendant. A second
SIGTERM cuts the grace short. The exit status is the command's.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
KILL_SECONDS = 5.0


def main(argv: list[str]) -> int:
    """Run the command until it ends or its holder does."""
    holder, grace_seconds, command = int(argv[0]), float(argv[1]), argv[2:]
    wakeup = _signals_as_bytes()
    # Orphans of the command become our children, so that none gets out of sight.
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    # A function before exec is safe here: this process has no threads.
    child = subprocess.Popen(command, start_new_session=True, preexec_fn=_end_with_parent)  # noqa: PLW1509
    try:
        _wait_for_end(child, holder, wakeup)
        _end_gently(child, wakeup, grace_seconds)
    finally:
        kill_descendants(os.getpid())
    return _exit_status(child.wait(KILL_SECONDS))


def _signals_as_bytes() -> int:
    """Make SIGTERM and SIGCHLD readable on a pipe; ignore what a terminal sends to everybody at once."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    return read


def _end_with_parent() -> None:
    """Runs in the command before it starts: should even the leash be killed, the command gets SIGTERM."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    # Linux only; elsewhere the pipe and the walk over descendants have to do.
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _wait_for_end(child: subprocess.Popen[bytes], holder: int, wakeup: int) -> None:
    """Return when the command has ended, the holder is gone, or we were asked to end it."""
    while child.poll() is None:
        reap_orphans(child.pid)
        ready, _, _ = select.select([holder, wakeup], [], [], 60.0)
        if holder in ready and os.read(holder, 1) == b"":
            return
        if wakeup in ready and signal.SIGTERM in os.read(wakeup, 512):
            return


def _end_gently(child: subprocess.Popen[bytes], wakeup: int, grace_seconds: float) -> None:
    """Ask the command to end, and give it its time."""
    if child.poll() is not None:
        return
    child.send_signal(signal.SIGTERM)
    end = time.monotonic() + grace_seconds
    while child.poll() is None and (left := end - time.monotonic()) > 0:
        ready, _, _ = select.select([wakeup], [], [], left)
        if ready and signal.SIGTERM in os.read(wakeup, 512):
            return


def kill_descendants(root: int, *, within_seconds: float = KILL_SECONDS) -> None:
    """SIGKILL every descendant of `root` until none is left, within the limit: a dying process may still fork."""
    end = time.monotonic() + within_seconds
    while (alive := descendants(root)) and time.monotonic() < end:
        for pid in alive:
            _kill(pid)
        time.sleep(0.02)


def descendants(root: int) -> list[int]:
    """Return the process ids below `root`, zombies apart."""
    children: dict[int, list[int]] = {}
    for pid, parent in _processes():
        children.setdefault(parent, []).append(pid)
    found, frontier = [], [root]
    while frontier:
        below = children.get(frontier.pop(), [])
        found += below
        frontier += below
    return found


def _processes() -> list[tuple[int, int]]:
    """Return (process, parent) of every living process."""
    if sys.platform == "linux":
        return [pair for folder in Path("/proc").iterdir() if folder.name.isdigit() for pair in _from_stat(folder)]
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    return [(int(pid), int(parent)) for pid, parent, state in rows if not state.startswith("Z")]


def _from_stat(folder: Path) -> list[tuple[int, int]]:
    try:
        # The command's name stands in brackets and may itself hold brackets and spaces.
        state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return []
    return [] if state == "Z" else [(int(folder.name), int(parent))]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def reap_orphans(apart_from: int) -> None:
    """Collect adopted children that have ended, so that none stays behind as a zombie; the command is left alone."""
    try:
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == apart_from:
                return
            os.waitpid(ended.si_pid, 0)
    except ChildProcessError:
        return


def _exit_status(returncode: int) -> int:
    return returncode if returncode >= 0 else 128 - returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
