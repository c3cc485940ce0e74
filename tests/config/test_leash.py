"""A leash ends a command with all of its descendants when its holder goes. Real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

LEASH = Path(__file__).resolve().parents[2] / "config" / "leash.py"
WITHIN_SECONDS = 10.0
# A child that leaves its parent's session and a parent that then waits.
FAMILY = "setsid sleep 300 & echo $! > {folder}/grandchild; echo $$ > {folder}/command; wait"


class Leash:
    """A command on a leash, held by this process."""

    def __init__(self, *command: str, grace_seconds: float = 2.0) -> None:
        read, self.holder = os.pipe()
        argv = [sys.executable, "-I", "-S", str(LEASH), str(read), str(grace_seconds), *command]
        self.process = subprocess.Popen(argv, pass_fds=(read,), start_new_session=True)
        os.close(read)

    def let_go(self) -> None:
        os.close(self.holder)


def eventually(is_so: Callable[[], object]) -> bool:
    end = time.monotonic() + WITHIN_SECONDS
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.02)
    return False


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def pids_in(folder: Path) -> list[int]:
    files = [folder / "grandchild", folder / "command"]
    assert eventually(lambda: all(file.exists() and file.read_text().strip() for file in files))
    return [int(file.read_text()) for file in files]


class TestLettingGo:
    def test_command_and_escaped_descendants_end_with_the_holder(self, tmp_path):
        leash = Leash("sh", "-c", FAMILY.format(folder=tmp_path))
        pids = pids_in(tmp_path)

        leash.let_go()

        leash.process.wait(WITHIN_SECONDS)
        assert all(map(is_gone, pids))

    def test_a_command_that_ignores_the_request_is_killed_after_its_grace(self, tmp_path):
        script = f"trap '' TERM; echo 1 > {tmp_path}/ready; while :; do sleep 0.1; done"
        leash = Leash("sh", "-c", script, grace_seconds=0.3)
        assert eventually((tmp_path / "ready").exists)

        leash.let_go()

        assert leash.process.wait(WITHIN_SECONDS) == 128 + signal.SIGKILL

    def test_a_command_may_use_its_grace_to_finish(self, tmp_path):
        script = (
            f"trap 'sleep 0.3; echo done > {tmp_path}/done; exit 7' TERM; echo 1 > {tmp_path}/ready; sleep 300 & wait"
        )
        leash = Leash("sh", "-c", script)
        assert eventually((tmp_path / "ready").exists)

        leash.let_go()

        assert leash.process.wait(WITHIN_SECONDS) == 7
        assert (tmp_path / "done").exists()


class TestEndOfTheCommand:
    def test_its_status_is_handed_on_and_what_it_left_behind_is_killed(self, tmp_path):
        leash = Leash("sh", "-c", f"setsid sleep 300 & echo $! > {tmp_path}/grandchild; exit 3")

        status = leash.process.wait(WITHIN_SECONDS)

        assert status == 3
        assert is_gone(int((tmp_path / "grandchild").read_text()))
        leash.let_go()


class TestKillingTheLeash:
    def test_the_command_does_not_outlive_it(self, tmp_path):
        leash = Leash("sh", "-c", f"echo $$ > {tmp_path}/command; exec sleep 300")
        assert eventually(lambda: (tmp_path / "command").exists() and (tmp_path / "command").read_text())
        command = int((tmp_path / "command").read_text())

        leash.process.kill()
        leash.process.wait(WITHIN_SECONDS)

        assert eventually(lambda: is_gone(command))
        leash.let_go()
