"""Reading messages while an operator has all rows of the session written anew: the answer is of one moment."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from sessions_app.operations import quarantine, turns
from tests.sessions.api.talking import Api
from tests.sessions.places import Place

pytestmark = pytest.mark.django_db(transaction=True)


class RebuiltBefore:
    """Has the rows of a session written anew before each statement that a request sends about messages."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.is_busy = False

    def __call__(self, execute: Any, sql: str, *rest: Any) -> Any:
        if not self.is_busy and sql.startswith("SELECT") and 'FROM "sessions_app_variant"' in sql:
            self.is_busy = True
            quarantine.rebuild_projection(**self.place.here, reason="To be sure.")
            self.is_busy = False
        return execute(sql, *rest)


@pytest.fixture
def place() -> Place:
    """A session with a reply of two variants, the second still being written."""
    place = Place()
    reply = place.commit()
    turns.regenerate(**place.here, number=reply["message"])
    return place


@pytest.mark.parametrize("path", ["messages/", "messages/?newestFirst=true", "messages/3/", "messages/3/variants/"])
def test_messages_are_as_they_are(place: Place, path: str) -> None:
    api = Api(place.user)
    address = f"sessions/{place.id}/{path}"
    quiet = api.get(address)

    with connection.execute_wrapper(RebuiltBefore(place)):
        told = api.get(address)

    assert told == quiet
