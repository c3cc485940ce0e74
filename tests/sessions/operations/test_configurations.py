"""Configurations: who may own one, when it takes effect, and that it goes with its owner."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from fabric_app.mesh.errors import InvalidArguments, NotFound, VersionConflict
from sessions_app.errors import NamespaceTooLarge, OwnerRequired, TurnNotActive
from sessions_app.models import Message
from sessions_app.operations import configurations, messages, turns
from sessions_app.operations.check import check_session
from sessions_app.operations.configurations import Owner
from sessions_app.protocol.configuration_errors import NamespaceNotFound, RevisionConflict
from sessions_app.protocol.errors import NamespaceLimit, ValueInvalid
from sessions_app.protocol.events import Role
from sessions_app.stored_state import stored_projection
from tests.sessions.operations.stored_rows import stored_rows
from tests.sessions.places import DEFINITION, VALUE, Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
CREATE: Json = {
    "action": "create",
    "namespace": "side",
    "expectedRevision": 0,
    "definition": DEFINITION,
    "initialValue": {"hp": 1},
}
RESET: Json = {"action": "reset", "namespace": "story", "expectedRevision": 2}
DELETE: Json = {"action": "delete", "namespace": "story", "expectedRevision": 2}
NARROW = {**DEFINITION, "schema": {"type": "object", "properties": {"hp": {"type": "number", "maximum": 5}}}}


@pytest.fixture
def place() -> Place:
    """A session in which two points were lost."""
    place = Place()
    place.commit(effect(1, change("increment", "/hp", "hp", by=-2)))
    return place


def configured(place: Place, owner: Owner, request: Json) -> Json:
    return configurations.configure_state(**place.here, owner=owner, request=request)


def corrected(place: Place, request: Json, **more: Any) -> Json:
    return configurations.correct_state(**place.here, request=request, reason="It was not so.", **more)


class TestAnOwner:
    def test_that_is_a_turn_in_writing_owns_it_with_its_reply(self, place: Place) -> None:
        begun = place.begin()

        told = configured(place, Owner(turn=begun["turn"]), CREATE)

        assert (told["message"], told["namespace"], told["action"]) == (begun["message"], "side", "create")
        assert place.value("side") == {"hp": 1}
        assert check_session(place.id) == []

    def test_that_is_a_reply_owns_it_with_the_variant_that_is_chosen(self, place: Place) -> None:
        reply = place.commit(effect(2, change("increment", "/hp", "hp", by=1)))["message"]
        configured(place, Owner(message=reply), CREATE)

        turns.regenerate(**place.here, number=reply)
        assert list(stored_projection(place.session).namespaces) == ["story"]

        messages.select_variant(**place.here, number=reply, variant=1)
        assert list(stored_projection(place.session).namespaces) == ["story", "side"]
        assert check_session(place.id) == []

    def test_that_has_ended_is_refused(self, place: Place) -> None:
        committed = place.commit()["turn"]
        cancelled = place.begin()["turn"]
        turns.cancel_turn(**place.here, number=cancelled)

        for turn in (committed, cancelled):
            with pytest.raises(TurnNotActive):
                configured(place, Owner(turn=turn), CREATE)

    def test_that_is_no_turn_is_not_found(self, place: Place) -> None:
        with pytest.raises(NotFound):
            configured(place, Owner(turn=9_999), CREATE)

    @pytest.mark.parametrize("role", [Role.USER, Role.HOST])
    def test_that_is_no_reply_is_refused(self, place: Place, role: Role) -> None:
        number = messages.add_message(**place.here, role=role, text="……")["message"]

        with pytest.raises(OwnerRequired):
            configured(place, Owner(message=number), CREATE)

    def test_that_was_deleted_is_refused(self, place: Place) -> None:
        reply = place.commit()["message"]
        messages.delete_messages(**place.here, numbers=[reply])

        with pytest.raises(OwnerRequired):
            configured(place, Owner(message=reply), CREATE)

    @pytest.mark.parametrize("both", [True, False])
    def test_is_exactly_one(self, place: Place, both: bool) -> None:
        turn = place.begin()["turn"]
        owner = Owner(turn=turn, message=turn) if both else Owner()

        with pytest.raises(OwnerRequired):
            configured(place, owner, CREATE)


class TestAConfiguration:
    def test_takes_effect_at_once_and_moves_the_epoch(self, place: Place) -> None:
        before = place.session

        told = configured(place, Owner(turn=place.begin()["turn"]), RESET)

        assert place.value() == VALUE
        assert (place.revision(), place.session.revision) == (3, before.revision + 1)
        assert told["epoch"] == place.session.epoch == before.epoch + 1
        assert told["changes"][0]["values"] == [{"path": "/hp", "before": 8, "after": 10}]
        assert told["projection"] == stored_projection(place.session).as_json()

    @pytest.mark.parametrize(
        ("request_", "refusal"),
        [
            ({**CREATE, "expectedRevision": 1}, RevisionConflict),
            ({**CREATE, "namespace": "story"}, RevisionConflict),
            ({**RESET, "expectedRevision": 1}, RevisionConflict),
            ({**DELETE, "namespace": "side"}, NamespaceNotFound),
            ({"action": "update", "namespace": "story", "expectedRevision": 2, "definition": NARROW}, ValueInvalid),
            ({**CREATE, "initialValue": {"hp": 101}}, ValueInvalid),
        ],
    )
    def test_that_is_refused_changes_nothing(self, place: Place, request_: Json, refusal: type[Exception]) -> None:
        turn = place.begin()["turn"]
        before = stored_rows(place.id)

        with pytest.raises(refusal):
            configured(place, Owner(turn=turn), request_)
        with pytest.raises(refusal):
            corrected(place, request_)
        with pytest.raises(refusal):
            configurations.preview_configuration(session=place.session, request=request_)

        assert stored_rows(place.id) == before

    def test_survives_that_the_text_of_its_reply_is_edited(self, place: Place) -> None:
        reply = place.commit()["message"]
        configured(place, Owner(message=reply), DELETE)

        messages.edit_message(**place.here, number=reply, text="Let us begin anew.")

        assert stored_projection(place.session).namespaces == {}

    def test_that_is_taken_back_gives_back_what_it_deleted(self, place: Place) -> None:
        before = stored_projection(place.session)
        reply = place.commit()["message"]
        configured(place, Owner(message=reply), DELETE)

        messages.delete_messages(**place.here, numbers=[reply])

        assert stored_projection(place.session) == before
        assert check_session(place.id) == []

    def test_beyond_the_most_namespaces_is_refused(self, place: Place, settings: Settings) -> None:
        settings.STATEHOUSE = {**settings.STATEHOUSE, "SESSION_LIMITS": {"namespaces": 1}}

        with pytest.raises(NamespaceLimit):
            corrected(place, CREATE)

    def test_with_a_value_that_is_too_large_is_refused(self, place: Place, settings: Settings) -> None:
        settings.STATEHOUSE = {**settings.STATEHOUSE, "SESSION_STORED_LIMITS": {"namespace_bytes": 60}}
        large = {**CREATE, "initialValue": {"hp": 1, "背包": ["灯" * 20]}}

        with pytest.raises(NamespaceTooLarge):
            corrected(place, large)

    def test_keeps_the_order_in_which_namespaces_were_made(self, place: Place) -> None:
        for name in ("zeta", "alpha"):
            corrected(place, {**CREATE, "namespace": name})
        corrected(place, DELETE)
        corrected(place, {**CREATE, "namespace": "story"})

        assert list(stored_projection(place.session).namespaces) == ["zeta", "alpha", "story"]
        assert check_session(place.id) == []


class TestTheHost:
    def test_says_why_in_a_visible_message_that_owns_the_correction(self, place: Place) -> None:
        told = corrected(place, RESET)

        said = Message.objects.get(session_id=place.id, number=told["message"])
        assert (said.role, said.is_hidden, said.variants.get().text) == ("host", False, "It was not so.")
        messages.delete_messages(**place.here, numbers=[told["message"]])
        assert place.value()["hp"] == 8

    @pytest.mark.parametrize("reason", ["", "  \t", "\ufeff", "x" * 4_097, "a\0b"])
    def test_has_to_say_why(self, place: Place, reason: str) -> None:
        before = stored_rows(place.id)

        with pytest.raises(InvalidArguments):
            configurations.correct_state(**place.here, request=RESET, reason=reason)

        assert stored_rows(place.id) == before

    def test_that_decided_on_another_version_is_refused(self, place: Place) -> None:
        seen = place.session.version
        place.say()

        with pytest.raises(VersionConflict):
            corrected(place, RESET, expected_version=seen)


class TestAPreview:
    def test_answers_what_the_configuration_would_and_keeps_nothing(self, place: Place) -> None:
        before = stored_rows(place.id)

        told = configurations.preview_configuration(session=place.session, request=CREATE)

        assert stored_rows(place.id) == before
        done = corrected(place, CREATE)
        assert told == {"dryRun": True, **{name: done[name] for name in told if name != "dryRun"}}
