"""Reading server-sent events from a real server process, and that process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from django.conf import settings

from tests.workers import eventually, free_port


@dataclass(frozen=True)
class Heard:
    """One server-sent event."""

    id: int | None
    event: str
    data: dict


@contextmanager
def web_server(env: dict[str, str]) -> Iterator[str]:
    """Run a web process with the streams alone; yield its address."""
    port = free_port()
    log = Path(env["STATEHOUSE_HOME"]) / f"web-{port}.log"
    argv = [sys.executable, "-m", "uvicorn", "tests.live.live_server:application", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*argv, "--log-level", "warning", "--timeout-graceful-shutdown", "1", "--lifespan", "off"],
            cwd=settings.BASE_DIR,
            env=env,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        base = f"http://127.0.0.1:{port}"
        is_ready = eventually(lambda: process.poll() is not None or _answers(base), seconds=60)
        if not is_ready or process.poll() is not None:
            raise RuntimeError(log.read_text())
        yield base
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


@contextmanager
def listening(url: str, *, last_event_id: int | None = None) -> Iterator[Iterator[Heard]]:
    """Yield the events of a stream as they come."""
    headers = {} if last_event_id is None else {"Last-Event-ID": str(last_event_id)}
    with httpx.stream("GET", url, headers=headers, timeout=30) as response:
        response.raise_for_status()
        yield parsed_events(response.iter_lines())


def parsed_events(lines: Iterator[str]) -> Iterator[Heard]:
    event_id, event, data = None, "message", []
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "id":
            event_id = int(value)
        elif name == "event":
            event = value
        elif name == "data":
            data.append(value)
        elif not line and data:
            yield Heard(event_id, event, json.loads("\n".join(data)))
            event_id, event, data = None, "message", []


def _answers(base: str) -> bool:
    try:
        return httpx.get(f"{base}/", timeout=5).status_code == 404
    except httpx.TransportError:
        return False
