"""Every error has one form, whatever raised it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from rest_framework.test import APIClient

from config.problem import exception_handler, problem
from config.translation import typed
from fabric_app.mesh.errors import VersionConflict

W = "/api/v1/workspaces/harbour/"
JSON = "application/json"


def sent(client: APIClient, method: str, address: str, content: bytes = b"", kind: str = JSON, **headers: Any) -> Any:
    return client.generic(method.upper(), address, content, content_type=kind, **headers)


# method, address, body, its media type, status, code
Case = tuple[str, str, bytes, str, int, str]
CASES: list[Case] = [
    ("get", "/api/v1/nothing/", b"", JSON, 404, "NOT_FOUND"),
    ("get", "/api/v1/runs/not-a-uuid/", b"", JSON, 404, "NOT_FOUND"),
    ("delete", W, b"", JSON, 405, "METHOD_NOT_ALLOWED"),
    ("post", f"{W}transitions/", b"label=x", "application/x-www-form-urlencoded", 415, "UNSUPPORTED_MEDIA_TYPE"),
    ("post", f"{W}transitions/", b"{", JSON, 400, "INVALID_JSON"),
    ("post", f"{W}transitions/", b'{"label": 1, "label": NaN}', JSON, 400, "INVALID_JSON"),
    ("post", f"{W}transitions/", b"[]", JSON, 400, "INVALID_ARGUMENTS"),
    ("post", f"{W}transitions/", b"", JSON, 400, "INVALID_ARGUMENTS"),
    ("post", f"{W}runs/", b'{"action": "dance"}', JSON, 404, "UNKNOWN_ACTION"),
    ("post", f"{W}runs/", b'{"action": "get"}', JSON, 400, "INVALID_ARGUMENTS"),
    ("post", f"{W}runs/", b'{"action": ["verify"]}', JSON, 400, "INVALID_ARGUMENTS"),
    ("post", f"{W}runs/", b'{"action": "checkGoal"}', JSON, 409, "NO_GOAL"),
    ("get", f"{W}transitions/?labell=x", b"", JSON, 400, "INVALID_ARGUMENTS"),
    ("get", f"{W}transitions/?limit=0", b"", JSON, 400, "INVALID_ARGUMENTS"),
    ("get", f"{W}transitions/?cursor=%00", b"", JSON, 400, "INVALID_ARGUMENTS"),
    ("get", f"{W}transitions/?cursor=abc", b"", JSON, 400, "INVALID_CURSOR"),
    ("get", f"{W}events/?after=99999999999999999999", b"", JSON, 400, "INVALID_ARGUMENTS"),
    ("get", f"{W}events/?topic=-", b"", JSON, 400, "INVALID_TOPIC"),
    ("get", f"{W}keys/?prefix=%00", b"", JSON, 400, "INVALID_ARGUMENTS"),
    ("get", f"{W}keys/a%00b", b"", JSON, 404, "NOT_FOUND"),
    ("put", f"{W}keys/a%00b", b'{"value": 1}', JSON, 404, "NOT_FOUND"),
    ("put", f"{W}keys/-", b'{"value": 1}', JSON, 400, "INVALID_KEY"),
    ("put", f"{W}keys/tide", b"{}", JSON, 400, "INVALID_ARGUMENTS"),
    ("put", f"{W}keys/tide", b'{"value": 1, "ifVersion": 1.5}', JSON, 400, "INVALID_ARGUMENTS"),
    ("put", f"{W}keys/state/current", b'{"value": 1}', JSON, 403, "RESERVED"),
    ("post", f"{W}events/", b'{"topic": "fabric.state"}', JSON, 403, "RESERVED"),
    ("patch", W, b"{}", JSON, 428, "VERSION_REQUIRED"),
    ("post", "/api/v1/workspaces/", b'{"slug": "a b", "title": " "}', JSON, 400, "INVALID_ARGUMENTS"),
    ("post", "/api/v1/workspaces/", b'{"slug": "quay", "title": "Q", "root": "/etc"}', JSON, 422, "ROOT_NOT_ALLOWED"),
    ("post", "/api/v1/workspaces/", b'{"slug": "harbour", "title": "Again"}', JSON, 409, "WORKSPACE_EXISTS"),
]


class TestAnError:
    @pytest.mark.parametrize("case", CASES, ids=[f"{each[0]} {each[1]} {each[5]}" for each in CASES])
    def test_is_a_problem_document(self, operator: APIClient, case: Case) -> None:
        method, address, content, kind, status, code = case

        answer = sent(operator, method, address, content, kind)

        body = json.loads(answer.content)
        assert (answer.status_code, body["code"]) == (status, code)
        assert answer["Content-Type"] == "application/problem+json"
        assert body["status"] == status
        assert body["type"] == f"urn:statehouse:error:{code}"
        assert body["title"]
        assert body["detail"]

    def test_lists_every_problem_with_its_place(self, operator: APIClient) -> None:
        answer = sent(operator, "post", f"{W}transitions/", b'{"label": " ", "to": 3, "evidence": ["ok", 4], "x": 1}')

        assert [each["path"] for each in answer.data["errors"]] == ["/summary", "/label", "/to", "/evidence/1", "/x"]

    def test_names_the_methods_that_are_allowed(self, operator: APIClient) -> None:
        assert "PATCH" in sent(operator, "delete", W)["Allow"]

    def test_is_not_told_in_a_form_that_nobody_can_read(self, operator: APIClient) -> None:
        answer = operator.get(W, HTTP_ACCEPT="image/png")

        assert (answer.status_code, answer.data["code"]) == (406, "NOT_ACCEPTABLE")
        assert answer["Content-Type"] == "application/problem+json"

    def test_asks_for_a_token_where_none_is_given(self, db: None) -> None:
        answer = APIClient().get(W)

        assert answer.status_code == 401
        assert answer["WWW-Authenticate"].startswith("Bearer")

    @pytest.mark.parametrize("header", ["Bearer", "Bearer wrong", "Basic b2xnYTpvbGdh", "Bearer \u00e9", "x"])
    def test_does_not_say_what_is_wrong_with_a_token(self, db: None, header: str) -> None:
        answer = APIClient().get(W, HTTP_AUTHORIZATION=header)

        assert (answer.status_code, answer.data["code"]) == (401, "INVALID_TOKEN")


class TestABody:
    def test_that_is_too_large_is_refused(self, operator: APIClient, settings: Any) -> None:
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100

        answer = sent(operator, "put", f"{W}keys/tide", b'{"value": "' + b"x" * 200 + b'"}')

        assert (answer.status_code, json.loads(answer.content)["code"]) == (413, "REQUEST_TOO_LARGE")
        assert json.loads(answer.content)["type"] == "urn:statehouse:error:REQUEST_TOO_LARGE"

    def test_without_a_length_is_refused(self, operator: APIClient) -> None:
        answer = operator.generic(
            "PUT", f"{W}keys/tide", b"", content_type=JSON, HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH=""
        )

        assert (answer.status_code, answer.data["code"]) == (411, "LENGTH_REQUIRED")

    def test_comes_back_byte_for_byte(self, operator: APIClient) -> None:
        value = b'{"b":1.0,"a":[1e-07,-0.0,"\\u0000\xe2\x80\xa8/"],"":null}'

        sent(operator, "put", f"{W}keys/tide", b'{"value":' + value + b"}")

        assert b'"value":' + value in operator.get(f"{W}keys/tide").content


class TestAnErrorOfTheDatabase:
    @pytest.mark.parametrize(
        ("raised", "code"),
        [
            (OperationalError("database is locked"), "DATABASE_BUSY"),
            (OperationalError("server closed the connection unexpectedly"), "DATABASE_UNAVAILABLE"),
            (InterfaceError("connection already closed"), "DATABASE_UNAVAILABLE"),
        ],
    )
    def test_says_when_to_try_again(self, raised: Exception, code: str) -> None:
        answer = exception_handler(raised, {})

        assert answer is not None
        assert (answer.status_code, answer.data["code"]) == (503, code)
        assert answer["Retry-After"] == "1"

    def test_that_is_a_defect_is_left_to_django(self) -> None:
        assert typed(ZeroDivisionError()) is None
        assert exception_handler(ZeroDivisionError(), {}) is None


class TestADefect:
    def test_is_a_problem_document_that_tells_nothing(self, operator: APIClient, monkeypatch: Any) -> None:
        from fabric_app.api import state

        def broken(*_: Any) -> None:
            raise ZeroDivisionError("secret")

        monkeypatch.setattr(state, "current_state", broken)
        operator.raise_request_exception = False

        answer = operator.get(f"{W}state/")

        assert (answer.status_code, json.loads(answer.content)["code"]) == (500, "INTERNAL_ERROR")
        assert b"secret" not in answer.content


class TestAPage:
    def test_keeps_its_own_error_pages(self, db: None) -> None:
        assert "html" in Client().get("/nothing/")["Content-Type"]


class TestProblem:
    def test_keeps_the_details_of_the_error(self) -> None:
        assert problem(VersionConflict(expected=1, current=2)) == {
            "type": "urn:statehouse:error:VERSION_CONFLICT",
            "title": "Version conflict",
            "status": 409,
            "code": "VERSION_CONFLICT",
            "detail": "Version 1 is not the current one, which is 2. Read it and decide again.",
            "expected": 1,
            "current": 2,
        }
