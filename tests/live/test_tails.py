"""Streams over HTTP from a real server: live, resumable, and over when what they tell of is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as product
from django.test import RequestFactory

from fabric_app.live import RunStream, WorkspaceChanges
from fabric_app.mesh.tails import InvalidPosition, position_of, sse_response
from fabric_app.models import RunStatus
from tests.factories import move
from tests.live.readers import listening, parsed_events, web_server
from tests.runs.conftest import executed, folder, request, verified, workspace
from tests.workers import environment

__all__ = ["folder", "workspace"]

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    env = environment(Path(product.HOME), tmp_path_factory.getbasetemp(), REDIS_URL=product.REDIS_URL)
    with web_server(env) as base:
        yield base


class TestRunStream:
    def test_a_reader_hears_a_run_from_before_its_start_to_its_end(self, workspace, site):
        move(workspace, "rotation", "locked", evidence=["printf 'one\\n'; sleep 0.2; printf 'zwei \\303\\274'"])
        run = request(workspace)

        with listening(f"{site}/runs/{run.pk}/") as events:
            first = next(events)
            run = executed(run)
            heard = [first, *events]

        assert run.status == RunStatus.CONFIRMED
        *entries, end = heard
        assert end.event == "end"
        assert [each.id for each in entries] == list(range(1, run.entry_count + 1))
        assert "".join(each.data["text"] for each in entries if each.data["kind"] == "output") == "one\nzwei ü"
        assert entries[-1].data["data"] == {"status": "confirmed", "certified": True}

    def test_a_reader_who_comes_back_misses_nothing_and_hears_nothing_twice(self, workspace, site):
        move(workspace, "rotation", "locked", evidence=["true", "true"])
        run = verified(workspace)

        with listening(f"{site}/runs/{run.pk}/", last_event_id=3) as events:
            heard = [each.id for each in events if each.event != "end"]
        with listening(f"{site}/runs/{run.pk}/", last_event_id=run.entry_count) as events:
            again = [each.event for each in events]

        assert heard == list(range(4, run.entry_count + 1))
        assert again == ["end"]


class TestEventStream:
    def test_a_transition_is_heard_live(self, workspace, site):
        move(workspace, "rotation", "locked")

        with listening(f"{site}/events/{workspace.pk}/?topic=fabric.state") as events:
            before = [next(events) for _ in range(2)]
            move(workspace, "rename", "renamed")
            after = [next(events) for _ in range(2)]

        kinds = [each.data["kind"] for each in before + after]
        assert kinds == ["transition", "transition.committed"] * 2


class TestChanges:
    @pytest.mark.parametrize("address", ["changes/{}/", "fabric/"])
    def test_whatever_a_page_shows_is_told_as_changed(self, workspace, site, address):
        with listening(f"{site}/{address.format(workspace.pk)}") as events:
            first = next(events)
            move(workspace, "rotation", "locked", evidence=["true"])
            second = next(events)
            run = request(workspace)
            third = next(events)
            executed(run)
            fourth = next(events)

        assert {each.event for each in (first, second, third, fourth)} == {"changed"}
        assert len({each.id for each in (first, second, third, fourth)}) == 4

    def test_a_page_that_comes_back_to_what_it_has_is_told_nothing(self, workspace):
        stream = WorkspaceChanges(workspace.pk)
        (shown,) = stream.fetch(0, 1)

        assert stream.fetch(shown.id, 1) == []


class TestWithoutServer:
    def test_a_synchronous_client_gets_what_is_there_and_the_end(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = verified(workspace)

        response = sse_response(RequestFactory().get("/"), RunStream(run.pk), still_allowed=lambda: True)

        lines = b"".join(response.streaming_content).decode().split("\n")
        heard = list(parsed_events(iter(lines)))
        assert [each.id for each in heard[:-1]] == list(range(1, run.entry_count + 1))
        assert heard[-1].event == "end"

    @pytest.mark.parametrize("text", ["-1", "1.5", "x", "9" * 30, str(2**63)])
    def test_a_position_that_is_none_is_refused(self, text):
        with pytest.raises(InvalidPosition):
            position_of(RequestFactory().get("/", headers={"Last-Event-ID": text}))
