"""The child process that counts: it bounds itself, then answers one line for each file it is sent.

Request: `<file name suffix> <size in bytes>` on a line, then that many bytes. Answer: the count on a line.
It ends with its standard input. Its limits are its own, so they hold also when the process that started it
has died.
"""

from __future__ import annotations

import resource
import signal
import sys

from fabric_app.protocol.complexity import count_decision_points


def main(timeout_seconds: float, max_memory_bytes: int) -> None:
    """Serve standard input until it ends; the alarm's default action stops it even inside tree-sitter."""
    _bound(timeout_seconds, max_memory_bytes)
    for header in iter(sys.stdin.buffer.readline, b""):
        suffix, size = header.decode("ascii").split()
        source = sys.stdin.buffer.read(int(size))
        sys.stdout.write(f"{count_decision_points('file' + suffix, source)}\n")
        sys.stdout.flush()


def _bound(timeout_seconds: float, max_memory_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform != "darwin":  # there an address space limit below what is mapped already is refused
        resource.setrlimit(resource.RLIMIT_AS, (max_memory_bytes, max_memory_bytes))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, timeout_seconds)
