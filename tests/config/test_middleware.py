"""Every answer carries the request's id, and a body that is too large is refused before it is read."""

from __future__ import annotations

import pytest


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
