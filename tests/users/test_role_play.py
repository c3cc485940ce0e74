"""What users of role-play state suffered elsewhere, with the input that hurt them: our sessions do what they wanted.

Each class is one fault of the list of such faults; the habits of people and models are in `test_role_play_habits`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from rest_framework.test import APIClient

from sessions_app.errors import CommitConflict, TurnNotActive
from sessions_app.models import Session, WorldBook
from sessions_app.operations import configurations, forks, messages, turns
from sessions_app.operations.books import attach_book, create_book
from sessions_app.operations.check import check_session
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.configuration_errors import RevisionConflict
from sessions_app.protocol.errors import ValueInvalid
from sessions_app.stored_state import stored_projection
from tests.sessions.places import Place, bootstrap, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


def loose(schema: Json | None = None) -> Json:
    """Return a definition under which any change of the schema's liking may be made."""
    return {"title": "Story", "updateMode": "schema-only", "schema": schema or {}, "rules": []}


def place_with(value: Any, schema: Json | None = None) -> Place:
    return Place(bootstrap(value, loose(schema)))


def state(place: Place) -> Json:
    return stored_projection(place.session).as_json()


def create_side(place: Place) -> Json:
    """Let a reply create the namespace `side` and return the answer of its commit."""
    turn = place.begin()["turn"]
    place.configure(
        turn, action="create", namespace="side", expectedRevision=0, definition=loose(), initialValue={"b": 1}
    )
    return place.commit(turn=turn)


def refusal(place: Place, *effects: Json) -> CommitRefused:
    """Commit what has to be refused, see that nothing changed by it, and return the refusal."""
    turn = place.begin()["turn"]
    before = state(place), place.session.version
    with pytest.raises(CommitRefused) as refused:
        place.commit(*effects, turn=turn)
    assert (state(place), place.session.version) == before
    return refused.value


class TestRollback:
    def test_takes_back_only_what_the_reply_owned(self) -> None:
        place = place_with({"a": 1})
        create_side(place)
        side = state(place)["namespaces"]["side"]
        second = place.commit(effect(1, change("set", "/a", value=2)))

        messages.delete_messages(**place.here, numbers=[second["message"]])

        assert state(place)["namespaces"]["side"] == side
        assert place.value() == {"a": 1}
        assert check_session(place.id) == []


class TestTwoUpdatesOfOneState:
    def test_one_of_them_is_kept_and_the_other_hears_of_a_conflict(self) -> None:
        place = place_with({"n": 0})
        for revision in (1, 2, 3):
            place.commit(effect(revision, change("increment", "/n", by=1)))
        place.commit(effect(4, change("increment", "/n", by=10)))

        late = refusal(place, effect(4, change("increment", "/n", by=100)))

        assert (late.code, late.status) == ("REVISION_CONFLICT", 409)
        assert place.value() == {"n": 13}
        assert check_session(place.id) == []


class TestUpdatingOneNamespace:
    def test_leaves_the_other_as_it_was(self) -> None:
        place = place_with({"a": 1})
        create_side(place)
        before = state(place)["namespaces"]["side"]

        place.commit(effect(1, change("set", "/a", value=[1, {"b": None}])))

        after = state(place)["namespaces"]["side"]
        assert list(after) == list(before)
        assert after == before


class TestInitialValuesThatChange:
    WIDER: ClassVar[Json] = loose(
        {"type": "object", "properties": {"hp": {"type": "number"}, "mp": {"type": "number"}}}
    )
    STRICT: ClassVar[Json] = loose({"type": "object", "required": ["hp", "mp"]})

    @pytest.fixture
    def hurt(self) -> Place:
        place = place_with({"hp": 10}, {"type": "object", "properties": {"hp": {"type": "number"}}})
        place.commit(effect(1, change("set", "/hp", value=4)))
        return place

    def test_are_taken_as_given(self, hurt: Place) -> None:
        turn = hurt.begin()["turn"]

        hurt.configure(
            turn, action="update", namespace="story", expectedRevision=2, definition=self.WIDER,
            initialValue={"hp": 20, "mp": 5}, value={"hp": 4, "mp": 5},
        )  # fmt: skip

        story = state(hurt)["namespaces"]["story"]
        assert (story["initialValue"], story["value"]) == ({"hp": 20, "mp": 5}, {"hp": 4, "mp": 5})

    def test_without_a_value_the_kept_one_stays_as_it_is(self, hurt: Place) -> None:
        turn = hurt.begin()["turn"]

        hurt.configure(
            turn, action="update", namespace="story", expectedRevision=2, definition=self.WIDER,
            initialValue={"hp": 20, "mp": 5},
        )  # fmt: skip

        assert hurt.value() == {"hp": 4}

    def test_a_kept_value_that_does_not_fit_refuses_the_whole(self, hurt: Place) -> None:
        turn = hurt.begin()["turn"]
        before = state(hurt)

        with pytest.raises(ValueInvalid) as refused:
            hurt.configure(
                turn, action="update", namespace="story", expectedRevision=2, definition=self.STRICT,
                initialValue={"hp": 20, "mp": 5},
            )  # fmt: skip

        assert [problem.path for problem in refused.value.problems] == ["/value/mp"]
        assert state(hurt) == before


class TestTextGluedToANumber:
    def test_a_number_is_not_added_to_a_text(self) -> None:
        place = place_with({"掷": "20"})

        refused = refusal(place, effect(1, change("increment", "/掷", by=-2)))

        assert refused.code == "STATE_UPDATE_INVALID"
        assert place.value() == {"掷": "20"}

    def test_a_text_is_not_stored_where_a_number_belongs(self) -> None:
        place = place_with({"掷": 20}, {"type": "object", "properties": {"掷": {"type": "integer"}}})

        refused = refusal(place, effect(1, change("set", "/掷", value="20")))

        assert refused.code == "STATE_CHANGE_VALUE_SCHEMA_INVALID"


class TestFirstWriteBelowAMissingParent:
    def test_no_parent_is_invented(self) -> None:
        place = place_with({})

        refused = refusal(place, effect(1, change("set", "/任务/0/名", value="寻剑")))

        assert (refused.code, refused.issues[0].path) == (
            "STATE_CHANGE_APPLICATION_FAILED",
            "/effects/0/payload/changes/0/path",
        )
        assert place.value() == {}

    def test_the_whole_list_can_be_set(self) -> None:
        place = place_with({})

        place.commit(effect(1, change("set", "/任务", value=[{"名": "寻剑"}])))

        assert place.value() == {"任务": [{"名": "寻剑"}]}


class TestTheSameItemTwice:
    BAG: ClassVar[Json] = {"type": "object", "properties": {"背包": {"type": "array", "items": {"type": "string"}}}}

    def test_a_whole_list_is_no_item(self) -> None:
        place = place_with({"背包": ["剑"]}, self.BAG)

        refused = refusal(place, effect(1, change("append", "/背包", value=["剑", "盾"])))

        assert refused.code == "STATE_CHANGE_VALUE_SCHEMA_INVALID"

    def test_the_same_commit_in_another_turn_is_a_conflict_and_no_second_sword(self) -> None:
        place = place_with({"背包": []}, self.BAG)
        for revision in (1, 2):
            place.commit(effect(revision, change("set", "/背包", value=[])))
        twice = effect(3, change("append", "/背包", value="剑"))
        place.commit(twice)

        refused = refusal(place, twice)

        assert refused.code == "REVISION_CONFLICT"
        assert place.value() == {"背包": ["剑"]}

    def test_the_same_commit_of_one_turn_gets_its_first_answer(self) -> None:
        place = place_with({"背包": []}, self.BAG)
        turn = place.begin()["turn"]
        sword = effect(1, change("append", "/背包", value="剑"))

        first = place.commit(sword, turn=turn)
        again = place.commit(sword, turn=turn)

        assert again == {**first, "replayed": True}
        assert place.value() == {"背包": ["剑"]}


class TestForkingAtASavedPoint:
    def test_has_exactly_what_is_owned_up_to_there(self) -> None:
        place = place_with({"n": 0})
        place.commit(effect(1, change("increment", "/n", by=1)))
        second = place.begin()["turn"]
        place.configure(
            second, action="update", namespace="story", expectedRevision=2, definition=loose({"type": "object"}),
            initialValue={"n": 7},
        )  # fmt: skip
        saved = place.commit(effect(3, change("increment", "/n", by=1)), turn=second)
        wanted = state(place)
        third = place.commit(effect(4, change("increment", "/n", by=100)))
        for by in (200, 300):
            again = turns.regenerate(**place.here, number=third["message"])
            place.commit(effect(4, change("increment", "/n", by=by)), turn=again["turn"])

        made = forks.fork_session(
            session=place.session, message=saved["message"], title="Saved", user=place.user, **place.who
        )

        fork = Session.objects.get(pk=made["id"])
        assert stored_projection(fork).as_json() == wanted
        assert place.value() == {"n": 302}
        assert check_session(fork.pk) == []


class TestNestingWithoutEnd:
    """Through the API: the parser of bodies is a part of what has to hold."""

    @pytest.fixture
    def place(self) -> Place:
        return place_with({"x": 0})

    def answer(self, place: Place, path: str, body: str) -> Any:
        client = APIClient()
        client.force_authenticate(place.user)
        return client.post(f"/api/v1/sessions/{place.id}/{path}/", body, content_type="application/json")

    @pytest.mark.parametrize("levels", [65, 159, 3_000, 200_000])
    def test_of_a_value_is_refused(self, place: Place, levels: int) -> None:
        turn, nested = place.begin()["turn"], "[" * levels + "]" * levels
        before = state(place), place.session.version
        one = f'{{"op": "set", "path": "/x", "reason": "deep", "value": {nested}}}'
        head = '"kind": "state.update", "namespace": "story", "expectedRevision": 1'

        answer = self.answer(
            place, f"turns/{turn}/commit", f'{{"effects": [{{{head}, "payload": {{"changes": [{one}]}}}}]}}'
        )

        assert 400 <= answer.status_code < 500
        assert answer.json()["code"]
        assert (state(place), place.session.version) == before

    @pytest.mark.parametrize("levels", [500, 505])
    def test_of_a_condition_is_read_up_to_its_limit_of_tokens(self, place: Place, levels: int) -> None:
        condition = "(" * levels + "true" + ")" * levels

        answer = self.answer(place, "conditions", f'{{"condition": "{condition}"}}')

        assert answer.status_code == 200
        assert answer.json()["active"] is True

    def test_of_a_condition_is_refused_beyond_it(self, place: Place) -> None:
        answer = self.answer(place, "conditions", f'{{"condition": "{"(" * 2_000}true{")" * 2_000}"}}')

        assert 400 <= answer.status_code < 500


class TestAValueCorrectedByHand:
    def test_stays_and_the_next_commit_names_its_revision(self) -> None:
        place = place_with({"hp": 3})
        story = state(place)["namespaces"]["story"]
        request = {
            "action": "update",
            "namespace": "story",
            "expectedRevision": 1,
            "definition": story["definition"],
            "value": {"hp": 7},
        }

        corrected = configurations.correct_state(**place.here, request=request, reason="It was wrong.")
        late = refusal(place, effect(1, change("increment", "/hp", by=1)))
        place.commit(effect(2, change("increment", "/hp", by=1)))

        assert corrected["projection"]["namespaces"]["story"]["revision"] == 2
        assert late.code == "REVISION_CONFLICT"
        assert place.value() == {"hp": 8}

    def test_is_owned_by_the_reply_that_asked_for_it(self) -> None:
        place = place_with({"hp": 3})
        definition = state(place)["namespaces"]["story"]["definition"]
        turn = place.begin()["turn"]
        place.configure(
            turn, action="update", namespace="story", expectedRevision=1, definition=definition, value={"hp": 7}
        )
        reply = place.commit(turn=turn)

        messages.delete_messages(**place.here, numbers=[reply["message"]])

        assert place.value() == {"hp": 3}

    def test_at_an_old_revision_it_is_refused(self) -> None:
        place = place_with({"hp": 3})
        place.commit(effect(1, change("set", "/hp", value=4)))

        with pytest.raises(RevisionConflict):
            configurations.correct_state(
                **place.here,
                request={"action": "reset", "namespace": "story", "expectedRevision": 1},
                reason="Too late.",
            )


class TestTwoWritersOfOneTurn:
    def test_a_turn_that_was_cancelled_takes_no_commit(self) -> None:
        place = place_with({"n": 0})
        turn = place.begin()["turn"]
        turns.cancel_turn(**place.here, number=turn)

        with pytest.raises(TurnNotActive) as refused:
            place.commit(effect(1, change("set", "/n", value=1)), turn=turn)

        assert (refused.value.code, refused.value.status) == ("TURN_NOT_ACTIVE", 409)
        assert place.value() == {"n": 0}

    def test_of_two_commits_the_first_is_kept(self) -> None:
        place = place_with({"n": 0})
        turn = place.begin()["turn"]
        first, second = effect(1, change("set", "/n", value=1)), effect(1, change("set", "/n", value=2))
        place.commit(first, turn=turn)

        with pytest.raises(CommitConflict):
            place.commit(second, turn=turn)

        assert place.commit(first, turn=turn)["replayed"] is True
        assert place.value() == {"n": 1}

    def test_a_reply_whose_regeneration_was_cut_off_can_be_begun_anew(self) -> None:
        place = place_with({"n": 0})
        reply = place.commit(effect(1, change("set", "/n", value=1)))
        cut = turns.regenerate(**place.here, number=reply["message"])
        turns.cancel_turn(**place.here, number=cut["turn"], text="She was about to")

        again = turns.regenerate(**place.here, number=reply["message"])
        place.commit(effect(1, change("set", "/n", value=2)), turn=again["turn"])

        assert place.value() == {"n": 2}
        assert check_session(place.id) == []


class TestTwoBooksThatDescribeTheSame:
    def test_both_stand_in_the_session_in_the_order_of_binding(self) -> None:
        place = place_with({})
        ids = []
        for title, content in (("A", "喵一"), ("B", "喵二")):
            entries = [{"content": content, "keys": ["悠纪"]}]
            made = create_book(title=title, entries=entries, user=place.user, **place.who)
            ids.append(made["id"])
            attach_book(session_id=place.id, book=WorldBook.objects.get(pk=made["id"]), **place.who)

        attached = place.session.attachments.order_by("position").values_list("book_id", flat=True)

        assert [str(each) for each in attached] == ids
