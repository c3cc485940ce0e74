"""Many writers of one workspace, in several processes: nobody loses an acknowledged write, nobody sees a lock."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from fabric_app.mesh.models import Event
from fabric_app.models import Workspace
from fabric_app.queries import complexity, current_state
from tests.factories import move, parsed
from tests.reliability.consistency import assert_chained, assert_clean, committed, markers_by_proposal, proposals
from tests.reliability.contention_program import Attempt, Job
from tests.reliability.processes import environment, outputs_of_all

SECONDS = float(os.environ.get("STATEHOUSE_CONTENTION_SECONDS", "60"))
STARTING_SECONDS = 6.0
ENDING_SECONDS = 90.0
CONTENTION = {"CONTENTION_CHAIN_BROKEN", "CONTENTION_HEAD_ADVANCED", "CONTENTION_RETRIES_EXHAUSTED"}
# Four processes with pools of this size stay far below PostgreSQL's default of 100 connections.
POOL_SIZE = "8"
LONGEST_WAIT_SECONDS = 20.0


def attempts_of(
    workspace: Workspace,
    folder: Path,
    action: str,
    *,
    processes: int,
    threads: int = 1,
    seconds: float | None = None,
    times: int | None = None,
    payload_bytes: int = 0,
) -> list[Attempt]:
    """Let processes work at the same time and return how each of their calls ended."""
    starts_at = time.time() + STARTING_SECONDS
    jobs = [
        Job(workspace.slug, action, f"p{number}", threads, starts_at, seconds, times, payload_bytes)
        for number in range(processes)
    ]
    outputs = outputs_of_all(
        [["tests.reliability.contention_program", json.dumps(asdict(job))] for job in jobs],
        env=environment(STATEHOUSE_DB_POOL_SIZE=POOL_SIZE),
        folder=folder.parent,
        timeout=STARTING_SECONDS + (seconds or 0) + ENDING_SECONDS,
    )
    return [Attempt(**json.loads(line)) for output in outputs for line in output.splitlines()]


def assert_told_truly(workspace: Workspace, attempts: Sequence[Attempt]) -> None:
    """Fail where history is not exactly what was acknowledged, or a loser left more than its rejection."""
    by_label, markers = proposals(workspace), markers_by_proposal(workspace)
    acknowledged = {attempt.label: attempt.answer for attempt in attempts if attempt.answer}
    assert Counter(event.data["label"] for event in committed(workspace)) == Counter([*acknowledged, "begin"])
    for attempt in attempts:
        stored = by_label.get(attempt.label)
        match attempt:
            case Attempt(error=None):
                assert stored is not None
                assert str(stored.id) == attempt.answer
            case Attempt(error="TRANSITION_REJECTED"):
                assert attempt.cause in CONTENTION
                assert stored is not None
                assert markers[str(stored.id)] == ["transition.rejected"]
            case _:
                assert attempt.error == "FROM_MISMATCH"
                assert stored is None
    assert_clean(workspace)


@pytest.fixture
def begun(workspace: Workspace) -> Workspace:
    move(workspace, "begin", "begun")
    return workspace


class TestManyWritersOfOneHead:
    @pytest.mark.slow
    @pytest.mark.timeout(600)
    def test_every_acknowledged_transition_is_in_the_chain_exactly_once(self, begun: Workspace, folder: Path) -> None:
        attempts = attempts_of(begun, folder, "advance", processes=4, threads=16, seconds=SECONDS)

        print(summary(attempts))
        assert_told_truly(begun, attempts)
        assert_chained(committed(begun))
        assert {attempt.label.rpartition("-")[0] for attempt in attempts} == {
            f"p{process}-{thread}" for process in range(4) for thread in range(16)
        }
        assert max(attempt.seconds for attempt in attempts) < LONGEST_WAIT_SECONDS


class TestWritersFromOneHead:
    def test_exactly_one_commits_and_the_others_hear_where_the_head_is(self, begun: Workspace, folder: Path) -> None:
        attempts = attempts_of(begun, folder, "jump", processes=16, times=1)

        assert_told_truly(begun, attempts)
        (winner,) = [attempt for attempt in attempts if attempt.answer]
        assert current_state(begun)["head"]["to"] == winner.label
        assert [attempt.actual for attempt in attempts if not attempt.answer] == [winner.label] * 15


class TestWritersWithoutFrom:
    def test_each_of_them_is_stored_or_told_why_not(self, begun: Workspace, folder: Path) -> None:
        attempts = attempts_of(begun, folder, "move", processes=4, times=50)

        assert len(attempts) == 200
        assert_told_truly(begun, attempts)
        assert_chained(event for event in committed(begun) if "from" in event.data)


class TestWritersOfLedgers:
    def test_each_acknowledged_file_has_its_ledger(self, begun: Workspace, folder: Path) -> None:
        for thread in range(8):
            (folder / f"p0-{thread}-0.ts").write_text("if (a) b();\n")

        attempts = attempts_of(begun, folder, "count", processes=1, threads=8, times=1)

        assert_told_truly(begun, attempts)
        files = complexity(begun, parsed("complexity"))["files"]
        assert {item["file"] for item in files} == {f"{attempt.label}.ts" for attempt in attempts if attempt.answer}
        assert len(files) >= 1


class TestWritersOfLargeEvents:
    def test_each_event_is_complete(self, begun: Workspace, folder: Path) -> None:
        attempts = attempts_of(begun, folder, "publish", processes=6, times=5, payload_bytes=200_000)

        assert [attempt.error for attempt in attempts] == [None] * 30
        stored = {str(event.id): event.data for event in Event.objects.filter(workspace=begun, topic="notes")}
        assert set(stored) == {attempt.answer for attempt in attempts}
        for attempt in attempts:
            label = attempt.label
            assert stored[str(attempt.answer)] == {"label": label, "payload": label * (200_000 // len(label))}
        assert_clean(begun)


def summary(attempts: Sequence[Attempt]) -> str:
    """Return how the calls ended and how long they took, for whoever reads the log."""
    waits = sorted(attempt.seconds for attempt in attempts)
    ends = Counter(attempt.cause or attempt.error or "acknowledged" for attempt in attempts)
    return (
        f"{len(waits)} calls, {dict(ends)}; seconds: median {waits[len(waits) // 2]:.3f}, "
        f"99 % {waits[len(waits) * 99 // 100]:.3f}, longest {waits[-1]:.3f}"
    )
