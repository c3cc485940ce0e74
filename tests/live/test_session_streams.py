"""Streams of sessions over HTTP from a real server: each event once, and in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as product

from sessions_app.models import SessionEvent
from sessions_app.operations.erasing import erase_session
from tests.live.readers import listening, web_server
from tests.sessions.places import Place, change, effect
from tests.workers import environment

pytestmark = [pytest.mark.timeout(120), pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    env = environment(Path(product.HOME), tmp_path_factory.getbasetemp(), REDIS_URL=product.REDIS_URL)
    with web_server(env) as base:
        yield base


class TestSessionEvents:
    def test_are_heard_from_the_first_on_and_live(self, site: str) -> None:
        place = Place()

        with listening(f"{site}/session-events/{place.id}/?after=0") as events:
            before = [next(events) for _ in range(2)]
            place.commit(effect(1, change("increment", "/hp", "hp", by=1)))
            after = [next(events) for _ in range(2)]

        heard = [(each.id, each.data["kind"]) for each in before + after]
        assert heard == list(SessionEvent.objects.order_by("sequence").values_list("sequence", "kind"))

    def test_go_on_where_a_reader_left(self, site: str) -> None:
        place = Place()
        place.say()

        with listening(f"{site}/session-events/{place.id}/", last_event_id=2) as events:
            assert next(events).id == 3

    def test_of_an_erased_session_are_over(self, site: str) -> None:
        place = Place()
        erase_session(**place.here, reason="Asked by its author.")

        with listening(f"{site}/session-events/{place.id}/?after=2") as events:
            assert [each.event for each in events] == ["end"]


class TestChanges:
    def test_of_a_session_are_told_after_each_write(self, site: str) -> None:
        place, other = Place(), Place()

        with listening(f"{site}/session-changes/{place.id}/") as events:
            first = next(events)
            other.say()
            place.say()
            second = next(events)

        assert (first.event, second.event) == ("changed", "changed")
        assert second.data["version"] == first.data["version"] + 1

    def test_of_all_sessions_are_told_after_a_write_to_any(self, site: str) -> None:
        place = Place()

        with listening(f"{site}/sessions/") as events:
            first = next(events)
            place.say()
            second = next(events)

        assert second.data["versions"] == first.data["versions"] + 1
