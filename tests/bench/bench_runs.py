"""What a run costs beside its commands: time added to each of 200, and the speed of a flood that is stored in part.

    python -m tests.bench.bench_runs

Runs are executed in this process, on the database that DATABASE_URL names, or on SQLite in a folder of its own. Prints
JSON, and fails where a command costs more than 3 ms extra, the flood runs at less than 0.7 times the speed of the same
command piped into a digest, or memory grows by more than 20 MiB.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from uuid import uuid4

import psutil

COMMANDS = 200
ROUNDS = 5
FLOOD = "head -c 1073741824 /dev/zero"
DIGEST = f"{FLOOD} | openssl dgst -sha256"
MIB = 1024 * 1024


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="statehouse-bench-") as home:
        os.environ |= {
            "STATEHOUSE_HOME": f"{home}/home",
            "SECRET_KEY": "k" * 50,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "STATEHOUSE_WORKSPACE_ROOTS": f"{home}/project",
        }
        Path(home, "home").mkdir()
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        folder = Path(home, "project")
        folder.mkdir()
        added_ms = _added_ms(folder)
        ratios, grown = zip(*[_flood(folder) for _ in range(ROUNDS)], strict=True)
    figures = {
        "added_ms_a_command": round(added_ms, 2),
        "flood_ratio": round(statistics.median(ratios), 2),
        "grown_mib": round(max(grown), 1),
    }
    print(json.dumps(figures))
    return int(added_ms > 3 or figures["flood_ratio"] < 0.7 or figures["grown_mib"] > 20)


def _added_ms(folder: Path) -> float:
    """Return the milliseconds that a run adds to each command over the bare shell."""
    bare, run = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(COMMANDS):
            subprocess.run(["/bin/sh", "-c", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
        bare.append(time.perf_counter() - start)
        run.append(_seconds_of_run(folder, ["true"] * COMMANDS))
    return (statistics.median(run) - statistics.median(bare)) / COMMANDS * 1000


def _flood(folder: Path) -> tuple[float, float]:
    """Return the speed as a share of the bare pipe's, and the growth of this process's memory in MiB."""
    start = time.perf_counter()
    subprocess.run(["/bin/sh", "-c", DIGEST], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    bare = time.perf_counter() - start
    with _Memory() as memory:
        seconds = _seconds_of_run(folder, [FLOOD])
    return bare / seconds, memory.grown_bytes / MIB


def _seconds_of_run(folder: Path, commands: list[str]) -> float:
    from django.utils import timezone

    from fabric_app.operations.runs import claim_run, execute_run, request_run
    from tests.factories import MAYA, make_workspace, move, parsed

    workspace = make_workspace(folder, slug=f"bench-{uuid4().hex[:8]}")
    move(workspace, "start", "end", evidence=commands)
    run = request_run(
        workspace=workspace,
        action="verify",
        arguments=parsed("verify", timeoutMs=300_000),
        user=None,
        actor=MAYA,
        now=timezone.now(),
    )
    claim_run(run_id=run.pk, worker="bench", now=timezone.now())
    start = time.perf_counter()
    execute_run(run_id=run.pk, worker="bench")
    seconds = time.perf_counter() - start
    run.refresh_from_db()
    if run.status != "confirmed":
        raise RuntimeError(f"The run ended as {run.status}: {run.error}")
    return seconds


class _Memory:
    """Watches the resident memory of this process from a thread."""

    def __enter__(self) -> _Memory:
        self._process = psutil.Process()
        self._before = self._peak = self._process.memory_info().rss
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    @property
    def grown_bytes(self) -> int:
        return self._peak - self._before

    def _watch(self) -> None:
        while not self._stopping.wait(0.02):
            self._peak = max(self._peak, self._process.memory_info().rss)


if __name__ == "__main__":
    sys.exit(main())
