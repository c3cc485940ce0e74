"""Redis away: whatever does not need a worker goes on, and a run is refused whole."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from django.utils import timezone

from fabric_app.models import Run, RunStatus, Workspace
from fabric_app.operations.accounts import create_service_account, first_operator
from tests.factories import move
from tests.reliability.processes import environment
from tests.reliability.web import web_process
from tests.workers import free_port, has_redis_server, redis_server

pytestmark = [
    pytest.mark.timeout(150),
    pytest.mark.skipif(not has_redis_server(), reason="needs redis-server"),
]
PATIENCE_SECONDS = 3.0


@pytest.fixture
def host(workspace: Workspace) -> dict[str, str]:
    """The headers of a program that may run evidence."""
    _, secret = create_service_account(
        name="runner",
        workspaces=[workspace],
        permissions=["write", "execute"],
        expires_in=timedelta(days=1),
        now=timezone.now(),
        is_host=True,
    )
    return {"Authorization": f"Bearer {secret}"}


def signed_in(base: str) -> httpx.Client:
    """Return a browser's client of the first operator, who came by the one-time link."""
    path = first_operator(timezone.now())
    client = httpx.Client(base_url=base, timeout=PATIENCE_SECONDS, follow_redirects=True)
    client.get(str(path)).raise_for_status()
    client.post(str(path), data={"csrfmiddlewaretoken": client.cookies["csrftoken"]}).raise_for_status()
    return client


class TestRedisStopped:
    def test_reads_transitions_and_pages_go_on_and_a_run_is_refused(
        self, workspace: Workspace, host: dict[str, str], tmp_path: Path
    ) -> None:
        move(workspace, "plan", "planned", evidence=["true"])
        redis_port, port = free_port(), free_port()
        env = environment(REDIS_URL=f"redis://127.0.0.1:{redis_port}/0", DJANGO_SETTINGS_MODULE="config.settings")
        base = f"http://127.0.0.1:{port}"
        api = httpx.Client(base_url=f"{base}/api/v1/workspaces/{workspace.slug}", headers=host, timeout=10)

        with web_process(env, port):
            with redis_server(redis_port):
                assert api.post("/runs/", json={"action": "verify"}).status_code == 202
            browser = signed_in(base)

            began = time.monotonic()
            moved = api.post("/transitions/", json={"label": "apply", "to": "applied", "summary": "Applied"})
            transition_seconds = time.monotonic() - began
            read = [api.get(path).status_code for path in ("/state/", "/transitions/", "/events/", "/keys/")]
            pages = [browser.get(path).status_code for path in ("/", f"/workspaces/{workspace.slug}/", "/system/")]
            refused = api.post("/runs/", json={"action": "verify"})
            with redis_server(redis_port):
                again = api.post("/runs/", json={"action": "verify"})

        assert (moved.status_code, read, pages) == (201, [200] * 4, [200] * 3)
        assert transition_seconds < PATIENCE_SECONDS
        assert (refused.status_code, refused.json()["code"]) == (503, "BROKER_UNAVAILABLE")
        assert again.status_code == 202
        sent, failed, sent_again = Run.objects.order_by("created_at")
        assert (failed.status, failed.started_at, failed.error["code"]) == (
            RunStatus.ERROR,
            None,
            "BROKER_UNAVAILABLE",
        )
        assert [sent.status, sent_again.status] == [RunStatus.QUEUED] * 2
