"""Configurations: of a reply or of the host, their preview, and where a refusal stands in the body."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.models import SessionEvent
from tests.sessions.api.talking import CREATE_SIDE, Api


class TestOfAReply:
    def test_belong_to_the_turn_or_the_message(self, api: Api, here: str) -> None:
        turn = api.begin(here)
        by_turn = api.post(f"{here}/configurations/", {"request": CREATE_SIDE, "turn": turn}, 201)
        api.commit(here, turn=turn)
        delete = {"action": "delete", "namespace": "side", "expectedRevision": 1}

        by_message = api.post(f"{here}/configurations/", {"request": delete, "message": turn}, 201)

        assert by_turn["message"] == by_message["message"] == turn
        assert by_turn["changes"][0]["change"] == "created"
        assert by_message["epoch"] == 2
        assert "side" not in by_message["projection"]["namespaces"]

    @pytest.mark.parametrize(
        ("owner", "status"),
        [
            ({}, 409),
            ({"turn": 99}, 404),
            ({"message": 99}, 409),
            ({"turn": 1, "message": 1}, 409),
            ({"turn": 1, "reason": "By hand."}, 400),
            ({"turn": "1"}, 400),
        ],
    )
    def test_of_nobody_are_refused(self, api: Api, here: str, owner: dict[str, Any], status: int) -> None:
        before = SessionEvent.objects.count()

        api.post(f"{here}/configurations/", {"request": CREATE_SIDE, **owner}, status)

        assert SessionEvent.objects.count() == before

    def test_name_a_revision_and_no_version(self, api: Api, here: str) -> None:
        body = {"request": CREATE_SIDE, "turn": api.begin(here)}

        assert api.post(f"{here}/configurations/", body, 400, **{"If-Match": '"1"'})["code"] == "INVALID_HEADER"


class TestOfTheHost:
    def test_add_a_visible_host_message_that_says_why(self, api: Api, here: str) -> None:
        done = api.post(f"{here}/configurations/", {"request": CREATE_SIDE, "reason": "A clock is needed."}, 201)

        message = api.get(f"{here}/messages/{done['message']}/")
        assert (message["role"], message["text"], message["hidden"]) == ("host", "A clock is needed.", False)

    def test_can_name_the_version_of_the_session(self, api: Api, here: str) -> None:
        api.get(f"{here}/")
        tag = api.headers["ETag"]
        body = {"request": CREATE_SIDE, "reason": "By hand."}

        api.post(f"{here}/configurations/", body, 201, **{"If-Match": tag})
        late = api.post(f"{here}/configurations/", body, 412, **{"If-Match": tag})

        assert late["code"] == "VERSION_CONFLICT"


class TestARefusal:
    def test_points_into_the_body(self, api: Api, here: str) -> None:
        wrong = {**CREATE_SIDE, "definition": {**CREATE_SIDE["definition"], "schema": {"type": "strin"}}}
        body = {"request": wrong, "reason": "By hand."}

        refused = api.post(f"{here}/configurations/", body, 422)
        seen = api.post(f"{here}/configurations/preview/", {"request": wrong}, 422)

        assert all(each["path"].startswith("/request/definition/schema") for each in refused["errors"])
        assert refused == seen

    def test_of_a_member_says_which(self, api: Api, here: str) -> None:
        body = {"request": {"action": "explode", "namespace": "side"}, "reason": "By hand."}

        refused = api.post(f"{here}/configurations/", body, 400)

        assert refused["code"] == "INVALID_REQUEST"
        assert [each["path"] for each in refused["errors"]] == ["/request/action"]

    def test_of_a_revision_that_is_gone_carries_the_current_one(self, api: Api, here: str) -> None:
        reset = {"action": "reset", "namespace": "story", "expectedRevision": 7}

        refused = api.post(f"{here}/configurations/", {"request": reset, "reason": "By hand."}, 409)

        assert (refused["code"], refused["current"], refused["expected"]) == ("REVISION_CONFLICT", 1, 7)

    def test_of_what_the_request_lacks_lists_it(self, api: Api, here: str) -> None:
        assert api.post(f"{here}/configurations/", {}, 400)["errors"][0]["path"] == "/request"


class TestThePreview:
    def test_answers_what_the_configuration_would_and_keeps_nothing(self, api: Api, here: str) -> None:
        before = SessionEvent.objects.count()

        seen = api.post(f"{here}/configurations/preview/", {"request": CREATE_SIDE}, 200)

        assert SessionEvent.objects.count() == before
        done = api.post(f"{here}/configurations/", {"request": CREATE_SIDE, "reason": "By hand."}, 201)
        assert seen["dryRun"] is True
        assert all(seen[name] == done[name] for name in ("action", "namespace", "changes", "projection"))


class TestDepth:
    def test_is_the_protocols_inside_the_members_of_the_request(self, api: Api, here: str) -> None:
        def create(levels: int) -> str:
            value = "[" * levels + "]" * levels
            return (
                '{"reason": "By hand.", "request": {"action": "create", "namespace": "deep", "expectedRevision": 0,'
                ' "definition": {"title": "Deep", "updateMode": "schema-only", "schema": {}, "rules": []},'
                f' "initialValue": {value}}}}}'
            )

        taken = api.send_text(
            "post", f"{here}/configurations/preview/", create(64).replace('"reason": "By hand.", ', "")
        )
        assert (api.status, taken["action"]) == (200, "create")

        refused = api.send_text("post", f"{here}/configurations/", create(65))
        assert (api.status, refused["code"]) == (422, "VALUE_INVALID")
        assert refused["errors"][0]["path"] == "/request/initialValue" + "/0" * 64

        hopeless = api.send_text("post", f"{here}/configurations/", create(3_000))
        assert (api.status, hopeless["code"], hopeless["errors"][0]["code"]) == (400, "INVALID_JSON", "too_deep")


class TestANamespaceThatIsNoId:
    def test_is_named_by_its_place(self, api: Api, here: str) -> None:
        body = {"request": {**CREATE_SIDE, "namespace": "/"}, "reason": "By hand."}

        assert api.post(f"{here}/configurations/", body, 422)["errors"][0]["path"] == "/request/namespace"
        read = api.post(f"{here}/reads/", {"action": "get", "namespace": 7}, 422)
        assert read["errors"][0]["path"] == "/namespace"
