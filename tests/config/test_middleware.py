"""Every answer carries the request's id, and a body that is too large is refused before it is read."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile


class TestRequestId:
    def test_the_callers_own_is_kept(self, client):
        answer = client.get("/healthz", headers={"X-Request-Id": "deploy-42"})

        assert answer["X-Request-Id"] == "deploy-42"

    @pytest.mark.parametrize("unfit", ["", "with space", "x" * 129, "caf\u00e9"])
    def test_one_that_cannot_stand_in_a_log_line_is_replaced(self, client, unfit):
        answer = client.get("/healthz", headers={"X-Request-Id": unfit})

        assert len(answer["X-Request-Id"]) == 32


class TestRequestSize:
    def test_a_body_above_the_limit_is_refused_with_a_problem(self, client, settings):
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100

        answer = client.post("/healthz", data=b"x" * 101, content_type="application/json")

        assert answer.status_code == 413
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "REQUEST_TOO_LARGE"
        assert answer["X-Request-Id"]

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("address", "status"),
        [("/sessions/import/", 302), ("/api/v1/session-imports/", 401), ("/sign-in/", 413), ("/nowhere/", 413)],
    )
    def test_a_file_may_be_larger_where_files_are_taken(self, client, settings, address, status):
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000

        answer = client.post(address, {"file": SimpleUploadedFile("card.png", b"x" * 2_000)})

        assert answer.status_code == status
