"""Runs to try commands in, and a mark by which a test finds the processes of its own commands again."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from fabric_app.evidence.limits import RunLimits
from fabric_app.evidence.runner import EvidenceRun

counter = itertools.count()


class Mark:
    """A number of seconds that nobody else sleeps: its digits in a command line say whose process it is."""

    def __init__(self) -> None:
        self.seconds = f"60.{os.getpid():07d}{next(counter):04d}"
        self.sleep = f"sleep {self.seconds}"

    def processes(self) -> list[psutil.Process]:
        return [process for process in psutil.process_iter() if self.seconds in command_line(process)]

    def wait_for(self, count: int, *, seconds: float = 10) -> list[psutil.Process]:
        """Return the processes once there are at least `count` of them."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if len(found := self.processes()) >= count:
                return found
            time.sleep(0.02)
        raise AssertionError(f"{count} processes did not start")

    def are_gone(self, *, seconds: float = 3) -> bool:
        """Wait a moment for the processes to end; False where one stays."""
        until = time.monotonic() + seconds
        while self.processes():
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True


def command_line(process: psutil.Process) -> str:
    try:
        return "" if process.status() == psutil.STATUS_ZOMBIE else " ".join(process.cmdline())
    except psutil.Error:
        return ""


@pytest.fixture
def mark() -> Iterator[Mark]:
    """A mark; what a failed test leaves running under it is killed."""
    made = Mark()
    yield made
    for process in made.processes():
        process.kill()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[EvidenceRun]:
    with EvidenceRun(cwd=tmp_path, limits=RunLimits()) as made:
        yield made


@pytest.fixture
def run_with(tmp_path: Path) -> Iterator[Callable[..., EvidenceRun]]:
    """Make runs with limits or an environment of their own; all are closed in the end."""
    made: list[EvidenceRun] = []

    def make(*, environment: dict[str, str] | None = None, cwd: Path = tmp_path, **limits: object) -> EvidenceRun:
        made.append(EvidenceRun(cwd=cwd, limits=RunLimits(**limits), environment=environment))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for each in made:
        each.close()
