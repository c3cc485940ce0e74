"""A request with a key and the version that it was decided on, sent again: the same answer, one effect."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from fabric_app.mesh.errors import VersionConflict
from fabric_app.mesh.idempotency import Idempotency
from sessions_app.operations import configurations, turns
from tests.sessions.places import Place, change, effect

pytestmark = pytest.mark.django_db
OPEN = {"title": "Side", "updateMode": "schema-only", "schema": {}, "rules": []}
CREATE = {"action": "create", "namespace": "side", "expectedRevision": 0, "initialValue": {"hp": 1}, "definition": OPEN}


@pytest.fixture
def place() -> Place:
    return Place()


def key(name: str) -> Idempotency:
    user, _ = User.objects.get_or_create(username="ken")
    return Idempotency(user_id=user.pk, key=name, request_digest="sha256:same")


class TestSentAgain:
    def test_a_regeneration_gets_its_first_answer(self, place: Place) -> None:
        begun = place.begin()
        place.commit(effect(place.revision(), change("increment", "/hp", "hp", by=1)), turn=begun["turn"])
        asked: dict[str, Any] = {"number": begun["message"], "expected_version": place.session.version,
                                 "idempotency": key("again")}  # fmt: skip

        first = turns.regenerate(**asked, **place.here)
        version = place.session.version
        second = turns.regenerate(**asked, **place.here)

        assert second["turn"] == first["turn"]
        assert place.session.version == version

    def test_a_correction_gets_its_first_answer(self, place: Place) -> None:
        asked: dict[str, Any] = {"request": CREATE, "reason": "They met.", "expected_version": place.session.version,
                                 "idempotency": key("correct")}  # fmt: skip

        first = configurations.correct_state(**asked, **place.here)
        version = place.session.version
        second = configurations.correct_state(**asked, **place.here)

        assert second["message"] == first["message"]
        assert place.session.version == version

    def test_under_another_key_it_is_another_request(self, place: Place) -> None:
        version = place.session.version
        place.begin()

        with pytest.raises(VersionConflict):
            configurations.correct_state(
                request=CREATE, reason="They met.", expected_version=version, idempotency=key("new"), **place.here
            )
