"""A session by the API alone, from an LLM's reply to a committed change, and back."""

from __future__ import annotations

from tests.sessions.api.talking import Api
from tests.sessions.places import change, effect


class TestFromReplyToCommittedChange:
    def test_a_refused_commit_is_mended_by_patches(self, api: Api, here: str) -> None:
        api.post(f"{here}/messages/", {"role": "user", "text": "我把伞留给你。"}, 201)
        turn = api.post(f"{here}/turns/", {"name": "李钰"}, 201)["turn"]
        wrong = effect(
            1,
            change("increment", "/好感度", "trust", by=12),
            change("append", "/背囊", "pick-up", value="旧书签"),
        )

        refused = api.post(f"{here}/turns/{turn}/commit/", {"text": "她笑了。", "effects": [wrong]}, 422)
        patches = [
            {"op": "replace", "path": "/effects/0/payload/changes/0/by", "value": 5},
            {"op": "replace", "path": "/effects/0/payload/changes/1/path", "value": "/背包"},
        ]
        mended = {"retry": {"token": refused["retry"]["token"], "patches": patches}}
        done = api.post(f"{here}/turns/{turn}/commit/", mended, 200)
        again = api.post(f"{here}/turns/{turn}/commit/", mended, 200)

        assert {issue["path"] for issue in refused["issues"]} == {
            "/effects/0/payload/changes/0/by",
            "/effects/0/payload/changes/1/path",
        }
        assert done["projection"]["namespaces"]["story"]["value"] == {"hp": 10, "好感度": 35, "背包": ["剑", "旧书签"]}
        assert [each["path"] for each in done["changed"]] == ["/好感度", "/背包/1"]
        assert again == {**done, "replayed": True}

    def test_regenerating_takes_back_what_the_reply_owned(self, api: Api, here: str) -> None:
        turn = api.post(f"{here}/turns/", status=201)["turn"]
        api.post(f"{here}/turns/{turn}/commit/", {"effects": [effect(1, change("increment", "/hp", "hp", by=1))]}, 200)

        seen = api.post(f"{here}/messages/{turn}/regeneration/preview/", status=200)
        begun = api.post(f"{here}/messages/{turn}/regeneration/", {"expectedVersion": seen["version"]}, 201)
        late = api.post(f"{here}/messages/{turn}/regeneration/", {"expectedVersion": seen["version"]}, 409)

        assert seen["changes"][0]["values"] == [{"path": "/hp", "before": 11, "after": 10}]
        assert begun["variant"] == 2
        assert api.get(f"{here}/state/?namespace=story")["value"]["hp"] == 10
        assert late["code"] == "VERSION_CONFLICT"

    def test_configurations_belong_to_a_turn_or_to_the_host(self, api: Api, here: str) -> None:
        turn = api.post(f"{here}/turns/", status=201)["turn"]
        create = {
            "action": "create",
            "namespace": "side",
            "expectedRevision": 0,
            "definition": {"title": "Side", "updateMode": "schema-only", "schema": {}, "rules": []},
            "initialValue": None,
        }

        made = api.post(f"{here}/configurations/", {"request": create, "turn": turn}, 201)
        nobody = api.post(f"{here}/configurations/", {"request": create}, 409)
        reset = {"action": "reset", "namespace": "side", "expectedRevision": 1}
        host = api.post(f"{here}/configurations/", {"request": reset, "reason": "By hand."}, 201)
        gone = api.post(f"{here}/turns/{turn}/cancellation/", status=200)

        assert made["projection"]["namespaces"]["side"]["revision"] == 1
        assert nobody["code"] == "STATE_OWNER_REQUIRED"
        assert host["projection"]["namespaces"]["side"]["revision"] == 2
        assert [each["sequence"] for each in gone["entities"]["quarantined"]] == [host["sequence"]]


class TestReading:
    def test_every_resource_of_a_session_answers(self, api: Api, here: str) -> None:
        turn = api.post(f"{here}/turns/", status=201)["turn"]
        done = api.post(
            f"{here}/turns/{turn}/commit/", {"effects": [effect(1, change("increment", "/hp", "hp", by=1))]}, 200
        )

        for path in ("", "/state", "/contract", "/messages", "/events", "/entities", "/books", "/export"):
            assert api.get(f"{here}{path}/")
        assert api.get(f"{here}/state/?at=2")["namespaces"]["story"]["value"]["hp"] == 10
        assert api.get(f"{here}/events/{done['sequence']}/")["changes"][0]["values"][0]["path"] == "/hp"
        assert "story" in api.get(f"{here}/contract/?format=markdown")
        assert api.post(f"{here}/reads/", {"action": "list"}, 200)["namespaces"][0]["namespace"] == "story"
        assert len(api.get("sessions/?limit=1")["results"]) == 1

    def test_a_condition_says_what_it_reads(self, api: Api, here: str) -> None:
        asked = api.post(f"{here}/conditions/", {"condition": 'state("story", "/hp") > 5 && exists("x", "/y")'}, 200)

        assert asked == {
            "active": False,
            "reads": [
                {"namespace": "story", "path": "/hp", "found": True, "value": 10},
                {"namespace": "x", "path": "/y", "found": False},
            ],
        }

    def test_world_book_entries_say_why_they_are_not_active(self, api: Api, here: str) -> None:
        entries = [
            {"id": "rain", "content": "It rains.", "keys": ["雨"]},
            {"id": "gate", "content": "Open.", "constant": True, "stateCondition": 'state("story", "/hp") > 50'},
        ]
        book = api.post("world-books/", {"title": "Rain", "entries": entries}, 201)
        api.post(f"{here}/books/", {"book": book["id"]}, 201)

        told = api.post(f"{here}/activations/", {"text": "外面下雨了"}, 200)["entries"]

        assert [(each["id"], each["active"], each["reason"]) for each in told] == [
            ("rain", True, "key-match"),
            ("gate", False, "adapter-gate"),
        ]
