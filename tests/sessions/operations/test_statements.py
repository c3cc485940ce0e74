"""How many statements an operation sends, whatever the session has lived through."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.operations import commits, entity_rows, messages, turns
from sessions_app.protocol import reckoning
from tests.sessions.places import Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
BEGINNING, COMMIT_OF_THREE, DELETION_OF_THE_LAST = 6, 11, 15
TRANSACTION = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


def statements(act: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        act()
    return [each["sql"] for each in queries if not each["sql"].startswith(TRANSACTION)]


def with_replies(count: int) -> Place:
    place = Place()
    for revision in range(1, count + 1):
        place.commit(effect(revision, change("increment", "/hp", "hp", by=0)))
    return place


@pytest.fixture(autouse=True)
def _snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make snapshots often enough for short sessions to have some."""
    for module in (reckoning, entity_rows):
        monkeypatch.setattr(module, "SNAPSHOT_EVERY", 4)


# No commit of these makes a snapshot, which is a statement more: the bootstrap counts, too.
@pytest.mark.parametrize("replies", [1, 5, 17])
class TestStatements:
    def test_of_a_commit_of_three_changes(self, replies: int) -> None:
        place = with_replies(replies)
        number = place.begin()["turn"]
        three = effect(
            replies + 1,
            change("increment", "/hp", "hp", by=1),
            change("increment", "/好感度", "trust", by=1),
            change("append", "/背包", "pick-up", value="伞"),
        )
        content, here = commits.Content([three], text="She nods."), place.here

        sent = statements(lambda: commits.commit_turn(**here, number=number, content=content))

        assert len(sent) == COMMIT_OF_THREE, "\n".join(sent)

    def test_of_deleting_the_last_message(self, replies: int) -> None:
        place = with_replies(replies)
        [last] = messages.numbers_from(place.session, place.session.log_sequence - 1)
        here = place.here

        sent = statements(lambda: messages.delete_messages(**here, numbers=[last]))

        assert len(sent) == DELETION_OF_THE_LAST, "\n".join(sent)

    def test_of_beginning_a_turn(self, replies: int) -> None:
        here = with_replies(replies).here

        sent = statements(lambda: turns.begin_turn(**here))

        assert len(sent) == BEGINNING, "\n".join(sent)
