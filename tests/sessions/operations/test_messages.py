"""Messages: what they say under which version, and what goes and comes with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fabric_app.mesh.errors import InvalidArguments, NotFound, VersionConflict
from sessions_app.errors import NotAReply
from sessions_app.models import Message, Variant
from sessions_app.operations import messages, turns
from sessions_app.operations.check import check_session
from sessions_app.protocol.events import Role
from sessions_app.stored_state import stored_projection
from tests.sessions.operations.stored_rows import stored_rows
from tests.sessions.places import Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


def version(place: Place, number: int) -> int:
    return Message.objects.get(session_id=place.id, number=number).version


def texts(place: Place, number: int) -> list[str]:
    rows = Variant.objects.filter(message__session_id=place.id, message__number=number).order_by("index")
    return list(rows.values_list("text", flat=True))


def hurt(place: Place, by: float) -> Json:
    return effect(place.revision(), change("increment", "/hp", "hp", by=by))


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
def varied(place: Place) -> int:
    """A reply whose first variant took two points, and whose second took five."""
    number = place.commit(hurt(place, -2), text="A scratch.")["message"]
    again = turns.regenerate(**place.here, number=number)
    place.commit(hurt(place, -5), turn=again["turn"], text="A wound.")
    return int(number)


class TestEditing:
    def test_leaves_the_state_and_the_other_variant(self, place: Place, varied: int) -> None:
        before = stored_projection(place.session)

        messages.edit_message(**place.here, number=varied, text="A deep wound.")

        assert texts(place, varied) == ["A scratch.", "A deep wound."]
        assert stored_projection(place.session) == before
        assert check_session(place.id) == []

    @pytest.mark.parametrize(
        "meanwhile",
        [
            lambda place, number: messages.edit_message(**place.here, number=number, text="Said before."),
            lambda place, number: messages.select_variant(**place.here, number=number, variant=1),
            lambda place, number: turns.regenerate(**place.here, number=number),
        ],
        ids=["another edit", "another variant chosen", "a new variant"],
    )
    def test_of_what_was_read_before_is_refused(
        self, place: Place, varied: int, meanwhile: Callable[[Place, int], Any]
    ) -> None:
        read = version(place, varied)
        meanwhile(place, varied)
        before = texts(place, varied)

        with pytest.raises(VersionConflict) as refused:
            messages.edit_message(**place.here, number=varied, text="Late.", expected_version=read)

        assert refused.value.details == {"expected": read, "current": read + 1}
        assert texts(place, varied) == before

    def test_of_a_reply_whose_text_came_with_its_commit_is_refused(self, place: Place) -> None:
        begun = place.begin()
        read = version(place, begun["message"])
        place.commit(turn=begun["turn"], text="All of it.")

        with pytest.raises(VersionConflict):
            messages.edit_message(**place.here, number=begun["message"], text="Half", expected_version=read)

    def test_of_a_message_that_was_deleted_is_refused(self, place: Place) -> None:
        number = place.say()
        messages.delete_messages(**place.here, numbers=[number])

        with pytest.raises(NotFound):
            messages.edit_message(**place.here, number=number, text="Still here?")


class TestDeleting:
    def test_one_in_the_middle_takes_back_what_it_owns_alone(self, place: Place) -> None:
        first, middle, last = (place.commit(hurt(place, by)) for by in (1, 10, 4))

        told = messages.delete_messages(**place.here, numbers=[middle["message"]], reason="Not so.")

        assert place.value()["hp"] == 15
        assert place.revision() == 3
        assert told["entities"] == {"retracted": [middle["sequence"]]}
        assert told["changes"][0]["values"] == [{"path": "/hp", "before": 25, "after": 15}]
        assert told["revision"] == {"before": 4, "after": 3}
        assert {first["message"], last["message"]} == set(messages.numbers_from(place.session, first["message"]))
        assert check_session(place.id) == []

    def test_from_one_to_the_end_is_as_if_they_had_never_been(self, place: Place) -> None:
        place.commit(hurt(place, 1))
        before = stored_projection(place.session)
        first = place.commit(hurt(place, 2))["message"]
        place.say()
        place.commit(hurt(place, 3))

        messages.delete_messages(**place.here, numbers=messages.numbers_from(place.session, first))

        assert stored_projection(place.session) == before
        assert check_session(place.id) == []

    def test_of_one_that_is_not_there_deletes_none(self, place: Place) -> None:
        here, before = place.say(), stored_rows(place.id)
        absent = here + 1

        with pytest.raises(NotFound):
            messages.delete_messages(**place.here, numbers=[here, absent])

        assert [row["is_deleted"] for row in stored_rows(place.id)["Message"]] == [False]
        assert stored_rows(place.id) == before

    @pytest.mark.parametrize("numbers", [[], list(range(messages.MOST_AT_ONCE + 1))], ids=["none", "too many"])
    def test_of_a_number_that_is_not_taken_is_refused(self, place: Place, numbers: list[int]) -> None:
        with pytest.raises(InvalidArguments):
            messages.delete_messages(**place.here, numbers=numbers)

    def test_ends_the_turn_that_writes_it(self, place: Place) -> None:
        begun = place.begin()

        told = messages.delete_messages(**place.here, numbers=[begun["message"]])

        assert told["cancelledTurns"] == [begun["turn"]]
        assert check_session(place.id) == []


class TestChoosingAVariant:
    def test_lets_what_it_owned_count_in_place_of_the_other(self, place: Place, varied: int) -> None:
        later = place.commit(hurt(place, 1))

        told = messages.select_variant(**place.here, number=varied, variant=1)

        assert place.value()["hp"] == 9
        assert set(told["entities"]) == {"retracted", "reinstated"}
        assert later["sequence"] not in {*told["entities"]["retracted"], *told["entities"]["reinstated"]}
        assert check_session(place.id) == []

    def test_ends_the_turn_that_writes_another(self, place: Place, varied: int) -> None:
        again = turns.regenerate(**place.here, number=varied)

        told = messages.select_variant(**place.here, number=varied, variant=2)

        assert told["cancelledTurns"] == [again["turn"]]
        assert place.value()["hp"] == 5

    def test_that_is_chosen_lets_its_turn_go_on(self, place: Place, varied: int) -> None:
        again = turns.regenerate(**place.here, number=varied)

        told = messages.select_variant(**place.here, number=varied, variant=3)

        assert told["cancelledTurns"] == []
        assert place.commit(hurt(place, -1), turn=again["turn"])["message"] == varied

    def test_brings_nothing_back_that_went_when_its_turn_was_cancelled(self, place: Place, varied: int) -> None:
        again = turns.regenerate(**place.here, number=varied)
        place.configure(again["turn"], action="delete", namespace="story", expectedRevision=1)
        turns.cancel_turn(**place.here, number=again["turn"])
        messages.select_variant(**place.here, number=varied, variant=1)

        messages.select_variant(**place.here, number=varied, variant=3)

        assert place.value()["hp"] == 10
        assert check_session(place.id) == []

    def test_that_is_not_there_is_refused(self, place: Place, varied: int) -> None:
        with pytest.raises(NotFound):
            messages.select_variant(**place.here, number=varied, variant=3)

    @pytest.mark.parametrize("role", [Role.USER, Role.HOST])
    def test_of_what_is_no_reply_is_refused(self, place: Place, role: Role) -> None:
        number = messages.add_message(**place.here, role=role, text="……")["message"]

        with pytest.raises(NotAReply):
            messages.select_variant(**place.here, number=number, variant=1)

    def test_of_a_version_that_is_gone_is_refused(self, place: Place, varied: int) -> None:
        seen = messages.preview_selection(session=place.session, number=varied, variant=1)
        place.say()

        with pytest.raises(VersionConflict):
            messages.select_variant(**place.here, number=varied, variant=1, expected_version=seen["version"])
