"""Numbers are for operators, auditors and the scraper's token."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

pytestmark = pytest.mark.django_db


class TestMetrics:
    def test_a_stranger_is_refused(self, client, settings):
        settings.METRICS_TOKEN = "long-enough"

        assert client.get("/metrics").status_code == 403
        assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 403

    def test_no_token_is_not_an_empty_token(self, client):
        assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 403

    def test_the_scraper_reads_requests_and_runs(self, client, settings):
        settings.METRICS_TOKEN = "long-enough"
        client.get("/healthz")

        answer = client.get("/metrics", headers={"Authorization": "Bearer long-enough"})

        assert answer.status_code == 200
        assert 'statehouse_requests_total{method="GET",status="200"}' in answer.text
        assert 'statehouse_open_runs{status="queued"} 0.0' in answer.text

    def test_an_auditor_who_is_signed_in_reads_them(self, client):
        ada = User.objects.create_user("ada")
        ada.groups.add(Group.objects.get_or_create(name="auditor")[0])
        client.force_login(ada)

        assert client.get("/metrics").status_code == 200
