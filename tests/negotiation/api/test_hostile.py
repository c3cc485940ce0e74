"""Whatever a client sends to the negotiations' API, it hears what is wrong with it: nothing is answered with 500."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from fabric_app.mesh.canonical import dumps
from negotiation_app.api.routes import ROUTES, Route
from negotiation_app.protocol.bodies import FORMS
from negotiation_app.protocol.names import Role
from tests.negotiation.deals import Deal, every_operation, with_something_of_everything
from tests.negotiation.protocol.talks import RENEWAL
from tests.negotiation.protocol.test_any_body import JUNK, twisted
from tests.people import person

BODIES = {operation: (subject, body) for operation, subject, body in every_operation()}
MARK = "\u2603mark"
ODD = [
    "null",
    "true",
    "-1",
    "0.5",
    "1e400",
    "9007199254740993",
    "1" * 5_000,
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '"\ud800"',
    '"\\u202e\\u200b"',
    '"' + "a" * 300 + '"',
    '"' + "a/" * 200 + '"',
    "[]",
    "{}",
    '["\\u0000"]',
    '[{"ref": null}]',
    '{"__proto__": 1, "constructor": [], "\\u0000": {}}',
    '{"type": "money", "amount": "' + "9" * 20_000 + '", "currency": "EUR"}',
    '{"type": "range", "low": {"type": "range"}, "high": []}',
    '{"from": "9999-12-31", "to": "0001-01-01"}',
    "[" * 3_000 + "]" * 3_000,
    '{"a":' * 70 + "1" + "}" * 70,
    '{"a":1,"a":2}',
    "NaN",
    '"' + "é" * 100_000 + '"',
    "[" + "0," * 20_000 + "0]",
]
# Each place of a body is given this many of them; together the places see them all.
AT_A_PLACE = 3
REFS = ["-", "UPPER", "x" * 65, "x" * 5_000, "%00", "%0A", "a%2Fb", "%F0%9F%92%80", "%ED%A0%80", "..", "none", "\u0661"]
LISTS = ["history/", "log/", "artefacts/"]
READS = ["", "state/", "artefacts/1/", "roles/", "bundle/", "log/stream/", "concessions/first/"]
PARAMETERS = [
    ("limit", "1" + "0" * 5_000),
    ("limit", "\u0661"),
    ("limit", "0"),
    ("cursor", "===="),
    ("cursor", "x" * 5_000),
    ("cursor", "LTE"),
    ("cursor", "MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw"),
    ("after", "9" * 30),
    ("version", "0"),
    ("version", "9" * 30),
    ("version", "\0"),
    ("at", "\0"),
    ("at", "9999-12-31T23:59:59-14:00"),
    ("at", "0001-01-01T00:00:00+14:00"),
    ("status", "\U0010ffff"),
    ("unheardOf", "1"),
]


@pytest.fixture
def deal(db: None) -> Deal:
    return with_something_of_everything()


@pytest.fixture
def everybody(deal: Deal) -> APIClient:
    """Return a client of an account that has every role, so that each body is looked at."""
    user = person("eva", "operator")
    for role in Role:
        deal.grant(user, role)
    client = APIClient(raise_request_exception=False)
    client.force_authenticate(user)
    return client


def sent(client: APIClient, address: str, text: str | bytes, **headers: str) -> Any:
    """Send a body as it is, see that it is taken or refused with words, and take it back."""
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    untouched = transaction.savepoint()
    answer = client.generic("POST", address, raw, content_type="application/json", **headers)
    transaction.savepoint_rollback(untouched)
    assert answer.status_code < 500, (address, text[:300])
    told = answer.json()
    assert answer.status_code < 400 or (told["code"] and told["detail"]), (address, text[:300])
    return answer


def address_of(deal: Deal, route: Route, subject: str | None = None) -> str:
    return deal.address(route.path.replace("<str:subject>", subject or BODIES[route.operation][0] or ""))


def body_of(deal: Deal, route: Route) -> dict[str, Any]:
    body = BODIES[route.operation][1]
    return {"stateVersion": deal.version, **body} if FORMS[route.operation].writes else body


def marked(value: Any) -> list[Any]:
    """Return a copy of the value for each place in it, with the mark there."""
    found: list[Any] = [MARK]
    if isinstance(value, dict):
        found += [{**value, name: copy} for name, each in value.items() for copy in marked(each)]
    if isinstance(value, list):
        found += [[*value[:at], copy, *value[at + 1 :]] for at, each in enumerate(value) for copy in marked(each)]
    return found


class TestABody:
    def test_with_something_odd_anywhere_is_taken_or_refused(self, deal: Deal, everybody: APIClient) -> None:
        turn = 0
        for route in ROUTES:
            for place in marked(body_of(deal, route)):
                for odd in (ODD * 2)[turn % len(ODD) :][:AT_A_PLACE]:
                    sent(everybody, address_of(deal, route), json.dumps(place).replace(json.dumps(MARK), odd))
                turn += AT_A_PLACE

    def test_that_opens_a_negotiation_is_taken_or_refused(self, everybody: APIClient) -> None:
        body = {**RENEWAL, "ref": "another", "attributes": [{"name": "a", "multiValued": True}]}
        for turn, place in enumerate(marked(body)):
            for odd in (ODD * 2)[turn * AT_A_PLACE % len(ODD) :][:AT_A_PLACE]:
                sent(everybody, "/api/v1/negotiations/", json.dumps(place).replace(json.dumps(MARK), odd))

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_with_parts_of_others_in_it_is_taken_or_refused(
        self, deal: Deal, everybody: APIClient, data: st.DataObject
    ) -> None:
        route = data.draw(st.sampled_from(ROUTES))
        body = twisted(data, body_of(deal, route), deal.version)

        sent(everybody, address_of(deal, route), dumps(body))

    @pytest.mark.parametrize("content", [b"", b" ", b"null", b"[]", b"1", b'"x"', b"\xef\xbb\xbf{}", b"{} {}", b"\xff"])
    def test_that_is_no_object_is_refused(self, deal: Deal, everybody: APIClient, content: bytes) -> None:
        for route in ROUTES:
            taken = route.operation in ("preview_patch", "acknowledge_notification", "take_snapshot")
            answer = sent(everybody, address_of(deal, route), content)
            assert answer.status_code >= 400 or taken, route.operation

    def test_names_the_version_once(self, deal: Deal, everybody: APIClient) -> None:
        route = next(each for each in ROUTES if each.operation == "set_batna")
        text = dumps(body_of(deal, route))

        for version in (f'"{deal.version}"', f"{deal.version}", '"0"', f'"{"9" * 30}"', '"' * 3_000, "*", 'W/"1"'):
            sent(everybody, address_of(deal, route), text, HTTP_IF_MATCH=version)

    @pytest.mark.parametrize("key", ["", "x" * 201, "\xff", "a\tb"])
    def test_under_an_odd_key_is_refused(self, deal: Deal, everybody: APIClient, key: str) -> None:
        route = next(each for each in ROUTES if each.operation == "take_snapshot")

        answer = sent(everybody, address_of(deal, route), "{}", HTTP_IDEMPOTENCY_KEY=key)

        assert answer.status_code == 400


class TestAnAddress:
    @pytest.mark.parametrize("ref", REFS)
    def test_with_a_ref_of_nothing_is_not_found(self, deal: Deal, everybody: APIClient, ref: str) -> None:
        for route in ROUTES:
            if route.subject is not None:
                answer = sent(everybody, address_of(deal, route, ref), dumps(body_of(deal, route)))
                assert answer.status_code in (404, 405, 422), route.operation
        for path in (f"/api/v1/negotiations/{ref}/", f"/api/v1/negotiations/{ref}/state/", deal.address(f"{ref}/")):
            assert everybody.get(path).status_code in (301, 404), path

    def test_and_a_body_that_name_two_things_are_refused(self, deal: Deal, everybody: APIClient) -> None:
        for route in ROUTES:
            if route.subject is not None:
                body = {**body_of(deal, route), route.subject: "another"}
                assert sent(everybody, address_of(deal, route), dumps(body)).status_code == 400

    @pytest.mark.parametrize("path", [*READS, *LISTS])
    def test_takes_or_refuses_any_parameter(self, deal: Deal, everybody: APIClient, path: str) -> None:
        for name, value in PARAMETERS:
            answer = everybody.get(f"{deal.address(path)}?{urlencode({name: value})}")
            assert answer.status_code < 500, (name, value[:40])

    def test_of_the_list_takes_or_refuses_any_parameter(self, everybody: APIClient) -> None:
        for name, value in PARAMETERS:
            assert everybody.get(f"/api/v1/negotiations/?{urlencode({name: value})}").status_code < 500, name

    @pytest.mark.parametrize("junk", [each for each in JUNK if isinstance(each, dict | list)], ids=repr)
    def test_of_the_roles_takes_or_refuses_any_body(self, deal: Deal, everybody: APIClient, junk: Any) -> None:
        body = {"account": "stig", "role": "specialist", "isGranted": True, "reason": "He is."}

        for name in body:
            assert sent(everybody, deal.address("roles/"), dumps({**body, name: junk})).status_code >= 400
