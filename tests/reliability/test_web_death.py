"""The web process killed while it answers: a client that asks again with the same key gets one effect."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import httpx
import pytest
from django.utils import timezone

from fabric_app.models import Workspace
from fabric_app.operations.accounts import create_service_account
from tests.reliability.consistency import assert_clean, committed
from tests.reliability.processes import environment
from tests.reliability.web import web_process
from tests.workers import free_port

DEATHS = 5
LIFE_SECONDS = 1.0
CLIENTS = 4


class Client(threading.Thread):
    """Records one transition after the other, and asks again under the same key until it hears an answer."""

    def __init__(self, base: str, slug: str, secret: str, name: str, stopped: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self.answers: dict[str, str] = {}
        self._address = f"{base}/api/v1/workspaces/{slug}/transitions/"
        self._headers = {"Authorization": f"Bearer {secret}"}
        self._stopped = stopped

    def run(self) -> None:
        number = 0
        while not self._stopped.is_set():
            number += 1
            label = f"{self.name}-{number}"
            answer = self._heard(label)
            if answer.status_code == 201:
                self.answers[label] = answer.json()["event"]["id"]

    def _heard(self, label: str) -> httpx.Response:
        body = {"label": label, "to": f"at-{label}", "summary": "Moved on"}
        while True:
            try:
                answer = httpx.post(
                    self._address, json=body, headers={**self._headers, "Idempotency-Key": label}, timeout=10
                )
            except httpx.TransportError:
                time.sleep(0.05)
                continue
            if answer.status_code != 503:
                return answer


@pytest.mark.slow
@pytest.mark.timeout(240)
class TestWebProcessKilled:
    def test_every_answer_stands_for_one_transition(self, workspace: Workspace) -> None:
        _, secret = create_service_account(
            name="scribe",
            workspaces=[workspace],
            permissions=["write"],
            expires_in=timedelta(days=1),
            now=timezone.now(),
        )
        port, stopped = free_port(), threading.Event()
        clients = [
            Client(f"http://127.0.0.1:{port}", workspace.slug, secret, f"client-{n}", stopped) for n in range(CLIENTS)
        ]

        for life in range(DEATHS + 1):
            with web_process(environment(DJANGO_SETTINGS_MODULE="config.settings"), port):
                if life == 0:
                    for client in clients:
                        client.start()
                time.sleep(LIFE_SECONDS)
                if life == DEATHS:
                    stopped.set()
                    for client in clients:
                        client.join(30)

        answers = {label: event_id for client in clients for label, event_id in client.answers.items()}
        stored = {event.data["label"]: str(event.id) for event in committed(workspace)}
        assert len(stored) == len(list(committed(workspace)))
        assert answers
        # A client gives up on nothing, so that nothing is stored which no client knows of.
        assert answers == stored
        assert_clean(workspace)
