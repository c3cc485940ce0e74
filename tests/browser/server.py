"""The real product for a browser: a database of its own, a web process and a worker, started and ended by the test."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
STOP_SECONDS = 20
WEB = ("-m", "uvicorn", "config.asgi:application", "--host", "127.0.0.1", "--timeout-graceful-shutdown", "1")
WORKER = "import os; from config.services import worker_argv; argv = worker_argv(workers=1); os.execv(argv[0], argv)"
# Runs in the server's own settings, so that a test can act as another person would.
ACT = (
    "import django, json, sys; django.setup(); from tests.browser import {module}; "
    "print(json.dumps({module}.{act}(**json.load(sys.stdin))))"
)


class Server:
    """Web and worker on a home folder. `address` stays the same when the web process is killed and started again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = _free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("STATEHOUSE_", "DATABASE_"))},
            "STATEHOUSE_HOME": str(home),
            "SECRET_KEY": "browser-tests-" + "x" * 50,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": str(ROOT),
            "STATEHOUSE_LOG_LEVEL": "WARNING",
            "REDIS_URL": "",
        }
        self._web: subprocess.Popen[bytes] | None = None
        self._worker: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Migrate, then start both; return when the web process answers."""
        (self.home / "workspaces").mkdir(parents=True, exist_ok=True)
        self._run("manage.py", "migrate", "--verbosity", "0")
        self._worker = self._start("-c", WORKER)
        self.start_web()

    def start_web(self) -> None:
        self._web = self._start(*WEB, "--port", str(self.port), "--log-level", "warning")
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"{self.address}/healthz", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise TimeoutError(f"No answer at {self.address} within {START_SECONDS} s: see {self.home}/log")

    def kill_web(self) -> None:
        """End the web process as a crash would."""
        if self._web is not None:
            self._web.send_signal(signal.SIGKILL)
            self._web.wait(STOP_SECONDS)

    def stop(self) -> None:
        for process in (self._web, self._worker):
            if process is not None and process.poll() is None:
                process.terminate()
                try:
                    process.wait(STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(STOP_SECONDS)

    def act(self, act: str, **given: Any) -> Any:
        """Call a function of `tests.browser.acts`, or of the module that it names, in a process of its own."""
        module, _, name = act.rpartition(".")
        answer = self._run("-c", ACT.format(module=module or "acts", act=name), text=json.dumps(given))
        return json.loads(answer.splitlines()[-1])

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.home / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *arguments], cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )

    def _run(self, *arguments: str, text: str = "") -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self._environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-3000:])
        return done.stdout


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
