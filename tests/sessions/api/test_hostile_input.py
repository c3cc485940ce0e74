"""Whatever a client sends to the sessions' API, it hears what is wrong with it: no input is answered with 500."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction

from tests.sessions.api.talking import CREATE_SIDE, Api
from tests.sessions.places import bootstrap, change, effect

HEAL = effect(1, change("increment", "/hp", "hp", by=1))
PATCH = {"op": "replace", "path": "/effects/0/expectedRevision", "value": 1}
Json = dict[str, Any]

Write = tuple[str, str, Json]

# Method, address, and a body in which each member of each depth is replaced by every odd value.
WRITES: list[Write] = [
    ("post", "sessions/", {"title": "New", "bootstrap": bootstrap()}),
    ("patch", "{here}/", {"title": "New", "expectedVersion": 1}),
    ("delete", "{here}/", {"reason": "So it is.", "expectedVersion": 1}),
    ("post", "{here}/fork/", {"title": "Fork", "message": 3}),
    ("post", "{here}/reads/", {"action": "get", "namespace": "story"}),
    ("post", "{here}/conditions/", {"condition": 'state("story", "/hp") > 1'}),
    ("post", "{here}/activations/", {"text": "rain", "books": []}),
    ("post", "{here}/messages/", {"role": "user", "text": "x", "name": "y", "hidden": False}),
    ("patch", "{here}/messages/3/", {"text": "x", "expectedVersion": 1}),
    ("delete", "{here}/messages/3/", {"reason": "x", "expectedVersion": 1}),
    ("post", "{here}/messages/deletion/", {"messages": [3], "reason": "x", "expectedVersion": 1}),
    ("post", "{here}/messages/deletion/preview/", {"from": 3}),
    ("post", "{here}/messages/4/regeneration/", {"expectedVersion": 1}),
    ("post", "{here}/messages/4/regeneration/preview/", {}),
    ("post", "{here}/messages/4/variants/1/selection/", {"expectedVersion": 1}),
    ("post", "{here}/turns/", {"name": "x"}),
    ("post", "{here}/turns/4/commit/", {"effects": [HEAL], "text": "x", "epoch": 0}),
    ("post", "{here}/turns/4/commit/preview/", {"effects": [HEAL], "text": "x", "epoch": 0}),
    ("post", "{here}/turns/4/commit/", {"retry": {"token": "x", "patches": [PATCH]}}),
    ("post", "{here}/turns/4/cancellation/", {"text": "x", "reason": "y"}),
    ("post", "{here}/configurations/", {"request": CREATE_SIDE, "reason": "x", "expectedVersion": 1}),
    ("post", "{here}/configurations/preview/", {"request": CREATE_SIDE}),
    ("post", "{here}/entities/2/skip/", {"reason": "x", "expectedVersion": 1}),
    ("post", "{here}/books/", {"book": "00000000-0000-0000-0000-000000000000"}),
    ("post", "world-books/", {"title": "Rain", "entries": [{"id": "a", "content": "b", "keys": ["c"], "order": 1}]}),
    ("put", "world-books/{book}/", {"title": "Rain", "entries": [], "expectedVersion": 1}),
]
NAMES = [f"{method} {address}" for method, address, _ in WRITES]
MARK = "\u2603mark"
LARGE = 10_000
ODD = [
    "null",
    "true",
    "-1",
    "0.5",
    "1e400",
    "1e308",
    "9007199254740993",
    "1" * 400,
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '"\ud800"',
    '"\\u202e\\u200b"',
    "[]",
    "{}",
    '["\\u0000"]',
    '{"__proto__": 1, "constructor": [], "\\u0000": {}}',
    "[" * 3_000 + "]" * 3_000,
    "[" * 100 + "]" * 100,
    '{"a":' * 70 + "1" + "}" * 70,
    '{"a":1,"a":2}',
    "NaN",
    "-Infinity",
    '"' + "é" * 300_000 + '"',
    "[" + "0," * 150_000 + "0]",
]
LISTS = ["sessions/", "world-books/", "{here}/messages/", "{here}/events/", "{here}/entities/"]
READS = ["{here}/", "{here}/state/", "{here}/contract/", "{here}/books/", "{here}/export/", "{here}/events/stream/"]


def cursor(value: str) -> str:
    return base64.urlsafe_b64encode(value.encode("utf-8", "surrogatepass")).decode().rstrip("=")


PARAMETERS = [
    ("limit", "1" + "0" * 5_000),
    ("limit", "\u0661"),
    ("limit", "0"),
    ("cursor", "===="),
    ("cursor", "\u00e9"),
    ("cursor", "x" * 5_000),
    ("cursor", cursor("-1")),
    ("cursor", cursor("1.5")),
    ("cursor", cursor("9007199254740991")),
    ("cursor", cursor("99999999999999999999")),
    ("cursor", cursor('"\\u0000"')),
    ("cursor", cursor('"\\ud800"')),
    ("cursor", cursor('"x x"')),
    ("cursor", cursor("[" * 2_000)),
    ("cursor", cursor("null")),
    ("after", "9" * 30),
    ("at", "9" * 15),
    ("at", "9" * 16),
    ("at", "\u0661"),
    ("kind", "\0"),
    ("status", "\U0010ffff"),
    ("title", "%" * 4_000),
    ("title", "\0"),
    ("title", "x" * 5_000),
    ("namespace", "\0"),
    ("namespace", "\u202e" * 4_000),
    ("maxBytes", "9" * 15),
    ("language", "\0"),
    ("format", "\0"),
    ("includeArchived", "1"),
    ("newestFirst", "yes"),
]


@pytest.fixture
def here(operator: Api) -> str:
    """Return a session with a message, 3, and a turn that is being written, 4."""
    here = operator.new_session()
    operator.post(f"{here}/messages/", {"role": "user", "text": "I wait."}, 201)
    operator.begin(here)
    return here


@pytest.fixture
def book(operator: Api) -> str:
    return operator.post("world-books/", {"title": "Rain", "entries": []}, 201)["id"]


def _marked(value: Any) -> list[Any]:
    found: list[Any] = [MARK]
    if isinstance(value, dict):
        found += [{**value, name: copy} for name, item in value.items() for copy in _marked(item)]
    if isinstance(value, list):
        found += [[*value[:at], copy, *value[at + 1 :]] for at, item in enumerate(value) for copy in _marked(item)]
    return found


class TestABody:
    @pytest.mark.parametrize("write", WRITES, ids=NAMES)
    def test_is_taken_or_refused_with_words(self, operator: Api, here: str, book: str, write: Write) -> None:
        method, address, body = write
        places = [json.dumps(copy) for copy in _marked(body)]
        for odd in ODD:
            # Large values are tried at the first places alone: they take long, and mean the same everywhere.
            for place in places if len(odd) < LARGE else places[:4]:
                text = place.replace(json.dumps(MARK), odd)
                untouched = transaction.savepoint()
                answer = operator.send_text(method, address.format(here=here, book=book), text)
                transaction.savepoint_rollback(untouched)

                assert operator.status < 500, text[:200]
                assert operator.status < 400 or (answer["code"] and answer["detail"]), text[:200]

    @pytest.mark.parametrize("write", WRITES, ids=NAMES)
    def test_has_no_member_that_nobody_reads(self, operator: Api, here: str, book: str, write: Write) -> None:
        method, address, body = write
        refused = operator.send(method, address.format(here=here, book=book), {**body, "surplus/~": 1}, 400)

        assert "reads" in address or "/surplus~1~0" in [each["path"] for each in refused["errors"]]

    @pytest.mark.parametrize(
        "kind",
        [
            "text/plain",
            "multipart/form-data",
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded",
            "/",
            "",
            "x" * 5_000,
        ],
    )
    def test_of_another_kind_is_refused_with_words(self, operator: Api, here: str, kind: str) -> None:
        for address, content in (("sessions/", b'{"title": "x"}'), (f"{here}/turns/", b"\xff\xfe{")):
            answer = operator.send_text("post", address, content, kind)

            assert 400 <= operator.status < 500
            assert answer["code"]

    @pytest.mark.parametrize("content", [b"", b" ", b"null", b"[]", b"1", b'"x"', b"\xef\xbb\xbf{}", b"{} {}", b"\0"])
    def test_that_is_no_object_is_refused(self, operator: Api, here: str, content: bytes) -> None:
        for address in ("sessions/", f"{here}/messages/", f"{here}/configurations/", f"{here}/reads/"):
            answer = operator.send_text("post", address, content)

            assert 400 <= operator.status < 500
            assert answer["code"]

    def test_that_is_too_large_is_refused(self, operator: Api, here: str) -> None:
        answer = operator.send_text("post", f"{here}/messages/", b" " * (2 * 1024 * 1024 + 1))

        assert (operator.status, answer["code"]) == (413, "REQUEST_TOO_LARGE")


class TestAParameter:
    @pytest.mark.parametrize("address", LISTS + READS)
    def test_is_taken_or_refused(self, operator: Api, here: str, address: str) -> None:
        for name, value in PARAMETERS:
            operator.send("get", f"{address.format(here=here)}?{urlencode({name: value})}")

            assert operator.status < 500, (name, value[:40])

    @pytest.mark.parametrize(("address", "other"), [(LISTS[0], LISTS[2]), (LISTS[2], LISTS[1]), (LISTS[0], LISTS[1])])
    def test_that_is_another_lists_cursor_is_refused(self, operator: Api, here: str, address: str, other: str) -> None:
        for _ in range(2):
            operator.new_session()
            operator.post("world-books/", {"title": "Rain", "entries": []}, 201)
        page = operator.get(f"{other.format(here=here)}?limit=1")
        foreign = page["next"].partition("cursor=")[2].partition("&")[0]

        refused = operator.get(f"{address.format(here=here)}?cursor={foreign}", 400)

        assert refused["code"] in ("INVALID_CURSOR", "INVALID_ARGUMENTS")


class TestAnAddress:
    @pytest.mark.parametrize(
        "path",
        [
            "sessions/x/",
            "sessions/00000000-0000-0000-0000-000000000000/",
            "sessions/%00/",
            "{here}/messages/0/",
            "{here}/messages/999999999999999/",
            "{here}/messages/9999999999999999/",
            "{here}/messages/-1/",
            "{here}/messages/1.0/",
            "{here}/messages/%D9%A1/",
            "{here}/messages/3/variants/999999999999999/selection/",
            "{here}/turns/999999999999999/",
            "{here}/events/999999999999999/",
            "{here}/nowhere/",
            "world-books/x/",
        ],
    )
    def test_of_nothing_is_not_found(self, operator: Api, here: str, path: str) -> None:
        answer = operator.get(path.format(here=here), 405 if path.endswith("selection/") else 404)

        assert answer["code"] in ("NOT_FOUND", "METHOD_NOT_ALLOWED")

    @pytest.mark.parametrize(
        "path",
        [
            "{here}/messages/3/variants/999999999999999/selection/",
            "{here}/messages/999999999999999/regeneration/",
            "{here}/turns/999999999999999/commit/",
            "{here}/entities/999999999999999/release/preview/",
        ],
    )
    def test_to_write_to_that_is_not_there_is_refused(self, operator: Api, here: str, path: str) -> None:
        operator.post(path.format(here=here))

        assert operator.status in (400, 404, 422)


class TestAHeader:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("If-Match", '"' * 3_000),
            ("If-Match", f'"{"9" * 30}"'),
            ("If-Match", '"999999999999999"'),
            ("Idempotency-Key", "\xff"),
            ("Accept", "\xff"),
            ("Accept", "text/event-stream"),
            ("Accept", "text/markdown"),
            ("Last-Event-ID", "9" * 30),
            ("Last-Event-ID", "x"),
            ("Prefer", "wait=999999999999"),
        ],
    )
    def test_is_taken_or_refused(self, operator: Api, here: str, name: str, value: str) -> None:
        for method, path, body in (
            ("get", f"{here}/state/", None),
            ("get", f"{here}/contract/", None),
            ("get", f"{here}/events/stream/", None),
            ("patch", f"{here}/", {"title": "x"}),
            ("post", f"{here}/turns/", {}),
        ):
            operator.send(method, path, body, None, **{name: value})

            assert operator.status < 500, (method, path)
