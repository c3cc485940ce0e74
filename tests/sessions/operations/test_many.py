"""Retractions on which much depends: what they take from the database does not grow with it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.models import Entity
from sessions_app.operations import messages
from sessions_app.operations.check import check_session
from sessions_app.protocol.events import EntityStatus
from tests.sessions.places import DEFINITION, Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)


def statement_count(dependents: int) -> int:
    """Return how many statements it takes to delete a reply whose namespace so many later commits use."""
    place = Place()
    turn = place.begin()["turn"]
    place.configure(
        turn,
        action="create",
        namespace="side",
        expectedRevision=0,
        definition=DEFINITION,
        initialValue={"hp": 1},
    )
    maker = place.commit(turn=turn)
    for revision in range(1, dependents + 1):
        place.commit(effect(revision, change("increment", "/hp", "hp", by=1), namespace="side"))
    with CaptureQueriesContext(connection) as queries:
        messages.delete_messages(**place.here, numbers=[maker["message"]])
    failed = Entity.objects.filter(session_id=place.id, status=EntityStatus.QUARANTINED)
    assert len(failed) == dependents
    assert {each.reason["code"] for each in failed} == {"NAMESPACE_NOT_FOUND"}
    assert check_session(place.id) == []
    return len(queries)


class TestADeletion:
    def test_that_sets_many_aside_has_no_more_statements(self) -> None:
        assert statement_count(dependents=20) == statement_count(dependents=2)
