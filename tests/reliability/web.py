"""A real web process on the test's own database, that can be killed and started again at the same address."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from tests.reliability.processes import started
from tests.workers import eventually

START_SECONDS = 60.0


@contextmanager
def web_process(env: dict[str, str], port: int) -> Iterator[subprocess.Popen[str]]:
    """Yield a web process that answers on the port; it is killed when the block ends."""
    argv = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port), "--log-level", "error"]
    with started(argv, env=env) as process:
        if not eventually(lambda: answers(port), seconds=START_SECONDS):
            raise RuntimeError("The web process does not answer.")
        yield process


def answers(port: int) -> bool:
    """Tell whether something that is healthy listens there."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False
