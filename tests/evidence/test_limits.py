"""Resource limits, and commands that run as another user."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from fabric_app.evidence.errors import EvidenceUserNotPermitted, EvidenceUserUnknown
from fabric_app.evidence.runner import EvidenceRun
from tests.evidence.conftest import Mark

Runs = Callable[..., EvidenceRun]
OTHER_USER = "nobody"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run commands as another user")


class TestResourceLimits:
    @pytest.mark.parametrize(
        ("limit", "command", "shown"),
        [
            ({"max_open_files": 64}, "ulimit -n", "64"),
            ({"max_memory_bytes": 512 * 1024 * 1024}, "ulimit -v", str(512 * 1024)),
            ({"max_file_bytes": 1024 * 1024}, "ulimit -f", "2048"),
            ({"max_cpu_seconds": 7}, "ulimit -t", "7"),
            ({"max_processes": 500}, "grep '^Max processes' /proc/self/limits | tr -s ' ' | cut -d' ' -f3", "500"),
        ],
        ids=["open files", "memory", "file size", "processor time", "processes"],
    )
    def test_a_limit_that_is_set_holds_in_the_command(
        self, run_with: Runs, limit: dict[str, int], command: str, shown: str
    ) -> None:
        assert run_with(**limit).run(command, timeout_ms=5000).output.strip() == shown

    def test_a_limit_is_never_raised(self, run_with: Runs) -> None:
        own = run_with().run("ulimit -Hn", timeout_ms=5000).output

        raised = run_with(max_open_files=10_000_000).run("ulimit -Hn", timeout_ms=5000).output

        assert raised == own

    def test_processor_time_that_runs_out_is_an_error(self, run_with: Runs) -> None:
        outcome = run_with(max_cpu_seconds=1).run("while :; do :; done", timeout_ms=20_000)

        assert outcome.status == "error"
        assert str(outcome.error).startswith("process terminated by signal SIG")


@contextmanager
def not_being_root() -> Iterator[None]:
    """Act as another user for a moment, where the tests run as root."""
    before = os.geteuid()
    os.seteuid(before or pwd.getpwnam(OTHER_USER).pw_uid)
    try:
        yield
    finally:
        os.seteuid(before)


class TestAnotherUser:
    def test_a_name_that_nobody_has_is_refused_before_anything_runs(self, run_with: Runs) -> None:
        with pytest.raises(EvidenceUserUnknown) as refused:
            run_with(run_as_user="no-such-user")

        assert refused.value.details == {"user": "no-such-user"}

    def test_only_root_may_choose(self, run_with: Runs) -> None:
        with not_being_root(), pytest.raises(EvidenceUserNotPermitted):
            run_with(run_as_user=OTHER_USER)


@as_root
class TestAsNobody:
    @pytest.fixture
    def nobodys(self, run_with: Runs) -> Iterator[Runs]:
        def make(**limits: object) -> EvidenceRun:
            return run_with(run_as_user=OTHER_USER, cwd=Path("/"), **limits)

        return make

    def test_the_command_is_that_user_in_numbers_groups_and_variables(self, nobodys: Runs) -> None:
        entry = pwd.getpwnam(OTHER_USER)

        outcome = nobodys().run("id -u; id -g; id -ru; echo $USER $LOGNAME $HOME", timeout_ms=5000)

        numbers = [str(entry.pw_uid), str(entry.pw_gid), str(entry.pw_uid)]
        assert outcome.output.split() == [*numbers, OTHER_USER, OTHER_USER, entry.pw_dir]

    def test_none_of_roots_groups_is_kept(self, nobodys: Runs) -> None:
        expected = {str(group) for group in os.getgrouplist(OTHER_USER, pwd.getpwnam(OTHER_USER).pw_gid)}

        assert set(nobodys().run("id -G", timeout_ms=5000).output.split()) == expected

    def test_it_cannot_signal_its_guard_nor_read_the_owners_environment(self, nobodys: Runs) -> None:
        command = f"kill -9 $PPID && exit 0; cat /proc/{os.getpid()}/environ && exit 0; exit 9"

        outcome = nobodys().run(command, timeout_ms=5000)

        assert (outcome.status, outcome.exit_code) == ("violated", 9)

    def test_a_folder_that_this_user_may_not_enter_is_an_error(self, run_with: Runs, tmp_path: Path) -> None:
        tmp_path.chmod(0o700)

        outcome = run_with(run_as_user=OTHER_USER, cwd=tmp_path).run("true", timeout_ms=5000)

        assert str(outcome.error).startswith("spawn EACCES")

    def test_a_fork_bomb_stops_at_its_limit_and_is_killed_whole(self, nobodys: Runs, mark: Mark) -> None:
        bomb = f": {mark.seconds}; bomb() {{ bomb | bomb & }}; bomb; {mark.sleep}"

        outcome = nobodys(max_processes=150).run(bomb, timeout_ms=1000)

        assert (outcome.status, str(outcome.error)[:20]) == ("error", "timeout after 1000ms")
        assert mark.are_gone(seconds=0.5)
        # The names come with the list: a process may be gone by the time that one asks it.
        assert [p.pid for p in psutil.process_iter(["username"]) if p.info["username"] == OTHER_USER] == []

    def test_a_bomb_of_sessions_is_killed_whole(self, nobodys: Runs, mark: Mark) -> None:
        script = f'f() {{ setsid sh -c "$0" "$0" & }}; : {mark.seconds}; f; f; sleep 1'
        bomb = f"sh -c '{script}' '{script}'"

        outcome = nobodys(max_processes=150).run(bomb, timeout_ms=700)

        assert outcome.status == "error"
        assert mark.are_gone(seconds=0.5)
