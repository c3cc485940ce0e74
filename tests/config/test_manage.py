"""The first part of `manage.py`: from a Python with venv and pip to `.venv`, once.

Run on a copy beside a lock without packages, so that nothing is downloaded, with a stand-in for Django that prints how
it was called.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings

# What they start is the embedded default, whatever this run is given.
pytestmark = [pytest.mark.slow, pytest.mark.sqlite, pytest.mark.timeout(240)]
STAND_IN = "import sys\ndef execute_from_command_line(argv):\n    print('ran', argv[1:], sys.prefix)\n"
PREPARING = "this happens once"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copy(settings.BASE_DIR / "manage.py", tmp_path)
    (tmp_path / "requirements.lock").write_text("# no packages\n")
    (tmp_path / "requirements-test.lock").write_text("# no packages, for tests\n")
    package = tmp_path / "django" / "core" / "management"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(STAND_IN)
    return tmp_path


def begin(checkout: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "STATEHOUSE_IN_IMAGE"}}
    return subprocess.Popen(
        [getattr(sys, "_base_executable", sys.executable), "manage.py", *arguments],
        cwd=checkout,
        env=clean | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(checkout: Path, *arguments: str, **environment: str) -> str:
    process = begin(checkout, *arguments, **environment)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


class TestBootstrap:
    def test_a_first_start_prepares_and_a_second_goes_straight_on(self, checkout):
        first = run(checkout, "up", "--port", "9000")
        begun = time.monotonic()
        second = run(checkout, "up", "--port", "9000")
        seconds = time.monotonic() - begun

        assert PREPARING in first
        assert second == f"ran ['up', '--port', '9000'] {checkout / '.venv'}\n"
        assert seconds < 2

    def test_an_install_that_was_cut_off_begins_again(self, checkout):
        run(checkout, "up")
        (checkout / ".venv" / "installed").unlink()
        (checkout / ".venv" / "unfinished").touch()
        (checkout / ".venv" / "half-a-package").touch()

        again = run(checkout, "up")

        assert PREPARING in again
        assert not (checkout / ".venv" / "half-a-package").exists()
        assert not (checkout / ".venv" / "unfinished").exists()

    def test_another_lock_is_installed_into_the_same_folder(self, checkout):
        run(checkout, "up")

        tests = run(checkout, "test", "-q")
        up = run(checkout, "up")

        assert "requirements-test.lock" in tests
        assert up.startswith("ran ['up']"), "the test lock holds the run-time lock"

    def test_of_two_starts_at_once_one_prepares(self, checkout):
        both = [begin(checkout, "up") for _ in range(2)]

        said = [process.communicate(timeout=120)[0] for process in both]

        assert sum(PREPARING in each for each in said) == 1
        assert all("ran ['up']" in each for each in said)

    def test_a_link_to_another_folder_is_left_alone(self, checkout, tmp_path_factory):
        theirs = tmp_path_factory.mktemp("theirs")
        (theirs / "kept").touch()
        (checkout / ".venv").symlink_to(theirs)

        process = begin(checkout, "up")
        _, err = process.communicate(timeout=120)

        assert (process.returncode, "Remove the link" in err) == (1, True)
        assert [each.name for each in theirs.iterdir()] == ["kept"]

    def test_the_image_needs_none(self, checkout):
        assert run(checkout, "web", STATEHOUSE_IN_IMAGE="1").startswith("ran ['web']")
        assert not (checkout / ".venv").exists()


class TestLocks:
    def test_the_test_lock_holds_all_of_the_run_time_lock(self):
        pinned = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)
        run_time, tests = (
            set(pinned.findall((settings.BASE_DIR / name).read_text()))
            for name in ("requirements.lock", "requirements-test.lock")
        )

        assert run_time
        assert run_time <= tests
