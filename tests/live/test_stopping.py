"""A web process that is told to stop ends its streams at once, and without a word."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from django.conf import settings as product
from django.utils import timezone

from fabric_app.operations.accounts import create_service_account
from tests.factories import move
from tests.runs.conftest import folder, workspace
from tests.workers import environment, eventually, free_port

__all__ = ["folder", "workspace"]

pytestmark = pytest.mark.timeout(120)


def answers(base: str) -> bool:
    try:
        return httpx.get(f"{base}/healthz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


class TestStopping:
    def test_an_open_stream_neither_delays_it_nor_leaves_a_traceback(self, workspace, tmp_path):
        move(workspace, "plan", "planned")
        _, secret = create_service_account(
            name="scribe",
            workspaces=[workspace],
            permissions=["read"],
            expires_in=timedelta(days=1),
            now=timezone.now(),
        )
        port, log = free_port(), tmp_path / "web.log"
        base = f"http://127.0.0.1:{port}"
        argv = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port), "--lifespan", "on"]
        with log.open("wb") as output:
            web = subprocess.Popen(
                [*argv, "--log-level", "warning", "--timeout-graceful-shutdown", "20"],
                cwd=product.BASE_DIR,
                env=environment(Path(product.HOME), tmp_path),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            assert eventually(lambda: answers(base), seconds=60), log.read_text()
            address = f"{base}/api/v1/workspaces/{workspace.slug}/events/stream/"
            headers = {"Authorization": f"Bearer {secret}"}
            with httpx.stream("GET", address, headers=headers, timeout=30) as response:
                lines = response.iter_lines()
                assert any(line.startswith("data:") for line in lines)
                began = time.monotonic()
                web.terminate()
                rest = list(lines)
            web.wait(30)
            seconds = time.monotonic() - began
        finally:
            web.kill()
            web.wait(10)

        assert "event: end" not in rest
        assert seconds < 5
        assert "Traceback" not in log.read_text()
