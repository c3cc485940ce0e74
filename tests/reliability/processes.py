"""Programs that a test runs beside itself, on the test's own database and home; none of them outlives its test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

STOP_SECONDS = 10.0


def database_url() -> str:
    """Return the address of the database that the test is connected to."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    return f"postgres://{found['USER']}:{found['PASSWORD']}@{found['HOST']}:{found['PORT'] or 5432}/{found['NAME']}"


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of a program that works on the test's database."""
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL": database_url(), **changes}


@contextmanager
def program(*arguments: str, env: dict[str, str] | None = None, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start `python -m <arguments>` and yield it; it is killed, with what it started, when the block ends."""
    with started([sys.executable, "-m", *arguments], env=env, **options) as process:
        yield process


@contextmanager
def started(argv: list[str], *, env: dict[str, str] | None = None, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a session of its own and yield it; the session is killed when the block ends."""
    process = subprocess.Popen(
        argv, env=env or environment(), cwd=settings.BASE_DIR, text=True, start_new_session=True, **options
    )
    try:
        yield process
    finally:
        kill(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a started program with everything in its session's group, and wait for its end."""
    # Its own id names the group for as long as the program was not waited for.
    if process.poll() is None:
        os.killpg(process.pid, 9)
    process.wait(STOP_SECONDS)


def outputs_of_all(commands: list[list[str]], *, env: dict[str, str], folder: Path, timeout: float) -> list[str]:
    """Run `python -m` programs at the same time; return what each printed. A program that fails fails the test."""
    running: list[subprocess.Popen[str]] = []
    files = [folder / f"program-{number}.out" for number in range(len(commands))]
    try:
        for command, file in zip(commands, files, strict=True):
            with file.open("w") as out:
                running.append(
                    subprocess.Popen(
                        [sys.executable, "-m", *command],
                        env=env,
                        cwd=settings.BASE_DIR,
                        text=True,
                        start_new_session=True,
                        stdout=out,
                    )
                )
        for process in running:
            assert process.wait(timeout) == 0
    finally:
        for process in running:
            kill(process)
    return [file.read_text() for file in files]
