"""`/healthz` and `/readyz`, as an orchestrator and a person read them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from fabric_app.mesh import triggers
from fabric_app.models import WorkerSeen

PARTS = ["database", "migrations", "triggers", "broker", "worker"]


def see_worker(*, seconds_ago: float) -> None:
    at = timezone.now() - timedelta(seconds=seconds_ago)
    WorkerSeen.objects.create(name="default-1@rack", worker_group="default", seen_at=at, started_at=at)


class TestHealthz:
    def test_it_answers_without_a_database(self, client):
        answer = client.get("/healthz")

        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
class TestReadyz:
    def test_with_every_part_there_it_is_ready(self, client):
        see_worker(seconds_ago=2)

        answer = client.get("/readyz")

        assert answer.status_code == 200
        assert list(answer.json()["parts"]) == PARTS
        assert answer.json()["status"] == "ready"

    def test_without_a_worker_it_says_what_to_do(self, client):
        see_worker(seconds_ago=3600)

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert answer.json()["parts"]["worker"]["state"] == "missing"
        assert "manage.py worker" in answer.json()["parts"]["worker"]["sentence"]

    def test_a_log_without_its_triggers_is_not_ready(self, client):
        see_worker(seconds_ago=2)
        triggers.remove(connection)

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert answer.json()["parts"]["triggers"]["state"] == "missing"
        triggers.install(connection)

    def test_a_broker_that_is_away_is_named(self, client, settings):
        see_worker(seconds_ago=2)
        settings.REDIS_URL = "redis://127.0.0.1:1/0"

        answer = client.get("/readyz")

        assert answer.status_code == 503
        assert [name for name, part in answer.json()["parts"].items() if part["state"] != "ok"] == ["broker"]
