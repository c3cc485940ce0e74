"""Counting the decision points of files in a bounded child process.

tree-sitter holds the interpreter while it parses, and hostile nesting makes it slow beyond measure: in a
process of its own it can be stopped, and it cannot take the server's memory. One child serves all files of
a call, one file at a time, so that the file it stopped at has a name and only one source is in memory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from fabric_app.evidence.source_files import normalised, read_source
from fabric_app.protocol.complexity import FileCount, language_of, suffix_of
from fabric_app.protocol.source_errors import ComplexityFileUnreadable, ComplexityTimeout, RootNotVisible

PROJECT = Path(__file__).resolve().parents[2]
START = (
    "import sys; sys.path.insert(0, sys.argv[1])\n"
    "from fabric_app.evidence.counting_child import main\n"
    "main(float(sys.argv[2]), int(sys.argv[3]))"
)


@dataclass(frozen=True)
class Bounds:
    """What one counting call may use: seconds for all files together, bytes of address space."""

    timeout_seconds: float
    max_memory_bytes: int


def count_files(
    root: Path, files: Sequence[str], *, max_bytes: int, timeout_seconds: float, max_memory_bytes: int
) -> list[FileCount]:
    """Return the counts of `files` under `root`, by normalised name, each once, in order.

    max_bytes: the largest file that is read. timeout_seconds: for the whole call. Raises RootNotVisible,
    ComplexityPathOutside, ComplexityFileUnreadable (with every unreadable file), or ComplexityTimeout where
    the child did not survive a file. A file that does not exist is `missing`, and no error here: whether it
    has a ledger is not known.
    """
    if not os.path.isdir(root):  # noqa: PTH112 - Path.is_dir raises where the way to the root is barred
        raise RootNotVisible
    names = normalised(root, files)
    if not any(map(language_of, names)):
        return [_unsupported(name) for name in names]
    with _child(Bounds(timeout_seconds, max_memory_bytes)) as child:
        return _counted(root, names, max_bytes, child)


def _counted(root: Path, names: Sequence[str], max_bytes: int, child: _Child) -> list[FileCount]:
    counts: list[FileCount] = []
    problems: list[tuple[str, str]] = []
    for name in names:
        try:
            counts.append(_count(root, name, max_bytes, child))
        except ComplexityFileUnreadable as unreadable:
            problems.extend(unreadable.problems)
    if problems:
        raise ComplexityFileUnreadable(problems)
    return counts


def _count(root: Path, name: str, max_bytes: int, child: _Child) -> FileCount:
    if language_of(name) is None:
        return _unsupported(name)
    source = read_source(root, name, max_bytes=max_bytes)
    if source is None:
        return FileCount(file=name, supported=True, count=None, missing=True)
    return FileCount(file=name, supported=True, count=child.count(name, source))


def _unsupported(name: str) -> FileCount:
    return FileCount(file=name, supported=False, count=None)


class _Child:
    """A running child; `timed_out` is set by the watchdog before it kills."""

    def __init__(self, process: subprocess.Popen[bytes], bounds: Bounds) -> None:
        self.process = process
        self.bounds = bounds
        self.requests = cast("IO[bytes]", process.stdin)
        self.answers = cast("IO[bytes]", process.stdout)
        self.timed_out = False

    def kill_at_timeout(self) -> None:
        self.timed_out = True
        self.process.kill()

    def count(self, name: str, source: bytes) -> int:
        """Return the count of one source; ComplexityTimeout where the child ends instead of answering."""
        try:
            self.requests.write(f"{suffix_of(name)} {len(source)}\n".encode("ascii") + source)
            self.requests.flush()
            answer = self.answers.readline()
        except BrokenPipeError:
            answer = b""
        if not answer.endswith(b"\n"):
            raise ComplexityTimeout(file=name, reason=self._why_it_ended())
        return int(answer)

    def _why_it_ended(self) -> str:
        status = self.process.wait()
        if self.timed_out or status == -signal.SIGALRM:
            return f"more than {self.bounds.timeout_seconds:g} s"
        return f"the counting process, held to {self.bounds.max_memory_bytes} bytes, ended with status {status}"


@contextmanager
def _child(bounds: Bounds) -> Iterator[_Child]:
    argv = [
        sys.executable,
        "-I",
        "-c",
        START,
        str(PROJECT),
        str(bounds.timeout_seconds),
        str(bounds.max_memory_bytes),
    ]
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={},
        start_new_session=True,
    )
    child = _Child(process, bounds)
    watchdog = threading.Timer(bounds.timeout_seconds, child.kill_at_timeout)
    watchdog.daemon = True
    watchdog.start()
    try:
        yield child
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()
