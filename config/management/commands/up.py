"""`manage.py up`: everything that the product needs, in one command, until Ctrl-C.

In this order: home folder and secret key, database, static files, first operator, web and worker, and once they are
ready the demo content (the first time). Nothing is started where the port or the home is taken.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from argparse import ArgumentParser
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config import services
from config.collected import collect_if_changed
from config.home import HomeIsTaken, only_one_up, prepare_home
from config.supervision import Leashed, Service, ServiceGaveUp, restart_if_dead, start, stop
from fabric_app.operations.accounts import first_operator

# A terminal is for people: fewer lines, and readable ones, unless the environment says otherwise.
QUIET = {"STATEHOUSE_LOG_FORMAT": "console", "STATEHOUSE_LOG_LEVEL": "WARNING"}
TICK_SECONDS = 0.3
READY_SECONDS = 90.0
PROBE_SECONDS = 2.0
DEMO_GRACE_SECONDS = 5.0


class Command(BaseCommand):
    help = "Bring the whole product up on this machine; Ctrl-C ends it."
    # A first start has no secret key yet: checks run once the home is there.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on")
        parser.add_argument("--no-demo", action="store_true", help="leave the demo content out")
        count = services.default_worker_count()
        parser.add_argument("--workers", type=int, default=count, help="runs to execute at once")

    def handle(self, *args: Any, **options: Any) -> None:
        _refuse_taken_port(options["host"], options["port"])
        _prepare_home_or_begin_again()
        self.check()
        try:
            with only_one_up(settings.HOME):
                link = self.prepare()
                self.run(options, link)
        except HomeIsTaken:
            raise CommandError(
                f"Statehouse is up on {settings.HOME} already. Stop it first, or set STATEHOUSE_HOME to another folder."
            ) from None
        except ServiceGaveUp as gave_up:
            raise CommandError(str(gave_up)) from None

    def prepare(self) -> str | None:
        """Bring database and static files up to date; return the first operator's sign-in path on the first run."""
        self.say("Bringing the database up to date.")
        call_command("migrate", interactive=False, verbosity=0)
        if collect_if_changed():
            self.say("Static files are collected.")
        return first_operator(timezone.now())

    def run(self, options: dict[str, Any], link: str | None) -> None:
        """Keep the services alive until somebody asks for the end."""
        stopping = _stop_on_signals()
        up = Up(self.say, options["host"], options["port"], link, with_demo=not options["no_demo"])
        try:
            up.start(workers=options["workers"])
            while not stopping.wait(TICK_SECONDS):
                up.look_after()
        finally:
            self.say("Stopping.")
            up.stop()
        self.say("Stopped.")

    def say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()


class Up:
    """The running product: its services, and what was said of them so far."""

    def __init__(self, say: Any, host: str, port: int, link: str | None, *, with_demo: bool) -> None:
        self.say, self.host, self.port, self.link = say, host, port, link
        self.running: list[Leashed] = []
        self.demo: Leashed | None = None
        self.demo_is_due = with_demo and not _demo_marker().exists()
        self.began_at = time.monotonic()
        self.is_ready = self.was_late = False

    def start(self, *, workers: int) -> None:
        web = Service("web process", services.web_argv(host=self.host, port=self.port), services.WEB_GRACE_SECONDS)
        worker = Service("worker", services.worker_argv(workers=workers), services.WORKER_GRACE_SECONDS)
        for service in (web, worker):
            self.running.append(_started(service))

    def look_after(self) -> None:
        """Mend what died, and say what is new."""
        restart_if_dead(self.running, _started, self.say)
        if not self.is_ready:
            self._announce_if_ready()
        elif self.demo_is_due:
            self.demo_is_due = False
            self.say("Filling in the demo content; the pages show it as it comes.")
            self.demo = _started(Service("demo", [sys.executable, "manage.py", "demo"], DEMO_GRACE_SECONDS))
        elif self.demo and self.demo.process.poll() is not None:
            self._finish_demo(self.demo)

    def stop(self) -> None:
        stop([*self.running, *([self.demo] if self.demo else [])])

    def _announce_if_ready(self) -> None:
        missing = _what_is_missing(self.host, self.port)
        if not missing:
            self.is_ready = True
            self.say(f"Statehouse is up: http://{_authority(self.host, self.port)}/  (Ctrl-C stops it)")
            if self.link:
                self.say(f"Sign in, once, as the first operator: http://{_authority(self.host, self.port)}{self.link}")
            else:
                self.say("Signed out? A new link: python3 manage.py sign_in_link")
        elif not self.was_late and time.monotonic() - self.began_at > READY_SECONDS:
            self.was_late = True
            self.say("Statehouse is not ready yet. " + " ".join(missing))

    def _finish_demo(self, demo: Leashed) -> None:
        self.demo = None
        os.close(demo.holder)
        if demo.process.returncode == 0:
            _demo_marker().touch()
            self.say("The demo content is there.")
        else:
            self.say("The demo content could not be filled in. Try: python3 manage.py demo")


def _prepare_home_or_begin_again() -> None:
    """Make what settings read from the home; where it was new, run this command again so that they see it."""
    folders = (Path(settings.STATIC_ROOT), settings.BROKER_FOLDER, settings.HOME / "workspaces")
    if prepare_home(settings.HOME, secret_file=settings.SECRET_FILE, folders=folders):
        os.execv(sys.executable, [sys.executable, *sys.argv])


def _started(service: Service) -> Leashed:
    return start(service, cwd=settings.BASE_DIR, environment=QUIET | os.environ)


def _demo_marker() -> Path:
    return settings.HOME / "demo-is-there"


def _refuse_taken_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {_authority(host, port)}: {error.strerror}. Choose another one by --port."
            ) from None


def _stop_on_signals() -> threading.Event:
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stopping.set())
    return stopping


def _what_is_missing(host: str, port: int) -> list[str]:
    """Ask `/readyz`; return a sentence for each part that is not there."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared, not listened on
    with closing(HTTPConnection(reachable, port, timeout=PROBE_SECONDS)) as connection:
        try:
            connection.request("GET", "/readyz", headers={"Host": _authority("127.0.0.1", port)})
            parts = json.load(connection.getresponse())["parts"]
        except (OSError, HTTPException, ValueError):
            return ["The web process does not answer."]
    return [part["sentence"] for part in parts.values() if part["state"] != "ok"]


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
