"""What the runner costs: time added to each command, and throughput and memory for a flood of output.

Run by hand: `python tests/bench/bench_evidence.py`. Prints one ratio a line beside the bound it is held to.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from fabric_app.evidence.limits import RunLimits
from fabric_app.evidence.runner import EvidenceRun

COMMANDS = 200
ROUNDS = 5
FLOOD = "head -c 1073741824 /dev/zero"
FLOOD_DIGEST = f"{FLOOD} | openssl dgst -sha256"


def bare(command: str) -> float:
    """Return the seconds that a shell takes without the runner, its output read through one pipe."""
    began = time.perf_counter()
    subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return time.perf_counter() - began


def guarded(run: EvidenceRun, command: str) -> float:
    began = time.perf_counter()
    outcome = run.run(command, timeout_ms=60_000, cancelled=lambda: False, on_tick=lambda: None)
    assert outcome.status == "confirmed", outcome
    return time.perf_counter() - began


def added_milliseconds() -> tuple[float, float, float]:
    """Return bare and guarded median, and the difference of means with the guard's start and end included."""
    bare_times, guarded_times = [], []
    began = time.perf_counter()
    with EvidenceRun(cwd=Path("/"), limits=RunLimits()) as run:
        for _ in range(COMMANDS):
            bare_times.append(bare("true"))
            guarded_times.append(guarded(run, "true"))
    whole = time.perf_counter() - began - sum(bare_times)
    added = (whole - sum(bare_times)) / COMMANDS
    return statistics.median(bare_times) * 1000, statistics.median(guarded_times) * 1000, added * 1000


def flood_ratio() -> tuple[float, float]:
    """Return throughput as a share of the same command piped into a digest, and the growth of memory in MiB."""
    process = psutil.Process()
    hashed, streamed, peak = [], [], 0
    with EvidenceRun(cwd=Path("/"), limits=RunLimits()) as run:
        run.run("true", timeout_ms=1000)
        before = process.memory_info().rss

        def measure(_: bytes) -> None:
            nonlocal peak, chunks
            chunks += 1
            if chunks % 200 == 0:
                peak = max(peak, process.memory_info().rss)

        for _ in range(ROUNDS):
            chunks = 0
            hashed.append(bare(FLOOD_DIGEST))
            began = time.perf_counter()
            outcome = run.run(FLOOD, timeout_ms=60_000, on_output=measure, cancelled=lambda: False)
            streamed.append(time.perf_counter() - began)
            assert outcome.output_bytes == 1 << 30, outcome.error
    return statistics.median(hashed) / statistics.median(streamed), (peak - before) / (1 << 20)


def main() -> None:
    bare_ms, guarded_ms, added_ms = added_milliseconds()
    print(f"{COMMANDS} commands: bare {bare_ms:.2f} ms, guarded {guarded_ms:.2f} ms (medians)")
    print(f"added to each command, start and end of the guard included: {added_ms:.2f} ms (bound: 3)")
    ratio, growth = flood_ratio()
    print(f"1 GiB of output: {ratio:.2f} x the throughput of `| openssl dgst -sha256` (bound: 0.7)")
    print(f"memory growth: {growth:.1f} MiB (bound: 20)")


if __name__ == "__main__":
    main()
