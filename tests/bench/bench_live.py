"""200 clients on one run, one of them stalled: every other one gets every chunk in order, soon after it was stored.

    python -m tests.bench.bench_live [--clients 200] [--seconds 10]

A worker's recorder stores 20 chunks a second of 4 KiB; a web process streams them to clients that are plain sockets.
The delay is from the moment before a chunk is handed to the recorder to its arrival at a client; with Redis (where
REDIS_URL is set) and by polling. Prints JSON, and fails where a client misses a chunk or the median delay is 150 ms or
more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path

CHUNK_BYTES = 4096
CHUNKS_A_SECOND = 20
MEDIAN_LIMIT_MS = 150


def main() -> int:
    options = _options()
    redis_url = os.environ.pop("REDIS_URL", "")
    figures = []
    with tempfile.TemporaryDirectory(prefix="statehouse-bench-") as home:
        os.environ |= {"STATEHOUSE_HOME": home, "SECRET_KEY": "k" * 50, "DJANGO_SETTINGS_MODULE": "config.settings"}
        _prepare()
        for name, url in (("redis", redis_url), ("polling", "")):
            if name == "polling" or url:
                figures.append({"wakeups": name, **_measure(Path(home), url, options)})
                print(json.dumps(figures[-1]))
    return int(any(not figure["complete"] or figure["median_ms"] >= MEDIAN_LIMIT_MS for figure in figures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)
    return parser.parse_args()


def _prepare() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _measure(home: Path, redis_url: str, options: argparse.Namespace) -> dict[str, object]:
    from django.conf import settings

    from tests.live.readers import web_server
    from tests.workers import environment

    settings.REDIS_URL = redis_url
    run = _claimed_run()
    with web_server(environment(home, home, REDIS_URL=redis_url)) as base:
        port = int(base.rpartition(":")[2])
        return asyncio.run(_listen_and_write(run, port, options))


def _claimed_run():
    """Return a run that this process holds, in a workspace of its own."""
    from uuid import uuid4

    from django.utils import timezone

    from fabric_app.models import Run, RunStatus
    from tests.factories import MAYA, make_workspace

    now = timezone.now()
    return Run.objects.create(
        workspace=make_workspace(slug=f"bench-{uuid4().hex[:8]}"),
        action="verify",
        arguments={"timeoutMs": 1000},
        status=RunStatus.RUNNING,
        worker="bench",
        worker_group="default",
        requested_by=MAYA.as_json(),
        created_at=now,
        heartbeat_at=now,
        command_count=1,
    )


async def _listen_and_write(run, port: int, options: argparse.Namespace) -> dict[str, object]:
    count = int(options.seconds * CHUNKS_A_SECOND)
    stalled, _ = await _connected(run, port, count, is_stalled=True)
    clients = [(await _connected(run, port, count))[1] for _ in range(options.clients - 1)]
    await asyncio.sleep(3)
    await asyncio.to_thread(_write, run, count)
    await asyncio.wait([client.done for client in clients], timeout=60)
    stalled.close()
    delays = [delay for client in clients for delay in client.delays]
    complete = all(client.numbers == list(range(count)) for client in clients)
    return {
        "clients": options.clients,
        "chunks": count,
        "complete": complete,
        "median_ms": round(statistics.median(delays) * 1000, 1),
        "p99_ms": round(statistics.quantiles(delays, n=100)[98] * 1000, 1),
        "max_ms": round(max(delays) * 1000, 1),
    }


def _write(run, count: int) -> None:
    """Hand chunks to the recorder at an even pace; each names its number and the time."""
    from django.db import connection

    from fabric_app.operations.run_recorder import RunRecorder

    recorder = RunRecorder(run)
    start = time.monotonic()
    for number in range(count):
        while (left := start + number / CHUNKS_A_SECOND - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))
            recorder.is_cancelled()
        head = f"<{number} {time.time():.6f}>".encode()
        recorder.output(head + b"x" * (CHUNK_BYTES - len(head) - 1) + b"\n")
    recorder.flush()
    connection.close()


class _Client(asyncio.Protocol):
    """Notes the number and the delay of each chunk as it arrives; a stalled one reads nothing."""

    def __init__(self, run, count: int, *, is_stalled: bool) -> None:
        self.numbers: list[int] = []
        self.delays: list[float] = []
        self.done = asyncio.get_running_loop().create_future()
        self._run, self._count, self._is_stalled = run, count, is_stalled
        self._rest = b""

    def connection_made(self, transport) -> None:
        transport.write(f"GET /runs/{self._run.pk}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        if self._is_stalled:
            transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        now = time.time()
        rest = self._rest + data
        while (start := rest.find(b"<")) >= 0 and (end := rest.find(b">", start)) >= 0:
            number, written_at = rest[start + 1 : end].split()
            self.numbers.append(int(number))
            self.delays.append(now - float(written_at))
            rest = rest[end + 1 :]
        self._rest = rest[start:] if start >= 0 else b""
        if len(self.numbers) >= self._count and not self.done.done():
            self.done.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(error)


async def _connected(run, port: int, count: int, *, is_stalled: bool = False) -> tuple[asyncio.Transport, _Client]:
    connection = socket.socket()
    if is_stalled:
        # Small, so that the kernel does not read for it.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    return await loop.create_connection(lambda: _Client(run, count, is_stalled=is_stalled), sock=connection)


if __name__ == "__main__":
    sys.exit(main())
