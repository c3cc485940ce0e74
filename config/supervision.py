"""Run services, start again what died, and leave nothing behind.

Each service runs on a leash (`config/leash.py`): a small process that ends it with all of its descendants when this
process goes, in whatever way it goes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

LEASH = Path(__file__).with_name("leash.py")
# A service that dies oftener than this is given up: RESTARTS within RESTART_WINDOW_SECONDS.
RESTARTS = 5
RESTART_WINDOW_SECONDS = 60.0
# How much longer than a service's own grace its leash may take to kill what is left.
LEASH_SECONDS = 7.0


class ServiceGaveUp(Exception):
    """A service died again and again."""


@dataclass(frozen=True)
class Service:
    """A process to keep alive: what it is called, its command line, and how long it gets to stop."""

    name: str
    argv: list[str]
    grace_seconds: float


@dataclass
class Leashed:
    """A service that was started; closing `holder` or ending this process ends it."""

    service: Service
    process: subprocess.Popen[bytes]
    holder: int
    deaths: list[float] = field(default_factory=list)


def start(service: Service, *, cwd: Path, environment: Mapping[str, str]) -> Leashed:
    """Start the service on a leash, in a session of its own."""
    read, write = os.pipe()
    leash = [sys.executable, "-I", "-S", str(LEASH), str(read), str(service.grace_seconds)]
    process = subprocess.Popen(
        [*leash, *service.argv],
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        pass_fds=(read,),
        start_new_session=True,
    )
    os.close(read)
    return Leashed(service, process, write)


def stop(running: list[Leashed]) -> None:
    """End the services, all at once, and wait until each is gone with its descendants."""
    for each in running:
        os.close(each.holder)
    for each in running:
        limit = each.service.grace_seconds + LEASH_SECONDS
        try:
            each.process.wait(limit)
        except subprocess.TimeoutExpired:
            each.process.kill()
            each.process.wait()


def restart_if_dead(running: list[Leashed], again: Callable[[Service], Leashed], say: Callable[[str], None]) -> None:
    """Start again, in place, each service that has died. Raises ServiceGaveUp where one dies too often."""
    for index, each in enumerate(running):
        status = each.process.poll()
        if status is None:
            continue
        now = time.monotonic()
        deaths = [at for at in each.deaths if now - at < RESTART_WINDOW_SECONDS] + [now]
        if len(deaths) > RESTARTS:
            raise ServiceGaveUp(f"The {each.service.name} died {len(deaths)} times within a minute; giving up.")
        say(f"The {each.service.name} ended with status {status}; starting it again.")
        os.close(each.holder)
        running[index] = again(each.service)
        running[index].deaths = deaths
