"""Quarantine: what fails is set aside with its reason, tried again on demand, and skipped for good."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.errors import EntityStillFails, NotQuarantined
from sessions_app.models import Entity
from sessions_app.operations import messages, quarantine, turns
from sessions_app.operations.check import check_session
from sessions_app.protocol.events import EntityStatus
from sessions_app.stored_state import stored_projection
from tests.sessions.places import DEFINITION, Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
CREATE: Json = {"action": "create", "namespace": "side", "expectedRevision": 0, "definition": DEFINITION}


def status(place: Place, sequence: int) -> str:
    return Entity.objects.get(session_id=place.id, sequence=sequence).status


@pytest.fixture
def failed() -> tuple[Place, Json, Json]:
    """A session, the reply that made `side`, gone, and the commit on it, which is in quarantine because of that."""
    place = Place()
    turn = place.begin()["turn"]
    place.configure(turn, **CREATE, initialValue={"hp": 1})
    maker = place.commit(turn=turn)
    user = place.commit(effect(1, change("increment", "/hp", "hp", by=1), namespace="side"))
    turns.regenerate(**place.here, number=maker["message"])
    return place, maker, user


class TestWhatFails:
    def test_says_why_and_leaves_the_rest_alone(self, failed: tuple[Place, Json, Json]) -> None:
        place, _, user = failed

        row = Entity.objects.get(session_id=place.id, sequence=user["sequence"])

        assert (row.status, row.reason["code"]) == (EntityStatus.QUARANTINED, "NAMESPACE_NOT_FOUND")
        assert list(stored_projection(place.session).namespaces) == ["story"]
        assert check_session(place.id) == []

    def test_is_in_quarantine_no_longer_where_the_variant_that_it_needs_is_chosen_again(
        self, failed: tuple[Place, Json, Json]
    ) -> None:
        place, maker, user = failed

        messages.select_variant(**place.here, number=maker["message"], variant=1)

        assert status(place, user["sequence"]) == EntityStatus.EFFECTIVE
        assert place.value("side") == {"hp": 2}
        assert check_session(place.id) == []

    def test_is_not_released_while_it_fails(self, failed: tuple[Place, Json, Json]) -> None:
        place, _, user = failed
        version = place.session.version

        with pytest.raises(EntityStillFails):
            quarantine.release_from_quarantine(**place.here, sequence=user["sequence"], reason="Try it.")

        assert place.session.version == version


class TestSkipping:
    @pytest.fixture
    def skipped(self, failed: tuple[Place, Json, Json]) -> tuple[Place, Json, Json]:
        place, maker, user = failed
        quarantine.skip_quarantined(**place.here, sequence=user["sequence"], reason="Not needed.")
        return place, maker, user

    def test_is_for_good_whatever_comes_back(self, skipped: tuple[Place, Json, Json]) -> None:
        place, maker, user = skipped

        messages.select_variant(**place.here, number=maker["message"], variant=1)

        assert place.value("side") == {"hp": 1}
        assert status(place, user["sequence"]) == EntityStatus.SKIPPED

    def test_is_for_good_also_where_its_own_reply_goes_and_comes_back(self, skipped: tuple[Place, Json, Json]) -> None:
        place, maker, user = skipped
        messages.select_variant(**place.here, number=maker["message"], variant=1)
        turns.regenerate(**place.here, number=user["message"])

        messages.select_variant(**place.here, number=user["message"], variant=1)

        assert place.value("side") == {"hp": 1}
        assert status(place, user["sequence"]) == EntityStatus.SKIPPED
        assert check_session(place.id) == []

    def test_of_what_is_skipped_already_is_refused(self, skipped: tuple[Place, Json, Json]) -> None:
        place, _, user = skipped

        with pytest.raises(NotQuarantined):
            quarantine.skip_quarantined(**place.here, sequence=user["sequence"], reason="Again.")


class TestRebuilding:
    def test_changes_nothing_but_the_version_and_the_epoch(self, failed: tuple[Place, Json, Json]) -> None:
        place, _, user = failed
        before, epoch = stored_projection(place.session).as_json(), place.session.epoch

        quarantine.rebuild_projection(**place.here, reason="To be sure.")

        assert stored_projection(place.session).as_json() == before
        assert place.session.epoch == epoch + 1
        assert status(place, user["sequence"]) == EntityStatus.QUARANTINED
        assert check_session(place.id) == []
