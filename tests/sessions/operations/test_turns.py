"""Turns: begun, begun anew as another variant, and cancelled; what each takes back."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from fabric_app.mesh.errors import InvalidArguments, NotFound, VersionConflict
from sessions_app.errors import NotAReply, SessionFull, TurnNotActive
from sessions_app.models import Message, Turn, Variant
from sessions_app.operations import messages, turns
from sessions_app.operations.check import check_session
from sessions_app.stored_state import stored_projection
from tests.sessions.operations.stored_rows import stored_rows
from tests.sessions.places import DEFINITION, Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
CREATE: Json = {"action": "create", "namespace": "side", "expectedRevision": 0, "definition": DEFINITION}


def hurt(place: Place, by: float) -> Json:
    return effect(place.revision(), change("increment", "/hp", "hp", by=by))


def statuses(place: Place) -> list[str]:
    return list(Turn.objects.filter(session_id=place.id).order_by("number").values_list("status", flat=True))


@pytest.fixture
def place() -> Place:
    return Place()


class TestBeginning:
    def test_tells_what_the_state_was(self, place: Place) -> None:
        place.commit(hurt(place, 1))

        begun = place.begin()

        session = place.session
        assert begun == {
            "turn": session.log_sequence,
            "message": session.log_sequence,
            "variant": 1,
            "epoch": session.epoch,
            "revision": session.revision,
        }

    def test_two_at_once_write_two_replies(self, place: Place) -> None:
        first, second = place.begin(), place.begin()

        place.commit(hurt(place, 1), turn=second["turn"])
        place.commit(hurt(place, 2), turn=first["turn"])

        assert place.value()["hp"] == 13
        assert check_session(place.id) == []

    def test_in_a_session_that_is_full_is_refused(self, place: Place, settings: Settings) -> None:
        settings.STATEHOUSE = {**settings.STATEHOUSE, "SESSION_STORED_LIMITS": {"messages": 2}}
        place.say()
        place.begin()

        with pytest.raises(SessionFull):
            place.begin()
        with pytest.raises(SessionFull):
            place.say()


class TestRegenerating:
    def test_takes_back_what_the_reply_owns_before_the_next_begins(self, place: Place) -> None:
        before = stored_projection(place.session)
        reply = place.commit(hurt(place, -3))["message"]

        again = turns.regenerate(**place.here, number=reply)

        assert stored_projection(place.session) == before
        assert (again["message"], again["variant"]) == (reply, 2)
        assert again["revision"] == {"before": before.revision + 1, "after": before.revision}
        assert Variant.objects.get(message__number=reply, index=2).text == ""
        assert check_session(place.id) == []

    def test_one_in_the_middle_leaves_the_later_ones(self, place: Place) -> None:
        middle, _ = (place.commit(hurt(place, by)) for by in (-3, 5))

        told = turns.regenerate(**place.here, number=middle["message"])
        place.commit(hurt(place, 1), turn=told["turn"])

        assert place.value()["hp"] == 16
        assert told["entities"] == {"retracted": [middle["sequence"]]}
        assert check_session(place.id) == []

    def test_runs_its_commit_after_those_that_came_meanwhile(self, place: Place) -> None:
        weak = place.commit(effect(1, change("set", "/hp", "set-hp", value=9)))
        again = turns.regenerate(**place.here, number=weak["message"])
        place.commit(effect(1, change("set", "/hp", "set-hp", value=50)))

        place.commit(effect(2, change("set", "/hp", "set-hp", value=20)), turn=again["turn"])

        assert place.value()["hp"] == 20
        assert check_session(place.id) == []

    def test_ends_the_turn_that_still_writes_it(self, place: Place) -> None:
        begun = place.begin()
        place.configure(begun["turn"], **CREATE, initialValue={"hp": 1})

        told = turns.regenerate(**place.here, number=begun["message"])

        assert told["cancelledTurns"] == [begun["turn"]]
        assert list(stored_projection(place.session).namespaces) == ["story"]
        with pytest.raises(TurnNotActive):
            place.commit(turn=begun["turn"])

    def test_of_what_is_no_reply_is_refused(self, place: Place) -> None:
        number = place.say()

        with pytest.raises(NotAReply):
            turns.regenerate(**place.here, number=number)

    def test_of_a_version_that_is_gone_is_refused(self, place: Place) -> None:
        reply = place.commit(hurt(place, 1))["message"]
        seen = turns.preview_regeneration(session=place.session, number=reply)
        place.say()
        before = stored_rows(place.id)

        with pytest.raises(VersionConflict):
            turns.regenerate(**place.here, number=reply, expected_version=seen["version"])

        assert stored_rows(place.id) == before


class TestCancelling:
    def test_takes_the_reply_and_what_it_owns(self, place: Place) -> None:
        before = stored_projection(place.session)
        begun = place.begin()
        place.configure(begun["turn"], **CREATE, initialValue={"hp": 1})

        told = turns.cancel_turn(**place.here, number=begun["turn"], reason="The line broke.")

        assert stored_projection(place.session) == before
        assert told["changes"][0]["change"] == "removed"
        assert Message.objects.get(number=begun["message"]).is_deleted
        assert check_session(place.id) == []

    def test_can_keep_what_was_written(self, place: Place) -> None:
        begun = place.begin()

        turns.cancel_turn(**place.here, number=begun["turn"], text="She turns, and")

        kept = Message.objects.get(number=begun["message"], is_deleted=False)
        assert kept.variants.get().text == "She turns, and"
        assert check_session(place.id) == []

    def test_another_variant_leaves_the_first_to_be_chosen_again(self, place: Place) -> None:
        reply = place.commit(hurt(place, 2))["message"]
        again = turns.regenerate(**place.here, number=reply)
        turns.cancel_turn(**place.here, number=again["turn"])

        messages.select_variant(**place.here, number=reply, variant=1)

        assert place.value()["hp"] == 12
        assert statuses(place) == ["committed", "cancelled"]
        assert check_session(place.id) == []

    def test_quarantines_what_was_built_on_it(self, place: Place) -> None:
        begun = place.begin()
        place.configure(begun["turn"], **CREATE, initialValue={"hp": 1})
        later = place.commit(effect(1, change("increment", "/hp", "hp", by=1), namespace="side"))

        told = turns.cancel_turn(**place.here, number=begun["turn"])

        (failed,) = told["entities"]["quarantined"]
        assert (failed["sequence"], failed["reason"]["code"]) == (later["sequence"], "NAMESPACE_NOT_FOUND")
        assert check_session(place.id) == []

    def test_one_that_has_ended_is_refused(self, place: Place) -> None:
        turn = place.commit(hurt(place, 1))["turn"]
        before = stored_rows(place.id)

        with pytest.raises(TurnNotActive):
            turns.cancel_turn(**place.here, number=turn)

        assert stored_rows(place.id) == before

    def test_one_that_is_not_there_is_not_found(self, place: Place) -> None:
        with pytest.raises(NotFound):
            turns.cancel_turn(**place.here, number=9_999)

    @pytest.mark.parametrize(("text", "reason"), [("x" * 200_001, ""), ("\ud800", ""), (None, " "), (None, "\0")])
    def test_with_words_that_are_not_taken_is_refused(self, place: Place, text: str | None, reason: str) -> None:
        turn = place.begin()["turn"]

        with pytest.raises(InvalidArguments):
            turns.cancel_turn(**place.here, number=turn, text=text, reason=reason)

        assert statuses(place) == ["active"]
