"""The guard: what is left when the owner dies, when a half of the guard dies, and what the owner's own state may be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from fabric_app.evidence.limits import RunLimits
from fabric_app.evidence.runner import EvidenceRun
from tests.evidence.conftest import Mark

ROOT = Path(__file__).parents[2]
OWNER = """
import sys
from pathlib import Path
from fabric_app.evidence.limits import RunLimits
from fabric_app.evidence.runner import EvidenceRun
{before}
with EvidenceRun(cwd=Path("/"), limits=RunLimits()) as run:
    outcome = run.run(sys.argv[1], timeout_ms=60_000)
    print(outcome.status, outcome.exit_code, outcome.error, outcome.output)
"""
OWNERS_HABITS = {
    "children are ignored": "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "signals are blocked": "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "signals are ignored": "import signal\nfor n in (1, 2, 10, 12, 13, 15): signal.signal(n, signal.SIG_IGN)",
    "somebody else reaps": "import os, signal\nsignal.signal(signal.SIGCHLD, lambda *_: os.waitpid(-1, os.WNOHANG))",
    "standard input is closed": "import os; os.close(0)",
    "standard input and errors are closed": "import os; os.close(0); os.close(2)",
}
Owners = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def owner() -> Iterator[Owners]:
    """Start processes that each run one command; they are ended after the test."""
    started: list[subprocess.Popen[str]] = []

    def start(command: str, *, before: str = "") -> subprocess.Popen[str]:
        code = OWNER.format(before=before)
        process = subprocess.Popen(
            [sys.executable, "-c", code, command], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def detached(mark: Mark) -> str:
    """Return a command of three sleepers: in the group, in a session of its own, and in one without the pipe."""
    return f"{mark.sleep} & setsid {mark.sleep} & (setsid {mark.sleep} >/dev/null 2>&1 &); wait"


def guards_of(process: psutil.Process) -> list[psutil.Process]:
    """Return the guard's processes under this one, the keeper first."""
    return [child for child in process.children(recursive=True) if "guard.py" in " ".join(child.cmdline())]


class TestOwnerDies:
    def test_everything_ends_with_a_killed_owner(self, owner: Owners, mark: Mark) -> None:
        process = owner(detached(mark))
        mark.wait_for(3)
        guards = guards_of(psutil.Process(process.pid))

        process.kill()

        assert mark.are_gone(seconds=1)
        assert psutil.wait_procs(guards, timeout=2)[1] == []

    def test_a_child_of_the_owner_that_lives_on_does_not_keep_the_run_alive(self, owner: Owners, mark: Mark) -> None:
        process = owner(detached(mark), before="import subprocess; subprocess.Popen(['sleep', '2'])")
        mark.wait_for(3)

        process.kill()

        assert mark.are_gone(seconds=1)

    def test_a_terminal_that_interrupts_the_owners_group_does_not_reach_the_guard_first(
        self, owner: Owners, mark: Mark
    ) -> None:
        process = owner(detached(mark), before="import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)")
        mark.wait_for(3)

        os.killpg(process.pid, signal.SIGINT)

        assert len(mark.processes()) >= 3


class TestGuardDies:
    @pytest.mark.parametrize("half", [0, 1], ids=["keeper", "spawner"])
    def test_the_other_half_cleans_up_and_the_command_is_an_error(self, owner: Owners, mark: Mark, half: int) -> None:
        process = owner(detached(mark))
        mark.wait_for(3)

        guards_of(psutil.Process(process.pid))[half].kill()
        answer, _ = process.communicate(timeout=10)

        assert answer.startswith("error None guard process lost")
        assert mark.are_gone(seconds=1)

    def test_a_command_that_kills_its_guard_fails_itself_and_all_that_follow(
        self, run: EvidenceRun, mark: Mark
    ) -> None:
        command = f"{mark.sleep} & setsid {mark.sleep} >/dev/null & printf x; sleep 0.2; kill -9 $PPID"

        outcome = run.run(command, timeout_ms=5000)
        after = run.run("true", timeout_ms=5000)

        assert (outcome.status, outcome.error, outcome.output) == ("error", "guard process lost", "x")
        assert (after.status, after.error) == ("error", "guard process lost")
        assert mark.are_gone(seconds=1)

    def test_a_command_that_stops_its_guard_is_ended_all_the_same(self, run: EvidenceRun, mark: Mark) -> None:
        outcome = run.run(f"kill -STOP $PPID; {mark.sleep}", timeout_ms=30_000)

        assert (outcome.status, outcome.error) == ("error", "guard process lost")
        assert outcome.duration_ms < 2000
        assert mark.are_gone(seconds=1)

    def test_a_command_that_stops_both_halves_is_ended_all_the_same(self, run: EvidenceRun, mark: Mark) -> None:
        keeper = "$(cut -d' ' -f4 /proc/$PPID/stat)"

        outcome = run.run(f"kill -STOP {keeper} $PPID; {mark.sleep}", timeout_ms=300)

        assert (outcome.status, outcome.error) == ("error", "guard process lost")
        assert outcome.duration_ms < 5000
        assert mark.are_gone(seconds=1)

    @pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "CHLD", "PIPE"])
    def test_a_softer_signal_does_not_end_the_guard(self, run: EvidenceRun, name: str) -> None:
        assert run.run(f"kill -{name} $PPID; echo still here", timeout_ms=5000).output == "still here\n"

    def test_closing_a_run_leaves_no_process_and_no_descriptor(self, tmp_path: Path, mark: Mark) -> None:
        process = psutil.Process()
        before = process.num_fds()

        with EvidenceRun(cwd=tmp_path, limits=RunLimits()) as run:
            run.run(f"setsid {mark.sleep} & exit 0", timeout_ms=200)
            run.run("true", timeout_ms=5000)

        assert guards_of(process) == []
        assert process.num_fds() == before
        assert mark.are_gone(seconds=0.5)


class TestOwnersState:
    @pytest.mark.parametrize("before", OWNERS_HABITS.values(), ids=OWNERS_HABITS)
    def test_what_the_owner_does_with_signals_and_children_changes_nothing(self, owner: Owners, before: str) -> None:
        process = owner("exec 2>/dev/null; sleep 5 & kill -TERM $!; wait $!; echo ended by $?", before=before)

        answer, _ = process.communicate(timeout=20)

        assert answer == "confirmed 0 None ended by 143\n\n"
        assert process.returncode == 0

    def test_no_signal_handler_of_the_owner_is_touched(self, run: EvidenceRun) -> None:
        before = [signal.getsignal(number) for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM)]

        run.run("true", timeout_ms=5000)

        assert [signal.getsignal(number) for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM)] == before
