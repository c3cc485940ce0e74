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
        kill_all(child)
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
    """Runs in the command before it starts: should even the leash be killed, the command does not outlive it."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


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


def kill_all(child: subprocess.Popen[bytes]) -> None:
    """SIGKILL the command and every descendant until none is left, within a limit: a dying process may still fork."""
    end = time.monotonic() + KILL_SECONDS
    _kill_group(child.pid)
    while time.monotonic() < end:
        for pid in descendants(os.getpid()):
            _kill(pid)
        child.poll()
        # Orphans come to us, so no child means no descendant; a walk over processes alone may miss one that moves.
        if not reap_orphans(child.pid):
            return
        time.sleep(0.02)


def descendants(root: int) -> list[int]:
    """Return the process ids below `root`, those that wait to be collected included."""
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
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    return [(int(pid), int(parent)) for pid, parent in map(str.split, listed.stdout.splitlines())]


def _from_stat(folder: Path) -> list[tuple[int, int]]:
    try:
        # The command's name stands in brackets and may itself hold brackets and spaces.
        parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
    except OSError:
        return []
    return [(int(folder.name), int(parent))]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return


def reap_orphans(apart_from: int) -> bool:
    """Collect adopted children that have ended; return whether any child is left. The command is not collected here."""
    try:
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == apart_from:
                return True
            os.waitpid(ended.si_pid, 0)
    except ChildProcessError:
        return False
    return True


def _exit_status(returncode: int) -> int:
    return returncode if returncode >= 0 else 128 - returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
