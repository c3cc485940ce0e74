"""The state: as it is and as it was, as a model reads it, and what conditions and world books make of it."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.models import Session
from sessions_app.protocol.condition_places import SHOWN_NODES
from sessions_app.queries import settled
from sessions_app.stored_state import stored_projection
from tests.sessions.api.talking import CREATE_SIDE, Api
from tests.sessions.places import VALUE, change, effect


def heal(by: int, revision: int = 1) -> dict[str, Any]:
    return effect(revision, change("increment", "/hp", "hp", by=by))


class TestTheState:
    def test_is_told_whole_or_by_namespace(self, api: Api, here: str) -> None:
        api.post(f"{here}/configurations/", {"request": CREATE_SIDE, "reason": "By hand."}, 201)

        whole = api.get(f"{here}/state/")
        one = api.get(f"{here}/state/?namespace=story")

        assert list(whole["namespaces"]) == ["story", "side"]
        assert one == {"namespace": "story", **whole["namespaces"]["story"]}
        assert api.headers["ETag"] == f'"{Session.objects.get().version}"'

    def test_is_told_as_it_was_after_any_event(self, api: Api, here: str) -> None:
        first = api.commit(here, heal(1))
        second = api.commit(here, heal(5, revision=2))
        api.send("delete", f"{here}/messages/{first['message']}/", status=200)

        def hp_at(sequence: int) -> int:
            return api.get(f"{here}/state/?namespace=story&at={sequence}")["value"]["hp"]

        assert [hp_at(first["sequence"]), hp_at(second["sequence"]), hp_at(second["sequence"] + 1)] == [11, 16, 15]
        assert "ETag" not in api.headers

    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ("namespace=nowhere", 404),
            ("namespace=", 404),
            ("at=99", 404),
            ("at=0", 400),
            ("at=x", 400),
            ("at=1&at=2", 400),
            ("when=now", 400),
            ("namespace=story&at=1", 404),
        ],
    )
    def test_of_what_is_not_there_is_refused(self, api: Api, here: str, query: str, status: int) -> None:
        api.get(f"{here}/state/?{query}", status)


class TestReadingTwice:
    """A state is of one moment: a write between row and namespaces is noticed."""

    def test_reads_again_where_somebody_wrote_meanwhile(self, api: Api, here: str) -> None:
        session = Session.objects.get()
        stale = stored_projection(session)
        api.commit(here, heal(1))

        found, projection = settled(session, stored_projection)

        assert stale.revision == 1
        assert (found.revision, projection.revision, projection.namespaces["story"].revision) == (2, 2, 2)

    def test_takes_the_lock_where_somebody_always_writes(self, api: Api, here: str) -> None:
        seen = []

        def read(session: Session) -> int:
            seen.append(session.version)
            Session.objects.filter(pk=session.pk).update(version=session.version + 1)
            return session.version

        found, told = settled(Session.objects.get(), read)

        assert told == found.version == seen[-1]
        assert len(seen) == 5


class TestReads:
    def test_answer_a_models_own_call(self, api: Api, here: str) -> None:
        listed = api.post(f"{here}/reads/", {"action": "list"}, 200)
        got = api.post(f"{here}/reads/", {"action": "get", "namespace": "story"}, 200)

        assert [each["namespace"] for each in listed["namespaces"]] == ["story"]
        assert (got["value"], got["stateRevision"]) == (VALUE, 1)

    @pytest.mark.parametrize(
        ("body", "status", "code"),
        [
            ({}, 400, "INVALID_REQUEST"),
            ({"action": "set"}, 400, "INVALID_REQUEST"),
            ({"action": "list", "namespace": "story"}, 400, "INVALID_REQUEST"),
            ({"action": "get", "namespace": "nowhere"}, 404, "NAMESPACE_NOT_FOUND"),
            ({"action": "get"}, 422, "DEFINITION_INVALID"),
            ({"action": ["list"]}, 400, "INVALID_REQUEST"),
            ([], 400, "INVALID_REQUEST"),
        ],
    )
    def test_of_another_form_are_refused(self, api: Api, here: str, body: Any, status: int, code: str) -> None:
        refused = api.send("post", f"{here}/reads/", body, status)

        assert refused["code"] == code


class TestTheContract:
    def test_comes_as_json_or_as_markdown(self, api: Api, here: str) -> None:
        told = api.get(f"{here}/contract/")
        tag = api.headers["ETag"]
        text = api.get(f"{here}/contract/?format=markdown")

        assert told["omitted"] == {}
        assert "trust" in text
        assert api.headers["Content-Type"].startswith("text/markdown")
        assert api.get(f"{here}/contract/", Accept="text/markdown") == text
        assert api.headers["ETag"] != tag
        assert api.get(f"{here}/contract/?format=markdown&language=zh") != text

    def test_has_another_etag_once_it_says_something_else(self, api: Api, here: str) -> None:
        def tag() -> str:
            api.get(f"{here}/contract/")
            return api.headers["ETag"]

        first = tag()
        api.post(f"{here}/messages/", {"role": "user", "text": "Hello"}, 201)
        after_a_message = tag()
        api.commit(here, heal(1))

        assert first == after_a_message != tag()

    def test_leaves_out_what_is_too_large_and_says_so(self, api: Api, here: str) -> None:
        large = {**CREATE_SIDE, "initialValue": "x" * 20_000}
        api.post(f"{here}/configurations/", {"request": large, "reason": "By hand."}, 201)

        small = api.client.get(f"/api/v1/{here}/contract/?maxBytes=10000")

        assert len(small.content) <= 10_000
        assert small.json()["omitted"] == {"currentValue": ["side"]}

    @pytest.mark.parametrize(
        ("query", "status", "places"),
        [
            ("maxBytes=10", 400, ["/maxBytes"]),
            ("maxBytes=99999999&language=fr", 400, ["/maxBytes", "/language"]),
            ("maxBytes=256", 422, []),
            ("format=xml", 404, []),
        ],
    )
    def test_of_another_size_or_form_is_refused(
        self, api: Api, here: str, query: str, status: int, places: list[str]
    ) -> None:
        refused = api.get(f"{here}/contract/?{query}", status)

        assert [each["path"] for each in refused.get("errors", [])] == places


class TestAConditionAsked:
    def test_that_cannot_be_decided_says_why(self, api: Api, here: str) -> None:
        asked = api.post(f"{here}/conditions/", {"condition": 'state("story", "/hp") > "many"'}, 200)

        assert asked["active"] is False
        assert asked["diagnostic"]["code"]

    def test_that_is_none_says_where_it_stops(self, api: Api, here: str) -> None:
        refused = api.post(f"{here}/conditions/", {"condition": 'state("story", "/hp") = 1'}, 422)

        assert (refused["code"], refused["position"]) == ("CONDITION_INVALID", 22)
        assert refused["errors"][0]["path"] == "/condition"

    @pytest.mark.parametrize("condition", [None, 1, [], {}, "", " ", "x" * 5_000, "(" * 2_000])
    def test_of_another_kind_is_refused(self, api: Api, here: str, condition: Any) -> None:
        assert api.post(f"{here}/conditions/", {"condition": condition}, 422)["code"] == "CONDITION_INVALID"

    def test_shows_of_large_values_their_kind_alone(self, api: Api, here: str) -> None:
        large = {**CREATE_SIDE, "initialValue": {"bag": list(range(SHOWN_NODES)), "text": "x" * 5_000, "few": [1]}}
        api.post(f"{here}/configurations/", {"request": large, "reason": "By hand."}, 201)
        asked = " && ".join(f'exists("side", "{path}")' for path in ("", "/bag", "/text", "/few"))

        reads = api.post(f"{here}/conditions/", {"condition": asked}, 200)["reads"]

        assert [each.get("kind") for each in reads] == ["object", "array", "string", None]
        assert reads[3]["value"] == [1]


class TestActivations:
    def test_can_ask_books_before_they_are_attached(self, api: Api, here: str) -> None:
        rain = [{"id": "rain", "content": "It rains.", "keys": ["雨"]}]
        book = api.post("world-books/", {"title": "Rain", "entries": rain}, 201)["id"]

        none = api.post(f"{here}/activations/", {"text": "雨"}, 200)
        asked = api.post(f"{here}/activations/", {"text": "雨", "books": [book]}, 200)

        assert none["entries"] == []
        assert [(each["id"], each["active"], each["content"]) for each in asked["entries"]] == [
            ("rain", True, "It rains.")
        ]
        assert asked["notConsidered"]

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({}, 400),
            ({"text": 1}, 400),
            ({"text": "x" * 200_001}, 400),
            ({"text": "", "books": ["x"]}, 400),
            ({"text": "", "books": ["00000000-0000-0000-0000-000000000000"]}, 404),
        ],
    )
    def test_of_another_form_are_refused(self, api: Api, here: str, body: Any, status: int) -> None:
        api.post(f"{here}/activations/", body, status)
