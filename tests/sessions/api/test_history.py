"""The log of a session: events in pages and one by one, and live; entities, and the repair of those in quarantine."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.models import SessionEvent
from tests.sessions.api.talking import Api, creator, quarantined_in
from tests.sessions.places import change, effect


def heal(by: int, revision: int = 1) -> dict[str, Any]:
    return effect(revision, change("increment", "/hp", "hp", by=by))


class TestEvents:
    def test_are_listed_in_order_and_by_kind(self, api: Api, here: str) -> None:
        for index in range(3):
            api.post(f"{here}/messages/", {"role": "user", "text": f"Line {index}"}, 201)

        every = api.all_pages(f"{here}/events/?limit=2")
        some = api.all_pages(f"{here}/events/?limit=2&kind=message.added&kind=session.created")

        assert [each["sequence"] for each in every] == [1, 2, 3, 4, 5]
        assert [each["kind"] for each in some] == ["session.created", *["message.added"] * 3]

    def test_say_who_and_when(self, api: Api, here: str) -> None:
        event = api.get(f"{here}/events/")["results"][0]

        assert event["actor"]["name"] == "mei"
        assert event["createdAtMs"] > 0

    def test_tell_one_by_one_what_they_did_to_the_state(self, api: Api, here: str) -> None:
        done = api.commit(here, heal(1))

        event = api.get(f"{here}/events/{done['sequence']}/")

        assert event["revision"] == {"before": 1, "after": 2}
        assert event["changes"][0]["values"] == [{"path": "/hp", "before": 10, "after": 11}]
        assert event["previousDigest"] == api.get(f"{here}/events/{done['sequence'] - 1}/")["digest"]

    @pytest.mark.parametrize(
        ("path", "status"),
        [("events/?kind=x", 400), ("events/?kind=", 400), ("events/99/", 404), ("events/?sort=-1", 400)],
    )
    def test_of_another_kind_are_refused(self, api: Api, here: str, path: str, status: int) -> None:
        api.get(f"{here}/{path}", status)


class TestTheStream:
    def test_is_sent_as_server_sent_events(self, api: Api, here: str) -> None:
        answer = api.get(f"{here}/events/stream/?after=1", Accept="text/event-stream")

        assert answer["Content-Type"].startswith("text/event-stream")

    def test_of_a_hidden_session_is_not_found(self, here: str) -> None:
        assert Api(creator("otto")).get(f"{here}/events/stream/", 404)["code"] == "NOT_FOUND"


class TestEntities:
    def test_are_listed_with_what_became_of_them(self, api: Api, here: str) -> None:
        done = api.commit(here, heal(1))
        api.send("delete", f"{here}/messages/{done['message']}/", status=200)

        told = api.all_pages(f"{here}/entities/?limit=1")

        assert [each["status"] for each in told] == ["effective", "retracted"]
        assert told[1]["message"] == done["message"]

    def test_can_be_narrowed_to_quarantine(self, api: Api, here: str) -> None:
        sequence = quarantined_in(api, here)

        (found,) = api.get(f"{here}/entities/?status=quarantined")["results"]

        assert found["sequence"] == sequence
        assert found["reason"]["code"] == "NAMESPACE_NOT_FOUND"

    def test_of_no_such_status_are_refused(self, api: Api, here: str) -> None:
        api.get(f"{here}/entities/?status=x", 400)


class TestReleasing:
    def test_is_refused_while_the_entity_still_fails(self, api: Api, here: str, operator: Api) -> None:
        sequence = quarantined_in(api, here)

        seen = operator.post(f"{here}/entities/{sequence}/release/preview/", status=409)
        refused = operator.post(f"{here}/entities/{sequence}/release/", {"reason": "Try."}, 409)

        assert seen["code"] == refused["code"] == "ENTITY_STILL_FAILS"

    def test_lets_it_count_again_as_its_preview_said(self, api: Api, here: str, operator: Api) -> None:
        rise = api.commit(here, effect(1, change("set", "/hp", "set-hp", value=95)))
        fall = api.commit(here, heal(-90, revision=2))
        late = api.commit(here, heal(50, revision=3))
        api.send("delete", f"{here}/messages/{fall['message']}/", status=200)
        api.send("delete", f"{here}/messages/{rise['message']}/", status=200)
        address = f"{here}/entities/{late['sequence']}/release/"
        assert api.get(f"{here}/state/?namespace=story")["value"]["hp"] == 10

        seen = operator.post(f"{address}preview/", status=200)
        body = {"reason": "It fits again.", "expectedVersion": seen["version"]}
        done = operator.post(address, body, 200)

        assert seen["changes"] == done["changes"]
        assert api.get(f"{here}/state/?namespace=story")["value"]["hp"] == 60
        assert api.get(f"{here}/entities/?status=quarantined")["results"] == []
        assert operator.post(address, body, 409)["code"] == "VERSION_CONFLICT"
        assert operator.post(address, {"reason": "Again."}, 409)["code"] == "NOT_QUARANTINED"


class TestSkipping:
    def test_sets_it_aside_with_a_reason_in_the_log(self, api: Api, here: str, operator: Api) -> None:
        sequence = quarantined_in(api, here)
        seen = operator.post(f"{here}/entities/{sequence}/skip/preview/", status=200)

        done = operator.post(
            f"{here}/entities/{sequence}/skip/", {"reason": "Not needed.", "expectedVersion": seen["version"]}, 200
        )

        assert done["changes"] == seen["changes"] == []
        assert SessionEvent.objects.get(sequence=done["event"]).data["reason"] == "Not needed."
        assert operator.get(f"{here}/entities/?status=quarantined")["results"] == []
        again = operator.post(f"{here}/entities/{sequence}/skip/", {"reason": "Again."}, 409)
        assert again["code"] == "NOT_QUARANTINED"

    def test_needs_a_reason_and_the_version_that_was_seen(self, api: Api, here: str, operator: Api) -> None:
        sequence = quarantined_in(api, here)
        address = f"{here}/entities/{sequence}/skip/"

        operator.post(address, {}, 400)
        operator.post(address, {"reason": " "}, 400)
        operator.post(address, {"reason": "Old.", "expectedVersion": 1}, 409)
        operator.post(address, {"reason": "Old."}, 412, **{"If-Match": '"1"'})
        operator.post(f"{here}/entities/99/skip/", {"reason": "Which?"}, 404)
