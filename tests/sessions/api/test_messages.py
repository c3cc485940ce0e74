"""Messages and variants: added, listed, edited under a version of their own, deleted and chosen with a preview."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.models import SessionEvent
from tests.sessions.api.talking import Api
from tests.sessions.places import change, effect


def say(api: Api, here: str, text: str, **members: Any) -> int:
    return api.post(f"{here}/messages/", {"role": "user", "text": text, **members}, 201)["message"]


def heal(by: int, revision: int = 1) -> dict[str, Any]:
    return effect(revision, change("increment", "/hp", "hp", by=by))


class TestAdding:
    def test_keeps_text_name_and_whether_it_is_hidden(self, api: Api, here: str) -> None:
        number = say(api, here, "我把伞\0留给你。\n", name="玩家", hidden=True)

        told = api.get(f"{here}/messages/{number}/")

        assert told["text"] == "我把伞\0留给你。\n"
        assert (told["name"], told["hidden"], told["role"], told["variant"], told["version"]) == (
            "玩家",
            True,
            "user",
            1,
            1,
        )

    def test_of_an_assistant_is_a_reply_without_a_turn(self, api: Api, here: str) -> None:
        number = say(api, here, "书店里有雨声。", role="assistant")

        assert "activeTurn" not in api.get(f"{here}/messages/{number}/")

    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({"role": "narrator", "text": 1}, ["/role", "/text"]),
            ({"role": "user", "text": "x", "name": "n" * 201, "hidden": "yes"}, ["/name", "/hidden"]),
            ({"role": "user", "text": "x", "speaker": "y"}, ["/speaker"]),
            ({}, ["/role", "/text"]),
            ([], [""]),
        ],
    )
    def test_of_another_form_is_refused_with_every_place(
        self, api: Api, here: str, body: Any, paths: list[str]
    ) -> None:
        refused = api.send("post", f"{here}/messages/", body, 400)

        assert [each["path"] for each in refused["errors"]] == paths


class TestTheList:
    def test_goes_forward_and_backward_in_pages(self, api: Api, here: str) -> None:
        numbers = [say(api, here, f"Line {index}") for index in range(5)]

        forward = api.all_pages(f"{here}/messages/?limit=2")
        backward = api.all_pages(f"{here}/messages/?limit=2&newestFirst=true")

        assert [each["message"] for each in forward] == numbers
        assert backward == forward[::-1]

    def test_shows_which_turn_writes_a_reply(self, api: Api, here: str) -> None:
        turn = api.begin(here)

        assert api.get(f"{here}/messages/")["results"][0]["activeTurn"] == turn


class TestEditing:
    def test_changes_the_text_and_leaves_the_state(self, api: Api, here: str) -> None:
        done = api.commit(here, heal(1), text="She nods.")
        before = api.get(f"{here}/state/")

        edited = api.send("patch", f"{here}/messages/{done['message']}/", {"text": "She smiles."}, 200)

        assert edited == {"message": done["message"], "version": 3}
        assert api.headers["ETag"] == '"3"'
        assert api.get(f"{here}/messages/{done['message']}/")["text"] == "She smiles."
        assert api.get(f"{here}/state/") == before

    def test_of_a_version_that_is_gone_is_refused(self, api: Api, here: str) -> None:
        number = say(api, here, "One")
        address = f"{here}/messages/{number}/"
        api.send("patch", address, {"text": "Two", "expectedVersion": 1}, 200)

        by_body = api.send("patch", address, {"text": "Three", "expectedVersion": 1}, 409)
        by_header = api.send("patch", address, {"text": "Three"}, 412, **{"If-Match": '"1"'})

        assert (by_body["code"], by_body["current"]) == ("VERSION_CONFLICT", 2)
        assert {**by_header, "status": 0} == {**by_body, "status": 0}
        assert api.get(address)["text"] == "Two"


class TestDeleting:
    def test_retracts_what_the_message_owns_as_its_preview_said(self, api: Api, here: str) -> None:
        done = api.commit(here, heal(3))

        seen = api.post(f"{here}/messages/deletion/preview/", {"messages": [done["message"]]}, 200)
        deleted = api.post(
            f"{here}/messages/deletion/",
            {"messages": [done["message"]], "reason": "Not so.", "expectedVersion": seen["version"]},
            200,
        )

        assert seen.keys() - {"version"} == deleted.keys() - {"sequence"}
        assert all(deleted[name] == told for name, told in seen.items() if name != "version")
        assert seen["changes"][0]["values"] == [{"path": "/hp", "before": 13, "after": 10}]
        assert seen["revision"] == {"before": 2, "after": 1}
        assert api.get(f"{here}/state/?namespace=story")["value"]["hp"] == 10
        api.get(f"{here}/messages/{done['message']}/", 404)

    def test_one_in_the_middle_leaves_the_rest(self, api: Api, here: str) -> None:
        first = api.commit(here, heal(3))
        api.commit(here, heal(5, revision=2))

        api.send("delete", f"{here}/messages/{first['message']}/", {"reason": "Not so."}, 200)

        assert api.get(f"{here}/state/?namespace=story")["value"]["hp"] == 15

    def test_from_one_on_takes_all_that_follow(self, api: Api, here: str) -> None:
        numbers = [say(api, here, f"Line {index}") for index in range(4)]

        api.post(f"{here}/messages/deletion/", {"from": numbers[1]}, 200)

        assert [each["message"] for each in api.get(f"{here}/messages/")["results"]] == numbers[:1]

    def test_of_a_version_that_is_gone_deletes_nothing(self, api: Api, here: str) -> None:
        number = say(api, here, "Stays")
        seen = api.post(f"{here}/messages/deletion/preview/", {"messages": [number]}, 200)
        say(api, here, "Meanwhile")
        before = SessionEvent.objects.count()

        api.post(f"{here}/messages/deletion/", {"messages": [number], "expectedVersion": seen["version"]}, 409)
        tag = f'"{seen["version"]}"'
        api.post(f"{here}/messages/deletion/", {"messages": [number]}, 412, **{"If-Match": tag})

        assert SessionEvent.objects.count() == before

    def test_at_its_own_address_names_the_version_of_the_message(self, api: Api, here: str) -> None:
        number = say(api, here, "One")
        address = f"{here}/messages/{number}/"
        api.get(address)
        tag = api.headers["ETag"]
        api.send("patch", address, {"text": "Two"}, 200)

        gone = api.send("delete", address, None, 412, **{"If-Match": tag})
        api.send("delete", address, None, 200, **{"If-Match": '"2"'})

        assert gone["current"] == 2
        api.get(address, 404)

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({}, 400),
            ({"messages": [1], "from": 1}, 400),
            ({"messages": []}, 400),
            ({"messages": [0]}, 400),
            ({"messages": [1.5]}, 400),
            ({"messages": "1"}, 400),
            ({"messages": list(range(1, 10_002))}, 400),
            ({"messages": [99]}, 404),
            ({"from": 99}, 404),
            ({"messages": [999_999_999_999_999]}, 404),
        ],
    )
    def test_of_what_is_not_there_is_refused(self, api: Api, here: str, body: Any, status: int) -> None:
        api.post(f"{here}/messages/deletion/", body, status)
        api.post(f"{here}/messages/deletion/preview/", body, status)


class TestVariants:
    def test_are_listed_and_chosen_with_what_they_own(self, api: Api, here: str) -> None:
        reply = api.commit(here, heal(1), text="First")["message"]
        again = api.post(f"{here}/messages/{reply}/regeneration/", status=201)
        api.commit(here, heal(7), turn=again["turn"], text="Second")

        seen = api.post(f"{here}/messages/{reply}/variants/1/selection/preview/", status=200)
        chosen = api.post(f"{here}/messages/{reply}/variants/1/selection/", {"expectedVersion": seen["version"]}, 200)

        assert [each["text"] for each in api.get(f"{here}/messages/{reply}/variants/")["results"]] == [
            "First",
            "Second",
        ]
        assert chosen["changes"] == seen["changes"]
        assert chosen["projection"]["namespaces"]["story"]["value"]["hp"] == 11
        assert api.get(f"{here}/messages/{reply}/")["text"] == "First"

    def test_that_are_not_there_are_not_found(self, api: Api, here: str) -> None:
        reply = api.commit(here)["message"]

        for part in ("selection/", "selection/preview/"):
            api.post(f"{here}/messages/{reply}/variants/7/{part}", status=404)

    def test_are_of_replies_alone(self, api: Api, here: str) -> None:
        number = say(api, here, "Mine")

        for part in ("regeneration/", "regeneration/preview/", "variants/1/selection/"):
            assert api.post(f"{here}/messages/{number}/{part}", status=422)["code"] == "NOT_A_REPLY"
