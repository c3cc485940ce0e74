"""Versions in header and body, keys for one effect only, and many who write at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from sessions_app.models import Session, SessionEvent
from tests.sessions.api.talking import CREATE_SIDE, Api
from tests.sessions.places import change, effect

HEAL = effect(1, change("increment", "/hp", "hp", by=1))
Json = dict[str, Any]

# What names the version of the session: method, address below the session, body.
OF_THE_SESSION: list[tuple[str, str, Json]] = [
    ("patch", "", {"title": "New"}),
    ("post", "messages/deletion/", {"messages": [3]}),
    ("post", "messages/4/regeneration/", {}),
    ("post", "messages/4/variants/1/selection/", {}),
    ("post", "configurations/", {"request": CREATE_SIDE, "reason": "By hand."}),
]
# What can be sent again under a key: address below `/api/v1/`, body.
REPEATABLE: list[tuple[str, Json]] = [
    ("sessions/", {"title": "New"}),
    ("{here}/fork/", {"title": "Fork"}),
    ("{here}/messages/", {"role": "user", "text": "Hello"}),
    ("{here}/turns/", {"name": "李钰"}),
    ("{here}/messages/4/regeneration/", {}),
    ("{here}/configurations/", {"request": CREATE_SIDE, "reason": "By hand."}),
    ("{here}/configurations/", {"request": CREATE_SIDE, "message": 4}),
    ("world-books/", {"title": "Rain", "entries": []}),
]


@pytest.fixture
def here(api: Api) -> str:
    """Return a session with a message of the player, 3, and a reply of the assistant, 4."""
    here = api.new_session()
    api.post(f"{here}/messages/", {"role": "user", "text": "I wait."}, 201)
    api.commit(here, HEAL)
    return here


class TestAVersionOfTheSession:
    @pytest.mark.parametrize(("method", "part", "body"), OF_THE_SESSION, ids=[each[1] for each in OF_THE_SESSION])
    def test_that_is_gone_is_refused_alike_in_header_and_body(
        self, api: Api, here: str, method: str, part: str, body: Json
    ) -> None:
        before = SessionEvent.objects.count()

        by_body = api.send(method, f"{here}/{part}", {**body, "expectedVersion": 1}, 409)
        by_header = api.send(method, f"{here}/{part}", body, 412, **{"If-Match": '"1"'})
        torn = api.send(method, f"{here}/{part}", {**body, "expectedVersion": 2}, 400, **{"If-Match": '"1"'})

        assert (by_body["code"], by_body["expected"]) == ("VERSION_CONFLICT", 1)
        assert by_body["current"] == Session.objects.get().version
        assert {**by_header, "status": 0} == {**by_body, "status": 0}
        assert torn["errors"][0]["path"] == "/expectedVersion"
        assert SessionEvent.objects.count() == before

    @pytest.mark.parametrize(("method", "part", "body"), OF_THE_SESSION, ids=[each[1] for each in OF_THE_SESSION])
    def test_that_was_read_is_taken(self, api: Api, here: str, method: str, part: str, body: Json) -> None:
        api.get(f"{here}/")

        api.send(method, f"{here}/{part}", body, None, **{"If-Match": api.headers["ETag"]})

        assert api.status in (200, 201)

    @pytest.mark.parametrize("version", [1.5, -1, "1", None, True, 2**53, [1]])
    def test_of_another_form_is_refused(self, api: Api, here: str, version: Any) -> None:
        refused = api.send("patch", f"{here}/", {"title": "New", "expectedVersion": version}, 400)

        assert refused["errors"][0]["path"] == "/expectedVersion"

    @pytest.mark.parametrize("tag", ["*", "1", 'W/"1"', '"x"', '"' + "9" * 30 + '"', ""])
    def test_of_another_form_is_refused_in_the_header(self, api: Api, here: str, tag: str) -> None:
        assert api.send("patch", f"{here}/", {"title": "New"}, 400, **{"If-Match": tag})["code"] == "INVALID_HEADER"


class TestAnEpoch:
    @pytest.mark.parametrize("epoch", [0.5, -1, "0", None, False, 2**53, 1e300])
    def test_of_another_form_is_refused(self, api: Api, here: str, epoch: Any) -> None:
        refused = api.post(f"{here}/turns/{api.begin(here)}/commit/", {"effects": [], "epoch": epoch}, 400)

        assert refused["errors"][0]["path"] == "/epoch"

    def test_is_zero_also_as_a_double(self, api: Api, here: str) -> None:
        turn = api.begin(here)

        api.send_text("post", f"{here}/turns/{turn}/commit/", '{"effects": [], "epoch": 0.0}')

        assert api.status == 200


class TestAKey:
    @pytest.mark.parametrize(("address", "body"), REPEATABLE, ids=[each[0] for each in REPEATABLE])
    def test_has_one_effect_and_the_same_answer(self, api: Api, here: str, address: str, body: Json) -> None:
        address = address.format(here=here)
        first = api.post(address, body, 201, **{"Idempotency-Key": "k1"})
        after = (SessionEvent.objects.count(), Session.objects.count())

        second = api.post(address, body, 201, **{"Idempotency-Key": "k1"})
        other = api.post(address, {**body, "title": "Other"}, None, **{"Idempotency-Key": "k1"})

        assert second == first
        assert (SessionEvent.objects.count(), Session.objects.count()) == after
        assert other["code"] in ("IDEMPOTENCY_KEY_REUSED", "INVALID_ARGUMENTS")

    def test_of_another_request_is_refused(self, api: Api, here: str) -> None:
        api.post(f"{here}/turns/", {}, 201, **{"Idempotency-Key": "k1"})

        refused = api.post(f"{here}/turns/", {"name": "Somebody"}, 422, **{"Idempotency-Key": "k1"})

        assert refused["code"] == "IDEMPOTENCY_KEY_REUSED"

    def test_of_a_refused_request_can_be_used_again(self, api: Api, here: str) -> None:
        wrong = {"request": {**CREATE_SIDE, "expectedRevision": 3}, "reason": "By hand."}
        api.post(f"{here}/configurations/", wrong, 409, **{"Idempotency-Key": "k1"})

        api.post(
            f"{here}/configurations/", {"request": CREATE_SIDE, "reason": "By hand."}, 201, **{"Idempotency-Key": "k1"}
        )

    @pytest.mark.parametrize("key", ["", "a b", "é", "x" * 201])
    def test_of_another_form_is_refused(self, api: Api, here: str, key: str) -> None:
        assert api.post(f"{here}/turns/", {}, 400, **{"Idempotency-Key": key})["code"] == "INVALID_HEADER"


@pytest.mark.django_db(transaction=True)
class TestManyAtOnce:
    def test_commit_one_of_what_was_decided_on_one_revision(self, api: Api) -> None:
        here = api.new_session()
        turns = [api.begin(here) for _ in range(6)]

        def commit(turn: int) -> int:
            return _alone(api, lambda mine: mine.post(f"{here}/turns/{turn}/commit/", {"effects": [HEAL]}))

        with ThreadPoolExecutor(6) as pool:
            statuses = sorted(pool.map(commit, turns))

        assert statuses == [200, *[409] * 5]
        assert api.get(f"{here}/state/?namespace=story")["value"]["hp"] == 11

    def test_begin_one_turn_under_one_key(self, api: Api) -> None:
        here = api.new_session()

        def begin(_: int) -> int:
            return _alone(api, lambda mine: mine.post(f"{here}/turns/", {}, **{"Idempotency-Key": "k1"}))

        with ThreadPoolExecutor(6) as pool:
            statuses = set(pool.map(begin, range(6)))

        assert statuses == {201}
        assert SessionEvent.objects.filter(kind="turn.begun").count() == 1

    def test_make_one_session_under_one_key(self, api: Api) -> None:
        def make(_: int) -> int:
            return _alone(api, lambda mine: mine.post("sessions/", {"title": "One"}, **{"Idempotency-Key": "k1"}))

        with ThreadPoolExecutor(6) as pool:
            statuses = set(pool.map(make, range(6)))

        assert statuses == {201}
        assert Session.objects.count() == 1


def _alone(api: Api, act: Any) -> int:
    """Act in a thread with a client and connection of its own, and return the status."""
    mine = Api(api.user)
    try:
        act(mine)
        return mine.status
    finally:
        connections.close_all()
