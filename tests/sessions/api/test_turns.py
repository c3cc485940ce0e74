"""Turns: begun, committed once, corrected where a commit was refused, cancelled; and what a refusal says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from sessions_app.models import SessionEvent
from tests.sessions.api.talking import CREATE_SIDE, Api
from tests.sessions.places import change, effect


def heal(by: float, revision: int = 1) -> dict[str, Any]:
    return effect(revision, change("increment", "/hp", "hp", by=by))


class TestBeginning:
    def test_names_the_reply_and_what_the_state_was(self, api: Api, here: str) -> None:
        begun = api.post(f"{here}/turns/", {"name": "李钰"}, 201)

        assert begun == {
            "turn": begun["turn"],
            "message": begun["turn"],
            "variant": 1,
            "epoch": 0,
            "revision": 1,
        }
        assert api.get(f"{here}/turns/{begun['turn']}/")["status"] == "active"
        assert api.get(f"{here}/messages/{begun['message']}/")["name"] == "李钰"


class TestCommitting:
    def test_answers_what_changed_and_why(self, api: Api, here: str) -> None:
        done = api.commit(here, heal(2), text="She rests.")

        assert done["changed"] == [
            {
                "namespace": "story",
                "path": "/hp",
                "op": "increment",
                "before": 10,
                "after": 12,
                "ruleId": "hp",
                "reason": "so it went",
            }
        ]
        assert done["replayed"] is False
        assert api.get(f"{here}/turns/{done['turn']}/") == {
            "turn": done["turn"],
            "message": done["message"],
            "variant": 1,
            "status": "committed",
            "sequence": done["sequence"],
        }
        assert api.get(f"{here}/messages/{done['message']}/")["text"] == "She rests."

    def test_the_same_again_gets_the_first_answer(self, api: Api, here: str) -> None:
        done = api.commit(here, heal(2))
        api.commit(here, heal(1, revision=2))

        again = api.commit(here, heal(2), turn=done["turn"])

        assert again == {**done, "replayed": True}

    def test_the_same_again_may_spell_its_numbers_anew(self, api: Api, here: str) -> None:
        done = api.commit(here, heal(2))

        for spelled in ("2.0", "2e0"):
            body = json.dumps({"effects": [heal(2)]}).replace('"by": 2', f'"by": {spelled}')
            again = api.send_text("post", f"{here}/turns/{done['turn']}/commit/", body)

            assert (again["turn"], again["replayed"]) == (done["turn"], True)

    def test_something_else_for_the_same_turn_is_a_conflict(self, api: Api, here: str) -> None:
        done = api.commit(here, heal(2))

        refused = api.post(f"{here}/turns/{done['turn']}/commit/", {"effects": [heal(3)]}, 409)

        assert refused["code"] == "COMMIT_CONFLICT"

    def test_of_a_revision_that_is_gone_carries_the_current_one(self, api: Api, here: str) -> None:
        api.commit(here, heal(2))
        turn = api.begin(here)

        refused = api.post(f"{here}/turns/{turn}/commit/", {"effects": [heal(2)]}, 409)

        assert refused["code"] == "REVISION_CONFLICT"
        issue = refused["issues"][0]
        assert issue["path"] == "/effects/0/expectedRevision"
        assert 2 in issue["details"].values()

    def test_lists_every_issue_in_both_forms(self, api: Api, here: str) -> None:
        turn = api.begin(here)
        wrong = effect(
            1,
            change("increment", "/hpp", "hp", by=1),
            change("set", "/hp", "set-hp", value="ten"),
            change("increment", "/好感度", "trusted", by=1),
        )
        before = SessionEvent.objects.count()

        refused = api.post(f"{here}/turns/{turn}/commit/", {"effects": [wrong]}, 422)

        assert refused["code"] == "STATE_UPDATE_VALIDATION_FAILED"
        assert [
            {"path": each["path"], "code": each["code"], "detail": each["message"]} for each in refused["issues"]
        ] == refused["errors"]
        assert len({each["changeIndex"] for each in refused["issues"]}) == 3
        assert SessionEvent.objects.count() == before

    def test_without_effects_ends_the_turn_and_changes_nothing(self, api: Api, here: str) -> None:
        done = api.post(f"{here}/turns/{api.begin(here)}/commit/", {"text": "Nothing happened."}, 200)

        assert done["changed"] == []
        assert done["projection"]["revision"] == 1

    @pytest.mark.parametrize("body", [{}, {"epoch": 0}])
    def test_of_a_body_that_was_lost_is_refused(self, api: Api, here: str, body: dict[str, Any]) -> None:
        turn = api.begin(here)

        refused = api.post(f"{here}/turns/{turn}/commit/", body, 400)

        assert refused["errors"][0]["path"] == "/effects"
        assert api.get(f"{here}/turns/{turn}/")["status"] == "active"

    def test_of_an_epoch_that_is_gone_is_stale(self, api: Api, here: str) -> None:
        turn = api.post(f"{here}/turns/", status=201)
        api.post(f"{here}/configurations/", {"request": CREATE_SIDE, "reason": "By hand."}, 201)

        stale = api.post(f"{here}/turns/{turn['turn']}/commit/", {"effects": [heal(1)], "epoch": turn["epoch"]}, 409)

        assert (stale["code"], stale["current"]) == ("CONTEXT_STALE", 1)

    def test_keeps_numbers_as_doubles(self, api: Api, here: str) -> None:
        api.send_text(
            "post",
            f"{here}/configurations/",
            '{"reason": "By hand.", "request": {"action": "create", "namespace": "side", "expectedRevision": 0,'
            ' "initialValue": [1.0, -0.0, 2.50, 9007199254740993, 1e2, 1E22],'
            ' "definition": {"title": "Side", "updateMode": "schema-only", "schema": {}, "rules": []}}}',
        )

        told = api.client.get(f"/api/v1/{here}/state/?namespace=side").content.decode()

        assert '"value":[1,0,2.5,9007199254740992.0,100,1e+22]' in told

    def test_tells_whole_numbers_as_integers_everywhere(self, api: Api, here: str) -> None:
        turn = api.begin(here)
        changes = ", ".join(
            f'{{"op": "increment", "path": "{path}", "by": {by}, "ruleId": "{rule}", "reason": "x"}}'
            for path, by, rule in (("/hp", "2.0", "hp"), ("/好感度", "5e0", "trust"))
        )
        effect_text = (
            '{"kind": "state.update", "namespace": "story", "expectedRevision": 1.0,'
            f' "payload": {{"changes": [{changes}]}}}}'
        )

        done = api.send_text("post", f"{here}/turns/{turn}/commit/", f'{{"effects": [{effect_text}]}}')

        assert done["changed"][0]["after"] == 12
        for path in (
            f"turns/{turn}/commit/",
            "state/",
            "events/",
            "entities/",
            f"events/{done['sequence']}/",
            "export/",
        ):
            method = "post" if "commit" in path else "get"
            content = f'{{"effects": [{effect_text}]}}' if method == "post" else ""
            told = api.client.generic(method, f"/api/v1/{here}/{path}", content.encode(), "application/json").content
            assert not re.search(rb"[0-9]\.0[^0-9]", told), path


class TestCorrecting:
    def test_that_leads_nowhere_says_which_patch(self, api: Api, here: str) -> None:
        address = f"{here}/turns/{api.begin(here)}/commit/"
        token = api.post(address, {"effects": [heal(1, revision=9)]}, 409)["retry"]["token"]
        patches = [
            {"op": "replace", "path": "/effects/0/expectedRevision", "value": 1},
            {"op": "replace", "path": "/nowhere/0", "value": 1},
        ]

        refused = api.post(address, {"retry": {"token": token, "patches": patches}}, 400)
        mended = api.post(address, {"retry": {"token": token, "patches": patches[:1]}}, 200)

        assert refused["code"] == "RP_COMMIT_RETRY_PATCH_INVALID"
        assert [each["path"] for each in refused["errors"]] == ["/retry/patches/1/path"]
        assert mended["projection"]["namespaces"]["story"]["value"]["hp"] == 11

    @pytest.mark.parametrize("token", ["", "x", "é", "x" * 200])
    def test_under_another_token_is_refused(self, api: Api, here: str, token: str) -> None:
        address = f"{here}/turns/{api.begin(here)}/commit/"
        api.post(address, {"effects": [heal(1, revision=9)]}, 409)

        refused = api.post(address, {"retry": {"token": token, "patches": []}}, 409)

        assert refused["code"] == "COMMIT_RETRY_INVALID"

    def test_has_no_other_member_beside_it(self, api: Api, here: str) -> None:
        body = {"retry": {"token": "x", "patches": []}, "effects": []}

        refused = api.post(f"{here}/turns/{api.begin(here)}/commit/", body, 400)

        assert refused["errors"][0]["path"] == "/retry"


class TestPreviewing:
    def test_answers_what_the_commit_would_and_keeps_nothing(self, api: Api, here: str) -> None:
        turn = api.begin(here)
        before = SessionEvent.objects.count()

        seen = api.post(f"{here}/turns/{turn}/commit/preview/", {"effects": [heal(2)]}, 200)

        assert SessionEvent.objects.count() == before
        done = api.commit(here, heal(2), turn=turn)
        assert seen["dryRun"] is True
        assert all(seen[name] == done[name] for name in ("projection", "changed", "diagnostics"))

    def test_refuses_what_the_commit_would_and_keeps_no_draft(self, api: Api, here: str) -> None:
        turn = api.begin(here)

        refused = api.post(f"{here}/turns/{turn}/commit/preview/", {"effects": [heal(500)]}, 422)

        assert refused["errors"]
        assert "retry" not in refused


class TestCancelling:
    def test_ends_the_turn_and_takes_its_reply_away(self, api: Api, here: str) -> None:
        turn = api.begin(here)

        api.post(f"{here}/turns/{turn}/cancellation/", {"reason": "The model hung."}, 200)

        api.get(f"{here}/messages/{turn}/", 404)
        assert api.get(f"{here}/turns/{turn}/")["status"] == "cancelled"
        assert api.post(f"{here}/turns/{turn}/commit/", {"effects": []}, 409)["code"] == "TURN_NOT_ACTIVE"

    def test_keeps_the_text_that_there_was(self, api: Api, here: str) -> None:
        turn = api.begin(here)

        api.post(f"{here}/turns/{turn}/cancellation/", {"text": "She opened her mo"}, 200)

        assert api.get(f"{here}/messages/{turn}/")["text"] == "She opened her mo"
