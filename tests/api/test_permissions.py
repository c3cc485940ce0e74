"""Who may do what: every endpoint for every kind of caller."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from fabric_app.models import Workspace

W = "/api/v1/workspaces/harbour/"
Endpoint = tuple[str, str, Any, frozenset[str], int]
MOVE = {"label": "planned", "to": "ready", "summary": "The crane is booked"}
READERS = frozenset({"operator", "auditor", "host", "agent", "reader"})
WRITERS = frozenset({"operator", "host", "agent"})
RUNNERS = frozenset({"operator", "host"})
OPERATORS = frozenset({"operator"})
RUN = {"action": "verify", "labels": ["nothing"]}

# method, address, body, who may, what it answers then
ENDPOINTS: list[Endpoint] = [
    ("get", W, None, READERS, 200),
    ("patch", W, {"title": "Port", "expectedVersion": 0}, OPERATORS, 200),
    ("post", f"{W}archive/", {"expectedVersion": 0}, OPERATORS, 200),
    ("post", f"{W}unarchive/", {"expectedVersion": 0}, OPERATORS, 200),
    ("get", f"{W}activity/", None, READERS, 200),
    ("get", f"{W}state/", None, READERS, 200),
    ("get", f"{W}transitions/", None, READERS, 200),
    ("post", f"{W}transitions/", MOVE, WRITERS, 201),
    ("post", f"{W}transitions/", {**MOVE, "force": True}, OPERATORS, 201),
    ("post", f"{W}transitions/", {**MOVE, "kind": "representation"}, OPERATORS, 201),
    ("get", f"{W}complexity/", None, READERS, 200),
    ("get", f"{W}goal/", None, READERS, 404),
    ("put", f"{W}goal/", {"check": "true"}, WRITERS, 200),
    ("get", f"{W}runs/", None, READERS, 200),
    ("post", f"{W}runs/", RUN, RUNNERS, 202),
    ("post", f"{W}runs/preview/", RUN, READERS, 200),
    ("get", f"{W}events/", None, READERS, 200),
    ("post", f"{W}events/", {"topic": "notes", "text": "High tide"}, WRITERS, 201),
    ("get", f"{W}events/stream/", None, READERS, 200),
    ("get", f"{W}keys/", None, READERS, 200),
    ("get", f"{W}keys/tide", None, READERS, 404),
    ("put", f"{W}keys/tide", {"value": "high"}, WRITERS, 200),
    ("delete", f"{W}keys/tide", None, WRITERS, 200),
]


def call(client: APIClient, method: str, address: str, body: Any = None, **headers: Any) -> Any:
    return getattr(client, method)(address, body, format="json", **headers)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=[f"{each[0]} {each[1]}" for each in ENDPOINTS])
def test_each_caller_is_let_in_or_told_why_not(callers: dict[str, APIClient], endpoint: Endpoint) -> None:
    method, address, body, allowed, status = endpoint
    for name, client in callers.items():
        answer = call(client, method, address, body)

        if name == "nobody":
            expected = (401, "NOT_AUTHENTICATED")
        elif name == "outsider":
            expected = (404, "NOT_FOUND")
        elif name not in allowed:
            expected = (403, "NOT_PERMITTED")
        else:
            expected = (status, None)
        assert answer.status_code == expected[0], f"{name}: {getattr(answer, 'data', answer)}"
        if expected[1]:
            assert answer.data["code"] == expected[1], name


class TestAWorkspaceThatOneCannotSee:
    def test_is_answered_like_one_that_is_not_there(self, callers: dict[str, APIClient]) -> None:
        outsider = callers["outsider"]

        hidden = call(outsider, "get", W).data
        missing = call(outsider, "get", "/api/v1/workspaces/nowhere/").data

        assert {**hidden, "name": "", "detail": ""} == {**missing, "name": "", "detail": ""}
        assert hidden["detail"].replace("harbour", "nowhere") == missing["detail"]

    def test_is_not_in_the_list(self, callers: dict[str, APIClient]) -> None:
        assert call(callers["outsider"], "get", "/api/v1/workspaces/").data["results"] == []
        assert [each["slug"] for each in call(callers["agent"], "get", "/api/v1/workspaces/").data["results"]] == [
            "harbour"
        ]


class TestARunOfAHiddenWorkspace:
    @pytest.mark.parametrize("part", ["", "entries/", "stream/", "output/"])
    def test_is_not_found(self, callers: dict[str, APIClient], part: str) -> None:
        run = call(callers["host"], "post", f"{W}runs/", RUN).data["id"]

        answer = call(callers["outsider"], "get", f"/api/v1/runs/{run}/{part}")

        assert (answer.status_code, answer.data["code"]) == (404, "NOT_FOUND")
        assert call(callers["reader"], "get", f"/api/v1/runs/{run}/{part}").status_code == 200

    def test_can_be_cancelled_by_those_who_may_run(self, callers: dict[str, APIClient]) -> None:
        address = f"/api/v1/runs/{call(callers['host'], 'post', f'{W}runs/', RUN).data['id']}/cancel/"
        reason = {"reason": "The tide is out"}

        assert call(callers["outsider"], "post", address, reason).status_code == 404
        assert call(callers["agent"], "post", address, reason).status_code == 403
        assert call(callers["host"], "post", address, {"reason": " "}).status_code == 400
        assert call(callers["host"], "post", address, reason).data["status"] == "cancelled"


class TestForceAndRepresentation:
    def test_need_grants_of_their_own(self, harbour: Workspace) -> None:
        from tests.people import service

        forcing = service("forcing", harbour, "write", "force")
        hiding = service("hiding", harbour, "write", "represent")

        assert call(forcing, "post", f"{W}transitions/", {**MOVE, "force": True}).status_code == 201
        assert call(forcing, "post", f"{W}transitions/", {**MOVE, "kind": "representation"}).status_code == 403
        assert call(hiding, "post", f"{W}transitions/", {**MOVE, "kind": "representation"}).status_code == 201
        assert call(hiding, "post", f"{W}transitions/", {**MOVE, "force": True}).status_code == 403

    def test_a_member_of_the_body_makes_nobody_more_than_it_is(self, callers: dict[str, APIClient]) -> None:
        answer = call(callers["agent"], "post", f"{W}transitions/", {**MOVE, "actor": {"kind": "main"}})

        assert answer.data["errors"][0]["path"] == "/actor"


class TestAnArchivedWorkspace:
    def test_is_read_and_nothing_else(self, operator: APIClient, agent: APIClient) -> None:
        call(operator, "post", f"{W}archive/", {"expectedVersion": 0})

        refused = call(agent, "post", f"{W}transitions/", MOVE)

        assert (refused.status_code, refused.data["code"]) == (409, "WORKSPACE_ARCHIVED")
        assert call(agent, "get", f"{W}state/").status_code == 200
        assert call(agent, "get", "/api/v1/workspaces/").data["results"] == []
        assert len(call(agent, "get", "/api/v1/workspaces/?includeArchived=true").data["results"]) == 1

    def test_works_again_once_it_is_out_of_the_archive(self, operator: APIClient, agent: APIClient) -> None:
        call(operator, "post", f"{W}archive/", {"expectedVersion": 0})
        call(operator, "post", f"{W}unarchive/", {"expectedVersion": 1})

        assert call(agent, "post", f"{W}transitions/", MOVE).status_code == 201


class TestABrowserSession:
    def test_reads_without_and_writes_only_with_the_csrf_token(self, callers: dict[str, APIClient]) -> None:
        from django.contrib.auth.models import User

        browser = APIClient(enforce_csrf_checks=True)
        browser.force_login(User.objects.get(username="olga"), backend="django.contrib.auth.backends.ModelBackend")

        assert call(browser, "get", W).status_code == 200
        refused = call(browser, "put", f"{W}keys/tide", {"value": 1})
        assert (refused.status_code, refused.data["code"]) == (403, "CSRF_FAILED")
