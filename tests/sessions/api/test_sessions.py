"""Sessions as a resource: listed, made, read, renamed, forked, written out, erased."""

from __future__ import annotations

import base64
import json
import uuid

import pytest

from sessions_app.models import Session, Tombstone
from tests.sessions.api.talking import Api, creator, granted, quarantined_in
from tests.sessions.places import VALUE, bootstrap, change, effect


def cursor(value: str) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class TestTheList:
    def test_holds_each_session_once_the_newest_first(self, api: Api) -> None:
        made = [api.new_session(title=title).removeprefix("sessions/") for title in ("一", "二", "三", "四", "五")]

        shown = api.all_pages("sessions/?limit=2")

        assert [each["id"] for each in shown] == made[::-1]

    def test_holds_those_alone_that_one_may_read(self, api: Api, here: str) -> None:
        guest = granted("guest", Session.objects.get(), "read")
        api.new_session(title="not for guests")

        assert [f"sessions/{each['id']}" for each in Api(guest).get("sessions/")["results"]] == [here]
        assert Api(creator("otto")).get("sessions/")["results"] == []

    def test_counts_messages_that_are_there_and_what_is_in_quarantine(self, api: Api, here: str) -> None:
        gone = api.post(f"{here}/messages/", {"role": "user", "text": "Once"}, 201)["message"]
        api.post(f"{here}/messages/", {"role": "user", "text": "Twice"}, 201)
        api.send("delete", f"{here}/messages/{gone}/", status=200)
        quarantined_in(api, here)

        found = api.get("sessions/")["results"][0]

        assert (found["messageCount"], found["quarantinedCount"]) == (2, 1)
        assert {**api.get(f"{here}/"), "projection": None} == {**found, "projection": None}

    def test_can_be_narrowed_to_titles(self, api: Api) -> None:
        for title in ("Rain", "雨夜书店", "Lighthouse"):
            api.new_session(title=title)

        assert [each["title"] for each in api.get("sessions/?title=雨夜")["results"]] == ["雨夜书店"]
        assert [each["title"] for each in api.get("sessions/?title=lightH")["results"]] == ["Lighthouse"]

    @pytest.mark.parametrize(
        "place",
        [
            "",
            "x",
            "2026-01-01T00:00:00 x",
            f"2026-01-01T00:00:00 {uuid.uuid4()}",
            f"0001-01-01T00:00:00+14:00 {uuid.uuid4()}",
            f"9999-12-31T23:59:59-14:00 {uuid.uuid4()}",
            "2026-99-01T00:00:00+00:00 x",
        ],
    )
    def test_refuses_a_place_of_another_list(self, api: Api, place: str) -> None:
        refused = api.get(f"sessions/?cursor={cursor(place)}", 400)

        assert refused["errors"][0]["path"] == "/cursor"


class TestCreating:
    def test_answers_where_the_session_is(self, api: Api) -> None:
        made = api.post("sessions/", {"title": "  雨夜  ", "bootstrap": bootstrap()}, 201)

        assert api.headers["Location"] == f"http://testserver/api/v1/sessions/{made['id']}/"
        told = api.get(f"sessions/{made['id']}/")
        assert (told["title"], told["revision"]) == ("雨夜", 1)
        assert told["projection"]["namespaces"]["story"]["value"] == VALUE

    def test_needs_no_namespaces(self, api: Api) -> None:
        made = api.post("sessions/", {"title": "Empty"}, 201)

        assert api.get(f"sessions/{made['id']}/")["projection"]["namespaces"] == {}

    def test_says_where_in_the_body_the_bootstrap_is_wrong(self, api: Api) -> None:
        wrong = bootstrap({"hp": "ten"})
        wrong["namespaces"][0]["definition"] = {"title": "", "updateMode": "x", "schema": {}, "rules": []}

        refused = api.post("sessions/", {"title": "Rain", "bootstrap": wrong}, 422)

        places = {each["path"] for each in refused["errors"]}
        assert {f"/bootstrap/namespaces/0/definition/{name}" for name in ("title", "updateMode")} <= places
        assert "/bootstrap/namespaces/0/definition/title" in refused["detail"]
        assert not Session.objects.exists()

    def test_lists_every_member_that_is_wrong(self, api: Api) -> None:
        refused = api.post("sessions/", {"titel": "Rain"}, 400)

        assert [(each["path"], each["code"]) for each in refused["errors"]] == [
            ("/title", "required"),
            ("/titel", "unknown_member"),
        ]


class TestReading:
    def test_tells_row_and_state_with_an_etag(self, api: Api, here: str) -> None:
        api.commit(here, effect(1, change("increment", "/hp", "hp", by=1)))

        told = api.get(f"{here}/")

        assert api.headers["ETag"] == f'"{told["version"]}"'
        assert api.headers["Cache-Control"] == "no-store"
        assert told["revision"] == told["projection"]["revision"] == 2
        assert told["projection"]["namespaces"]["story"]["revision"] == 2

    def test_of_nothing_is_answered_like_what_is_hidden(self, here: str) -> None:
        outsider = Api(creator("otto"))

        hidden = outsider.get(f"{here}/", 404)
        missing = outsider.get(f"sessions/{uuid.UUID(int=0)}/", 404)

        assert hidden["detail"].replace(here.removeprefix("sessions/"), str(uuid.UUID(int=0))) == missing["detail"]


class TestRenaming:
    def test_changes_the_title_and_is_in_the_log(self, api: Api, here: str) -> None:
        told = api.send("patch", f"{here}/", {"title": "雨停了"}, 200)

        assert told["title"] == "雨停了"
        assert api.get(f"{here}/events/?kind=session.renamed")["results"][0]["data"] == {"title": "雨停了"}

    def test_refuses_a_blank_title(self, api: Api, here: str) -> None:
        assert api.send("patch", f"{here}/", {"title": " "}, 400)["errors"][0]["path"] == "/title"


class TestForking:
    def test_begins_as_the_session_was_up_to_a_message(self, api: Api, here: str) -> None:
        first = api.commit(here, effect(1, change("increment", "/hp", "hp", by=1)))
        api.commit(here, effect(2, change("increment", "/hp", "hp", by=5)))

        made = api.post(f"{here}/fork/", {"title": "What if", "message": first["message"]}, 201)

        fork = f"sessions/{made['id']}"
        assert api.headers["Location"].endswith(f"/{fork}/")
        assert api.get(f"{fork}/state/?namespace=story")["value"]["hp"] == 11
        assert api.get(f"{here}/state/?namespace=story")["value"]["hp"] == 16

    def test_at_a_message_that_is_not_there_is_refused(self, api: Api, here: str) -> None:
        api.post(f"{here}/fork/", {"title": "What if", "message": 99}, 404)


class TestExporting:
    def test_writes_the_whole_log_out_as_a_download(self, api: Api, here: str) -> None:
        api.commit(here, effect(1, change("increment", "/hp", "hp", by=0.5)))

        document = api.get(f"{here}/export/")

        assert "attachment" in api.headers["Content-Disposition"]
        assert document["events"][-1]["digest"] == api.get(f"{here}/")["logDigest"]
        assert [each["sequence"] for each in document["events"]] == list(range(1, len(document["events"]) + 1))


class TestErasing:
    def test_leaves_a_tombstone_and_nothing_to_read(self, api: Api, here: str, operator: Api) -> None:
        told = operator.send("delete", f"{here}/", {"reason": "Asked by its author."}, 200)

        assert told["eventCount"] == 2
        assert Tombstone.objects.get().log_digest == told["logDigest"]
        api.get(f"{here}/", 404)
        operator.get(f"{here}/events/", 404)

    @pytest.mark.parametrize("body", [{}, {"reason": "  "}, {"reason": 1}])
    def test_needs_a_reason(self, here: str, operator: Api, body: dict[str, object]) -> None:
        operator.send("delete", f"{here}/", body, 400)

    def test_names_the_copies(self, api: Api, here: str, operator: Api) -> None:
        copy = api.post(f"{here}/fork/", {"title": "Copy"}, 201)["id"]

        assert operator.send("delete", f"{here}/", {"reason": "Asked."}, 200)["copies"] == [copy]
