"""How a command is ended, and that nothing of it is left: timeout, cancel, detached children, storms."""

from __future__ import annotations

import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from fabric_app.evidence.runner import EvidenceRun
from tests.evidence.conftest import Mark

ESCAPED = "; a descendant left the process group"


def after(seconds: float) -> threading.Event:
    """Return an event that is set that many seconds from now."""
    event = threading.Event()
    threading.Timer(seconds, event.set).start()
    return event


class TestTimeout:
    def test_a_grandchild_that_holds_the_pipe_does_not_hold_the_call(self, run: EvidenceRun, mark: Mark) -> None:
        began = time.monotonic()

        outcome = run.run(f"{mark.sleep} & {mark.sleep}", timeout_ms=300)

        assert time.monotonic() - began < 1.5
        assert (outcome.status, outcome.exit_code, outcome.error) == ("error", None, "timeout after 300ms")
        assert not outcome.escaped
        assert mark.are_gone()

    def test_a_shell_that_exits_while_a_child_holds_the_pipe_is_never_confirmed(
        self, run: EvidenceRun, mark: Mark
    ) -> None:
        outcome = run.run(f"{mark.sleep} & printf done", timeout_ms=500)

        assert (outcome.status, outcome.error, outcome.output) == ("error", "timeout after 500ms", "done")
        assert outcome.duration_ms < 2000
        assert mark.are_gone()

    def test_a_flood_is_cut_off_in_time_and_kept_as_far_as_it_came(self, run: EvidenceRun) -> None:
        outcome = run.run("cat /dev/zero", timeout_ms=300)

        assert (outcome.error, len(outcome.output)) == ("timeout after 300ms", 32_768)
        assert outcome.duration_ms < 1500

    def test_one_that_is_over_before_the_shell_is_up_ends_it(self, run: EvidenceRun, mark: Mark) -> None:
        outcome = run.run(mark.sleep, timeout_ms=1)

        assert outcome.error == "timeout after 1ms"
        assert mark.are_gone(seconds=0.5)

    def test_a_fraction_of_a_millisecond_is_named_as_it_was_given(self, run: EvidenceRun) -> None:
        outcome = run.run("sleep 5", timeout_ms=50.5)

        assert outcome.error == "timeout after 50.5ms"

    def test_every_command_of_a_run_has_its_own(self, run: EvidenceRun) -> None:
        outcomes = [run.run("sleep 2", timeout_ms=100) for _ in range(5)]

        assert [outcome.error for outcome in outcomes] == ["timeout after 100ms"] * 5


class TestCancel:
    def test_a_command_that_ignores_signals_is_gone_within_a_second(self, run: EvidenceRun, mark: Mark) -> None:
        cancelled = after(0.3)
        began = time.monotonic()

        outcome = run.run(f"trap '' TERM INT HUP; {mark.sleep}", timeout_ms=30_000, cancelled=cancelled.is_set)

        assert time.monotonic() - began < 1.3
        assert (outcome.status, outcome.error) == ("error", "aborted")
        assert mark.are_gone(seconds=0.5)

    def test_before_the_start_nothing_runs(self, run: EvidenceRun, tmp_path: Path) -> None:
        outcome = run.run("touch ran", timeout_ms=5000, cancelled=lambda: True)

        assert outcome.error == "aborted before execution"
        assert not (tmp_path / "ran").exists()

    def test_it_is_asked_for_ten_times_a_second_and_no_more_even_in_a_flood(self, run: EvidenceRun) -> None:
        asked = 0

        def cancelled() -> bool:
            nonlocal asked
            asked += 1
            return False

        run.run("cat /dev/zero", timeout_ms=1000, cancelled=cancelled)

        assert 5 <= asked <= 12

    def test_the_heartbeat_goes_on_while_a_command_is_silent(self, run: EvidenceRun) -> None:
        beats: list[float] = []

        run.run("sleep 2.3", timeout_ms=5000, on_tick=lambda: beats.append(time.monotonic()))

        assert len(beats) == 2
        assert beats[1] - beats[0] == pytest.approx(1, abs=0.3)

    @pytest.mark.parametrize("hook", ["on_output", "cancelled"])
    def test_a_hook_that_raises_ends_the_run_and_leaves_nothing(self, run: EvidenceRun, mark: Mark, hook: str) -> None:
        calls = 0

        def broken(*_: object) -> bool:
            nonlocal calls
            calls += 1
            if calls > 1:
                raise ConnectionError("storage is gone")
            return False

        with pytest.raises(ConnectionError):
            run.run(f"{mark.sleep} & while :; do echo x; sleep 0.1; done", timeout_ms=5000, **{hook: broken})

        assert mark.are_gone(seconds=0.5)


class TestLeftovers:
    def test_a_silent_background_child_is_killed_and_the_result_stands(self, run: EvidenceRun, mark: Mark) -> None:
        outcome = run.run(f"({mark.sleep}) >/dev/null 2>&1 & printf ok", timeout_ms=5000)

        assert (outcome.status, outcome.output, outcome.escaped) == ("confirmed", "ok", False)
        assert mark.are_gone(seconds=0.5)

    def test_a_server_that_a_command_starts_leaves_its_port_free(self, run: EvidenceRun) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        python = sys.executable
        answered = f'import socket; socket.create_connection(("127.0.0.1", {port}), 1)'
        command = (
            f"{python} -m http.server {port} --bind 127.0.0.1 >/dev/null 2>&1 & "
            f"for i in 1 2 3 4 5 6 7 8 9; do {python} -S -c '{answered}' 2>/dev/null && exit 0; sleep 0.2; done; exit 1"
        )

        for _ in range(2):
            assert run.run(command, timeout_ms=20_000).status == "confirmed"
            socket.create_server(("127.0.0.1", port)).close()

    def test_a_descendant_in_another_session_cannot_hold_the_call(self, run: EvidenceRun, mark: Mark) -> None:
        outcome = run.run(f"setsid {mark.sleep} & {mark.sleep}", timeout_ms=300)

        assert outcome.duration_ms < 1500
        assert (outcome.error, outcome.escaped) == (f"timeout after 300ms{ESCAPED}", True)
        assert mark.are_gone(seconds=0.5)

    def test_a_daemon_that_detached_from_everything_is_found_and_named(self, run: EvidenceRun, mark: Mark) -> None:
        outcome = run.run(f"(setsid sh -c '{mark.sleep} & {mark.sleep}' >/dev/null 2>&1 &) ; exit 0", timeout_ms=5000)

        assert outcome.status == "confirmed"
        assert mark.are_gone(seconds=0.5)

    def test_a_daemon_that_is_surely_up_is_reported_beside_a_result_that_stands(
        self, run: EvidenceRun, mark: Mark
    ) -> None:
        outcome = run.run(f"setsid {mark.sleep} >/dev/null 2>&1 & sleep 0.3", timeout_ms=5000)

        assert (outcome.status, outcome.escaped) == ("confirmed", True)
        assert mark.are_gone(seconds=0.5)

    def test_a_process_group_of_its_own_does_not_save_a_job(self, run: EvidenceRun, mark: Mark) -> None:
        outcome = run.run(f"set -m; {mark.sleep} >/dev/null 2>&1 & sleep 0.2", timeout_ms=5000)

        assert outcome.status == "confirmed"
        assert mark.are_gone(seconds=0.5)


class TestStorm:
    def test_a_tree_of_processes_in_the_group_is_killed_whole(self, run: EvidenceRun, mark: Mark) -> None:
        storm = f"storm() {{ [ $1 -gt 0 ] && {{ storm $(($1 - 1)) & storm $(($1 - 1)) & }}; {mark.sleep}; }}; storm 6"

        outcome = run.run(storm, timeout_ms=1000)

        assert outcome.error == "timeout after 1000ms"
        assert mark.are_gone(seconds=0.5)

    def test_a_storm_that_never_stops_forking_is_stopped(self, run: EvidenceRun, mark: Mark) -> None:
        outcome = run.run(f"while :; do {mark.sleep} & sleep 0.005; done", timeout_ms=700)

        assert outcome.error == "timeout after 700ms"
        assert mark.are_gone(seconds=0.5)

    def test_sessions_that_start_sessions_are_killed_one_and_all(
        self, run: EvidenceRun, mark: Mark, tmp_path: Path
    ) -> None:
        (tmp_path / "storm.sh").write_text(
            f"[ $1 -gt 0 ] && {{ setsid sh storm.sh $(($1 - 1)) & setsid sh storm.sh $(($1 - 1)) & }}\n{mark.sleep}\n"
        )

        outcome = run.run("sh storm.sh 5", timeout_ms=1000)

        assert (outcome.error, outcome.escaped) == (f"timeout after 1000ms{ESCAPED}", True)
        assert mark.are_gone(seconds=0.5)

    def test_processes_that_replace_themselves_are_caught(self, run: EvidenceRun, mark: Mark, tmp_path: Path) -> None:
        (tmp_path / "comet.sh").write_text(f": {mark.seconds}\nsetsid sh comet.sh {mark.seconds} &\n")

        outcome = run.run(f"sh comet.sh {mark.seconds} >/dev/null 2>&1; sleep 0.3", timeout_ms=5000)

        assert outcome.status == "confirmed"
        assert mark.are_gone(seconds=0.5)
