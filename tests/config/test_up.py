"""`manage.py up` from an empty home to its end: nothing stays behind, in whatever way it ends. Real processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest
from django.conf import settings

# What they start is the embedded default, whatever this run is given.
pytestmark = [pytest.mark.slow, pytest.mark.sqlite, pytest.mark.timeout(240)]
READY_SECONDS = 90.0
GONE_SECONDS = 30.0
LEASH = str(settings.BASE_DIR / "config" / "leash.py")
# The embedded product: what a fresh machine has.
NOT_INHERITED = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "SECRET_KEY", "STATEHOUSE_TEST_DB"}


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(is_so: Callable[[], object], *, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.1)
    return False


def processes_of(home: Path) -> list[psutil.Process]:
    """Return every living process that was started with this home in its environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("STATEHOUSE_HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def commands_of(home: Path) -> list[list[str]]:
    """Return the command lines of `processes_of`, for a failure that says which one stayed."""
    return [process.cmdline() for process in processes_of(home)]


def leader_of(home: Path, *, is_leash: bool) -> psutil.Process | None:
    """Return the worker's main process, or its leash: both lead a session and have the worker's command line."""
    workers = [process for process in processes_of(home) if "celery" in process.cmdline()]
    return next(
        (each for each in workers if os.getsid(each.pid) == each.pid and (LEASH in each.cmdline()) == is_leash), None
    )


class Up:
    """One `manage.py up`, and what it said so far."""

    def __init__(self, home: Path, *arguments: str, port: int | None = None) -> None:
        self.home, self.port = home, port or free_port()
        environment = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--no-demo", "--workers", "1", "--port", str(self.port), *arguments],
            cwd=settings.BASE_DIR,
            env=environment | {"STATEHOUSE_HOME": str(home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.said += line

    def is_ready(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer:
                return json.load(answer)["status"] == "ready"
        except (URLError, OSError):
            return False

    def wait_until_ready(self) -> None:
        is_up_or_over = eventually(lambda: self.has_ended() or self.announced(), seconds=READY_SECONDS)
        assert is_up_or_over, self.said
        assert not self.has_ended(), self.said

    def announced(self) -> bool:
        return self.is_ready() and "is up" in self.said

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def ended(self) -> tuple[int, str]:
        """Return exit status and output once the process is over."""
        status = self.process.wait(GONE_SECONDS)
        self._reader.join(5)
        return status, self.said


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    home = tmp_path / "home"
    yield home
    for process in processes_of(home):
        process.kill()


class TestUp:
    def test_a_first_start_is_whole_and_ctrl_c_ends_all_of_it(self, home):
        up = Up(home)
        up.wait_until_ready()
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        assert stat.S_IMODE((home / "secret-key").stat().st_mode) == 0o600
        assert f"http://127.0.0.1:{up.port}/sign-in/" in up.said

        up.process.send_signal(signal.SIGINT)

        status, said = up.ended()
        assert (status, said.splitlines()[-1]) == (0, "Stopped.")
        assert commands_of(home) == []

    def test_a_killed_up_leaves_no_process(self, home):
        up = Up(home)
        up.wait_until_ready()
        assert len(processes_of(home)) >= 6  # itself, two leashes, web, worker, its child

        up.process.kill()

        assert eventually(lambda: not processes_of(home), seconds=GONE_SECONDS)

    @pytest.mark.parametrize("is_leash", [False, True], ids=["worker", "its-leash"])
    def test_a_worker_that_died_is_started_again(self, home, is_leash):
        up = Up(home)
        up.wait_until_ready()
        victim = leader_of(home, is_leash=is_leash)

        victim.kill()

        assert eventually(lambda: "starting it again" in up.said, seconds=GONE_SECONDS)
        assert eventually(lambda: leader_of(home, is_leash=False), seconds=GONE_SECONDS)
        up.process.terminate()
        assert up.ended()[0] == 0
        assert commands_of(home) == []


class TestRefusals:
    def test_a_second_up_on_the_same_home_is_refused(self, home):
        first = Up(home)
        first.wait_until_ready()

        status, said = Up(home).ended()

        assert status == 1
        assert "is up on" in said
        assert first.is_ready()
        first.process.terminate()
        first.ended()

    def test_a_taken_port_is_refused_before_anything_starts(self, home):
        with closing(socket.socket()) as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()

            status, said = Up(home, port=taken.getsockname()[1]).ended()

        assert status == 1
        assert "--port" in said
        assert not home.exists()
