"""Ten habits of people and models who write role-play state, each met as the protocol says, none mended in silence."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from rest_framework.test import APIClient

from sessions_app.models import Entity, SessionEvent
from sessions_app.operations import configurations, messages, turns
from sessions_app.operations.check import check_session
from sessions_app.protocol import pointer
from sessions_app.protocol.events import EntityStatus
from tests.sessions.places import Place, bootstrap, change, effect
from tests.users.test_role_play import create_side, loose, place_with, refusal, state

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]

TYPED = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 0, "maximum": 100},
        "门": {"type": "boolean"},
        "心情": {"type": "string"},
        "称号": {"type": ["string", "null"]},
    },
    "additionalProperties": False,
}


class TestPathsAsUsersWriteThem:
    @pytest.mark.parametrize(
        ("path", "code"),
        [
            ("角色.阿遥.好感度", "STATE_CHANGE_PATH_INVALID"),
            ("stat_data.x", "STATE_CHANGE_PATH_INVALID"),
            ("角色/阿遥", "STATE_CHANGE_PATH_INVALID"),
            ("#/角色/阿遥/好感度", "STATE_CHANGE_PATH_INVALID"),
            ("/角色/阿遥/好感度/", "STATE_CHANGE_APPLICATION_FAILED"),
            ("/角色.阿遥.好感度", "STATE_RESULT_SCHEMA_INVALID"),
            ("/%E8%A7%92", "STATE_RESULT_SCHEMA_INVALID"),
            (" /角色/阿遥/好感度", "STATE_CHANGE_PATH_INVALID"),
            ("/角色/阿遥/好感度~2", "STATE_CHANGE_PATH_INVALID"),
        ],
    )
    def test_are_refused_with_a_code_and_never_mended(self, path: str, code: str) -> None:
        place = place_with(
            {"角色": {"阿遥": {"好感度": 30}}},
            {"type": "object", "properties": {"角色": {"type": "object"}}, "additionalProperties": False},
        )

        refused = refusal(place, effect(1, change("set", path, value=31)))

        assert refused.code == code


class TestOddKeys:
    KEYS = ("a.b", "a/b", "a~b", "~1", "two words", "🗡️", "[0]", "007", "7", "\u00e9", "e\u0301", "", "toString")

    def test_name_one_member_each(self) -> None:
        place = place_with(dict.fromkeys(self.KEYS, 0))
        changes = [change("set", pointer.format((key,)), value=number) for number, key in enumerate(self.KEYS, start=1)]

        done = place.commit(effect(1, *changes))

        assert place.value() == {key: number for number, key in enumerate(self.KEYS, start=1)}
        assert len(done["changed"]) == len(self.KEYS)
        assert check_session(place.id) == []

    @pytest.mark.parametrize("key", ["__proto__", "prototype", "constructor"])
    def test_unsafe_ones_are_refused_at_any_depth(self, key: str) -> None:
        place = place_with({})

        by_path = refusal(place, effect(1, change("set", f"/{key}", value=1)))
        by_value = refusal(place, effect(1, change("set", "/x", value=[{"deep": {key: 1}}])))

        assert (by_path.code, by_value.code) == ("STATE_CHANGE_PATH_INVALID", "STATE_CHANGE_VALUE_INVALID")


class TestValuesOfTheNextBestType:
    @pytest.mark.parametrize(
        ("path", "value"),
        [("/n", "5"), ("/n", True), ("/n", None), ("/n", 5.5), ("/门", 1), ("/门", "true"), ("/心情", None)],
    )
    def test_are_refused(self, path: str, value: Any) -> None:
        place = place_with({"n": 1, "门": False, "心情": "平静"}, TYPED)

        assert refusal(place, effect(1, change("set", path, value=value))).code == "STATE_CHANGE_VALUE_SCHEMA_INVALID"

    @pytest.mark.parametrize(
        ("path", "value", "kept"), [("/n", 5.0, 5), ("/心情", "", ""), ("/称号", None, None), ("/称号", "", "")]
    )
    def test_are_kept_as_they_are_where_they_are_of_the_type(self, path: str, value: Any, kept: Any) -> None:
        place = place_with({"n": 1, "门": False, "心情": "平静", "称号": "行者"}, TYPED)

        place.commit(effect(1, change("set", path, value=value)))

        assert place.value()[path[1:]] == kept
        assert type(place.value()[path[1:]]) is type(kept)


class TestAValueWithItsDescription:
    def test_is_refused_by_the_schema(self) -> None:
        place = place_with({"n": 1}, TYPED)

        refused = refusal(place, effect(1, change("set", "/n", value=[30, "[0,100]之间，相处中变化"])))

        assert refused.code == "STATE_CHANGE_VALUE_SCHEMA_INVALID"


class TestTheWholeWhereAPartIsMeant:
    def test_a_list_through_append_is_one_item(self) -> None:
        place = place_with({"背包": ["剑"]})

        place.commit(effect(1, change("append", "/背包", value=["剑", "盾"])))

        assert place.value() == {"背包": ["剑", ["剑", "盾"]]}

    def test_an_object_over_another_change_is_a_conflict(self) -> None:
        place = place_with({"角色": {"好感度": 1}})

        refused = refusal(
            place,
            effect(
                1,
                change("increment", "/角色/好感度", by=1),
                change("set", "/角色", value={"好感度": 2}),
            ),
        )

        assert (refused.code, refused.issues[0].path) == (
            "STATE_CHANGE_PATH_CONFLICT",
            "/effects/0/payload/changes/1/path",
        )


class TestIncrements:
    RULED: ClassVar[Json] = {
        "title": "Story",
        "updateMode": "rules-required",
        "schema": {"type": "object", "properties": {"好感度": {"type": "number", "maximum": 100}}},
        "rules": [
            {
                "id": "trust",
                "target": "/好感度",
                "when": "each turn",
                "effect": {"op": "increment", "minimum": -5, "maximum": 5},
                "cadence": "every-turn",
            }
        ],
    }

    @pytest.fixture
    def place(self) -> Place:
        return Place(bootstrap({"好感度": 30}, self.RULED))

    def test_by_the_new_total_are_out_of_bounds(self, place: Place) -> None:
        refused = refusal(place, effect(1, change("increment", "/好感度", "trust", by=32)))

        assert refused.code == "STATE_RULE_INCREMENT_ABOVE_MAXIMUM"

    def test_by_nothing_tick_an_every_turn_rule_off(self, place: Place) -> None:
        ticked = place.commit(effect(1, change("increment", "/好感度", "trust", by=0)))
        missed = place.commit()

        assert ticked["diagnostics"] == []
        assert [each["code"] for each in missed["diagnostics"]] == ["STATE_EVERY_TURN_MISSED"]
        assert place.revision() == 2

    def test_with_the_old_value_beside_the_new_are_refused(self, place: Place) -> None:
        swapped = change("increment", "/好感度", "trust", by=2, value=30)

        assert refusal(place, effect(1, swapped)).code == "STATE_CHANGE_UNKNOWN_FIELD"


class TestReasons:
    @pytest.mark.parametrize("reason", ["", " ", "\u3000", "\ufeff\n"])
    def test_that_are_blank_are_refused(self, reason: str) -> None:
        place = place_with({"n": 1})

        refused = refusal(place, effect(1, change("set", "/n", reason=reason, value=2)))

        assert refused.code == "STATE_CHANGE_REASON_REQUIRED"

    @pytest.mark.parametrize("reason", ["-", "R17", "因为。"])
    def test_that_say_anything_are_kept(self, reason: str) -> None:
        place = place_with({"n": 1})

        done = place.commit(effect(1, change("set", "/n", reason=reason, value=2)))

        assert done["changed"][0]["reason"] == reason


class TestDeliveredTwice:
    def test_the_older_of_two_replies_comes_last_and_changes_nothing(self) -> None:
        place = place_with({"n": 0})
        older, newer = place.begin()["turn"], place.begin()["turn"]
        place.commit(effect(1, change("set", "/n", value=2)), turn=newer)

        with pytest.raises(Exception, match="revision 2") as late:
            place.commit(effect(1, change("set", "/n", value=1)), turn=older)

        assert getattr(late.value, "code", None) == "REVISION_CONFLICT"
        assert place.value() == {"n": 2}

    def test_a_repeat_after_its_reply_was_deleted_tells_what_was_and_brings_nothing_back(self) -> None:
        place = place_with({"n": 0})
        turn = place.begin()["turn"]
        asked = effect(1, change("set", "/n", value=1))
        first = place.commit(asked, turn=turn)
        messages.delete_messages(**place.here, numbers=[first["message"]])

        again = place.commit(asked, turn=turn)

        assert again == {**first, "replayed": True}
        assert place.value() == {"n": 0}


class TestStraightAfterAConfiguration:
    def test_deleting_the_reply_takes_the_configuration_with_it(self) -> None:
        place = place_with({"n": 0})
        before = state(place)
        reply = create_side(place)

        messages.delete_messages(**place.here, numbers=[reply["message"]])

        assert state(place) == before

    def test_so_does_deleting_a_reply_that_is_still_being_written(self) -> None:
        place = place_with({"n": 0})
        before = state(place)
        begun = place.begin()
        place.configure(
            begun["turn"], action="create", namespace="side", expectedRevision=0, definition=loose(), initialValue=1
        )

        told = messages.delete_messages(**place.here, numbers=[begun["message"]])

        assert told["cancelledTurns"] == [begun["turn"]]
        assert state(place) == before
        assert check_session(place.id) == []

    def test_regenerating_it_does_so_before_the_next_variant_begins(self) -> None:
        place = place_with({"n": 0})
        reply = create_side(place)

        begun = turns.regenerate(**place.here, number=reply["message"])

        assert "side" not in begun["projection"]["namespaces"]
        assert begun["epoch"] == place.session.epoch

    def test_cancelling_a_reply_takes_what_it_owns_by_its_message_too(self) -> None:
        place = place_with({"n": 0})
        before = state(place)
        begun = place.begin()
        request = {"action": "create", "namespace": "side", "expectedRevision": 0, "definition": loose()}
        configurations.configure_state(
            **place.here,
            owner=configurations.Owner(message=begun["message"]),
            request={**request, "initialValue": 1},
        )

        turns.cancel_turn(**place.here, number=begun["turn"])

        assert state(place) == before
        assert check_session(place.id) == []


class TestLongSessions:
    def test_the_last_fifty_replies_go_at_once(self) -> None:
        place = place_with({f"k{number}": 0 for number in range(200)})
        kept = 70
        replies = [
            place.commit(effect(number, change("increment", f"/k{number % 200}", by=1)), text="…")["message"]
            for number in range(1, kept + 51)
        ]
        wanted = {f"k{number}": int(1 <= number <= kept) for number in range(200)}

        told = messages.delete_messages(**place.here, numbers=messages.numbers_from(place.session, replies[kept]))

        assert len(told["entities"]["retracted"]) == 50
        assert told["revision"] == {"before": kept + 51, "after": kept + 1}
        assert place.value() == wanted
        assert Entity.objects.filter(session_id=place.id, status=EntityStatus.EFFECTIVE).count() == kept + 1
        assert check_session(place.id) == []


class TestText:
    """What no database may trip over comes back as it was sent, or is refused with a code."""

    def test_nul_and_separators_are_kept(self) -> None:
        place = place_with({"n": ""})
        odd = "a\x00b\u2028c\ufeff🗡️"

        place.commit(effect(1, change("set", "/n", value=odd)), text=odd)

        assert place.value() == {"n": odd}
        assert check_session(place.id) == []

    def test_half_a_surrogate_pair_is_refused_by_the_api(self) -> None:
        place = place_with({"n": ""})
        client = APIClient()
        client.force_authenticate(place.user)
        turn = place.begin()["turn"]
        events = SessionEvent.objects.count()

        answer = client.post(
            f"/api/v1/sessions/{place.id}/turns/{turn}/commit/",
            '{"effects": [{"kind": "state.update", "namespace": "story", "expectedRevision": 1, "payload": {"changes": '
            '[{"op": "set", "path": "/n", "value": "\\ud800", "reason": "half"}]}}]}',
            content_type="application/json",
        )

        assert 400 <= answer.status_code < 500
        assert SessionEvent.objects.count() == events
