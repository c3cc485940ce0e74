"""Whatever a client sends, it hears what is wrong with it: no input is answered with 500."""

from __future__ import annotations

import base64
import json
import uuid
from typing import Any
from urllib.parse import urlencode

import pytest
from rest_framework.test import APIClient

pytestmark = pytest.mark.django_db
W = "/api/v1/workspaces/harbour/"
LISTS = ["/api/v1/workspaces/", f"{W}transitions/", f"{W}runs/", f"{W}activity/", f"{W}events/", f"{W}keys/"]
WRITES = [
    ("post", f"{W}transitions/", {"label": "l", "to": "t", "summary": "s"}),
    ("put", f"{W}goal/", {"check": "true"}),
    ("post", f"{W}events/", {"topic": "t"}),
    ("put", f"{W}keys/k", {"value": 1}),
    ("patch", W, {"title": "T", "expectedVersion": 0}),
]
ODD_VALUES = [
    "null",
    "-1",
    "1e999",
    "9007199254740992",
    "1" * 5000,
    '"\\u0000"',
    '"\\ud800"',
    '"\\u202e\\u200b"',
    "[" * 5000,
    "[" * 60 + "]" * 60,
    '{"a":1,"a":2}',
    "NaN",
    '["\\u0000"]',
    '"' + "x" * 300_000 + '"',
]


def cursor(value: str) -> str:
    return base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")


ODD_PARAMETERS = [
    ("limit", "0000000001" + "9" * 30),
    ("limit", "1" + "0" * 5000),
    ("limit", "\u0661"),
    ("limit", "-1"),
    ("cursor", "===="),
    ("cursor", cursor("-1")),
    ("cursor", cursor("1.0")),
    ("cursor", cursor("9007199254740991")),
    ("cursor", cursor('"\\u0000"')),
    ("cursor", cursor('"\\ud800"')),
    ("cursor", cursor("[" * 2000)),
    ("cursor", cursor(f'"{{{uuid.uuid4()}}}"')),
    ("after", "9" * 30),
    ("topic", "\0"),
    ("prefix", "\U0010ffff"),
    ("label", "\ud7ff\0"),
]


@pytest.fixture
def olga(operator: APIClient) -> APIClient:
    operator.raise_request_exception = False
    return operator


class TestAParameter:
    @pytest.mark.parametrize("address", LISTS)
    def test_is_taken_or_refused(self, olga: APIClient, address: str) -> None:
        for name, value in ODD_PARAMETERS:
            answer = olga.get(f"{address}?{urlencode({name: value})}")

            assert answer.status_code < 500, (name, value[:40])

    @pytest.mark.parametrize("address", ["/api/v1/workspaces/", f"{W}runs/", f"{W}activity/", f"{W}keys/"])
    def test_that_is_a_number_hidden_by_zeros_is_read_whole(self, olga: APIClient, address: str) -> None:
        answer = olga.get(f"{address}?limit=0000000001{'9' * 30}")

        assert (answer.status_code, answer.data["code"]) == (400, "INVALID_ARGUMENTS")
        assert olga.get(f"{address}?limit=0000000001").status_code == 200


class TestABody:
    @pytest.mark.parametrize(("method", "address", "body"), WRITES)
    def test_is_taken_or_refused(self, olga: APIClient, method: str, address: str, body: dict[str, Any]) -> None:
        for name in [*body, "surplus"]:
            for value in ODD_VALUES:
                others = "".join(f",{json.dumps(key)}:{json.dumps(body[key])}" for key in body if key != name)
                content = f'{{"{name}":{value}{others}}}'.encode()

                answer = olga.generic(method, address, content, content_type="application/json")

                assert answer.status_code < 500, content[:80]

    @pytest.mark.parametrize(
        "kind", ["text/plain", "multipart/form-data", "application/json; charset=utf-16", "application/json;;", "/", ""]
    )
    def test_of_another_kind_is_refused_with_words(self, olga: APIClient, kind: str) -> None:
        answer = olga.generic("post", f"{W}transitions/", b"{}", content_type=kind)

        assert 400 <= answer.status_code < 500
        assert json.loads(answer.content)["code"]


class TestAHeader:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("If-Match", '"' * 3000),
            ("If-Match", f'"{"9" * 30}"'),
            ("Idempotency-Key", "\xff"),
            ("Prefer", "wait=999999999999"),
            ("Authorization", "Bearer \xff"),
            ("Authorization", "Bearer " + "x" * 9000),
            ("Accept", "\xff"),
            ("Host", "[::1"),
            ("Cookie", "sessionid=\xff; csrftoken=;;"),
            ("Last-Event-ID", "9" * 30),
        ],
    )
    def test_is_taken_or_refused(self, olga: APIClient, name: str, value: str) -> None:
        body = json.dumps({"label": "l", "to": "t", "summary": "s"})

        for method, address in (("get", f"{W}state/"), ("post", f"{W}transitions/"), ("get", f"{W}events/stream/")):
            answer = olga.generic(method, address, body, content_type="application/json", headers={name: value})

            assert answer.status_code < 500, (method, address)
