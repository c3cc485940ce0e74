"""Real workers and a real Redis for tests: processes on the test's own database, that end with the test."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
from django.conf import settings
from django.db import connection

from config.services import worker_argv

START_SECONDS = 30.0
PAUSE_SECONDS = 0.05


def eventually(is_so: Callable[[], object], *, seconds: float) -> bool:
    """Tell whether it becomes so within the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(PAUSE_SECONDS)
    return bool(is_so())


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path, roots: Path, **changes: str) -> dict[str, str]:
    """Return the environment of a product process with the test's database and a home of its own."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": settings.SECRET_KEY,
        "STATEHOUSE_HOME": str(home),
        "STATEHOUSE_WORKSPACE_ROOTS": str(roots),
        "STATEHOUSE_LOG_LEVEL": "WARNING",
        "DATABASE_URL": database_url(),
        "REDIS_URL": "",
        **changes,
    }


def database_url() -> str:
    """Return the URL of the database that this test uses now."""
    known = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{known['NAME']}"
    user = f"{known['USER']}:{known['PASSWORD']}@" if known["PASSWORD"] else f"{known['USER']}@"
    return f"postgres://{user}{known['HOST']}:{known['PORT']}/{known['NAME']}"


class Worker:
    """A worker with two pool children, in a session of its own."""

    def __init__(self, env: dict[str, str], *, children: int = 2) -> None:
        self.log = Path(env["STATEHOUSE_HOME"]) / "worker.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*worker_argv(workers=children), *_of_group(env)],
                cwd=settings.BASE_DIR,
                env=env,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._main = psutil.Process(self.process.pid)

    def children(self) -> list[psutil.Process]:
        """Return the pool children: the processes below the main one that are the worker itself."""
        return [child for child in self._main.children() if "celery" in " ".join(child.cmdline())]

    def kill_main(self) -> None:
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> None:
        """End it and everything below it, however it is by now."""
        left = _tree(self.process.pid)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        for process in left:
            if process.is_running():
                process.kill()


@contextmanager
def worker(env: dict[str, str], *, children: int = 2) -> Iterator[Worker]:
    """Run a worker for the length of the block."""
    Path(env["STATEHOUSE_HOME"]).mkdir(parents=True, exist_ok=True)
    running = Worker(env, children=children)
    try:
        yield running
    finally:
        running.stop()


def has_redis_server() -> bool:
    return shutil.which("redis-server") is not None


@contextmanager
def redis_server(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Redis for the length of the block; it keeps nothing."""
    argv = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
    try:
        if not eventually(lambda: _answers(port), seconds=START_SECONDS):
            raise RuntimeError("The test's Redis does not start.")
        yield process
    finally:
        process.kill()
        process.wait(10)


def run_product(env: dict[str, str], code: str, *, seconds: float = 60.0) -> subprocess.CompletedProcess[str]:
    """Run a few lines of Python as a process of the product, its apps loaded."""
    return subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{code}"],
        cwd=settings.BASE_DIR,
        env=env,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def processes_with(marker: str) -> list[psutil.Process]:
    """Return the living processes that have the text in their command line."""
    return [
        process
        for process in psutil.process_iter(["cmdline", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE and marker in " ".join(process.info["cmdline"] or ())
    ]


def _of_group(env: dict[str, str]) -> list[str]:
    """Return the options that name the group of that environment; they win over those of this process."""
    group = env.get("STATEHOUSE_WORKER_GROUP", "default")
    return ["--queues", f"evidence.{group}", "--hostname", f"{group}-{time.monotonic_ns()}@%h"]


def _answers(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _tree(pid: int) -> list[psutil.Process]:
    try:
        main = psutil.Process(pid)
        return [main, *main.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
