"""What the pages of sessions show, to whom, and within which bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions_app.models import Message, SessionEvent
from tests.sessions.pages.conftest import HOSTILE, browser_of
from tests.sessions.places import Place, bootstrap, change, effect

MOST_BYTES = 200_000
PAGES = (
    "",
    "?before=6",
    "messages/3/",
    "messages/4/variants/",
    "timeline/",
    "timeline/?view=raw",
    "timeline/?kind=turn.committed&kind=-message.added",
    "events/5/",
    "events/3/state/",
    "compare/?from=2&to=5",
    "namespaces/story/value/",
    "namespaces/story/value/?path=/背包",
    "namespaces/story/value/?at=2",
    "namespaces/story/definition/",
    "conditions/",
    "books/",
    "settings/",
)
FOR_WRITERS = (
    "messages/3/edit/",
    "messages/3/delete/",
    "messages/3/delete/?onward=true",
    "messages/4/regenerate/",
    "messages/4/variants/1/",
    "turns/4/",
    "turns/4/cancel/",
)
FOR_CORRECTORS = (
    "namespaces/story/correct/",
    "namespaces/story/correct/?path=/hp",
    "namespaces/story/reset/",
    "namespaces/story/delete/",
    "new-namespace/",
    "import/",
)
FOR_REPAIRERS = ("entities/5/release/", "entities/5/skip/")


def here(place: Place, rest: str = "") -> str:
    return f"/sessions/{place.id}/{rest}"


def numbers_shown(client: Client, address: str) -> tuple[int, int]:
    """Return how many queries a page takes, and how many bytes it has."""
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address)
    assert answer.status_code == 200
    return len(queries), len(answer.content)


class TestReadAPage:
    @pytest.mark.parametrize("rest", PAGES)
    def test_a_reader_sees_it_and_a_stranger_does_not_learn_that_it_is_there(
        self, place: Place, reader: Client, stranger: Client, rest: str
    ):
        assert reader.get(here(place, rest)).status_code == 200
        assert stranger.get(here(place, rest)).status_code == 404

    @pytest.mark.parametrize("rest", FOR_WRITERS)
    def test_a_reader_is_refused_what_writers_do(self, place: Place, reader: Client, writer: Client, rest: str):
        assert reader.get(here(place, rest)).status_code == 403
        assert writer.get(here(place, rest)).status_code == 200

    @pytest.mark.parametrize("rest", FOR_CORRECTORS)
    def test_a_writer_is_refused_what_the_host_does(self, place: Place, writer: Client, browser: Client, rest: str):
        assert writer.get(here(place, rest)).status_code == 403
        assert browser.get(here(place, rest)).status_code == 200

    @pytest.mark.parametrize("rest", FOR_REPAIRERS)
    def test_a_writer_is_refused_what_operators_repair(self, place: Place, writer: Client, rest: str):
        assert writer.get(here(place, rest)).status_code == 403

    @pytest.mark.parametrize("rest", [*PAGES, *FOR_WRITERS, *FOR_CORRECTORS])
    def test_without_an_account_it_leads_to_the_sign_in(self, place: Place, rest: str):
        answer = Client().get(here(place, rest))

        assert answer.status_code == 302
        assert answer["Location"].startswith("/sign-in/")

    @pytest.mark.parametrize(
        "rest",
        [
            "messages/999/",
            "messages/99999999999999999999999999/",
            "events/999/",
            "events/0/state/",
            "turns/3/",
            "namespaces/nowhere/value/",
            "namespaces/story/value/?path=nonsense",
            "namespaces/story/value/?path=/hp/deeper",
            "namespaces/story/value/?at=999",
            "messages/4/variants/9/",
            "messages/3/delete/?onward=%00",
            "namespaces/%00/value/",
        ],
    )
    def test_what_is_not_there_is_said_and_no_fault(self, place: Place, browser: Client, rest: str):
        assert browser.get(here(place, rest)).status_code in {200, 404}

    @pytest.mark.parametrize("rest", [*PAGES, *FOR_WRITERS, *FOR_CORRECTORS, "messages/3/edit/"])
    def test_what_looks_like_html_is_shown_as_text(self, place: Place, browser: Client, rest: str):
        shown = browser.get(here(place, rest)).content.decode()

        assert "<script>alert" not in shown

    def test_the_last_turn_is_told_with_what_stood_there_before(self, place: Place, browser: Client):
        answer = browser.get(here(place))

        rows = {row.path: row for row in answer.context["turn"]["rows"]}
        assert (rows["/hp"].before.shown, rows["/hp"].after.shown, rows["/hp"].rule) == ("10", "15", "hp")
        marked = {step.path: step for panel in answer.context["panels"] for step in panel.steps if step.is_changed}
        assert set(marked) == {"/hp", "/背包/1"}
        assert marked["/hp"].was.shown == "10"
        assert marked["/背包/1"].was is None

    def test_a_refresh_sends_the_parts_alone(self, place: Place, browser: Client):
        shown = browser.get(here(place), headers={"HX-Request": "true"}).content.decode()

        assert "<html" not in shown
        assert 'id="state"' in shown

    def test_the_past_is_told_as_it_was_with_what_is_different_now(self, place: Place, browser: Client):
        answer = browser.get(here(place, "events/2/state/"))

        texts = [step.text.shown for panel in answer.context["panels"] for step in panel.steps]
        assert "10" in texts
        assert {row.path for group in answer.context["groups"] for row in group.rows} == {"/hp", "/背包"}

    def test_the_log_can_be_downloaded_in_the_form_of_the_api(self, place: Place, browser: Client):
        answer = browser.get(here(place, "timeline/download/"))

        lines = b"".join(answer).decode().splitlines()
        told = [json.loads(line) for line in lines]
        assert [each["sequence"] for each in told] == [1, 2, 3, 4, 5]
        assert told[2]["data"]["text"] == HOSTILE

    def test_the_timeline_can_leave_a_kind_out(self, place: Place, browser: Client):
        answer = browser.get(here(place, "timeline/?kind=-message.added"))

        assert "message.added" not in {event.kind for event in answer.context["events"]}


class TestListSessions:
    def test_only_what_the_account_can_read_is_there(self, place: Place, reader: Client, stranger: Client):
        assert [row["title"] for row in reader.get("/sessions/").context["sessions"]] == ["雨夜"]
        assert stranger.get("/sessions/").context["sessions"] == []

    def test_the_title_in_the_address_narrows_it(self, place: Place, browser: Client):
        Place(title="Lighthouse")

        shown = browser.get("/sessions/?title=light").context["sessions"]

        assert [row["title"] for row in shown] == ["Lighthouse"]

    @pytest.mark.parametrize(
        "query", ["after=nonsense", "after=2026-01-01T00:00:00%2B00:00 x", "title=%00", "title=%FF"]
    )
    def test_an_address_that_makes_no_sense_shows_a_page(self, place: Place, browser: Client, query: str):
        assert browser.get(f"/sessions/?{query}").status_code == 200

    def test_the_next_page_goes_on_where_this_one_ended(self, place: Place, browser: Client, monkeypatch: Any):
        monkeypatch.setattr("sessions_app.pages.listing.PAGE_SESSIONS", 2)
        for number in range(4):
            Place(title=f"Session {number}")

        titles, address = [], "/sessions/"
        while address:
            context = browser.get(address).context
            titles += [row["title"] for row in context["sessions"]]
            address = context["pager"].older

        assert titles == ["Session 3", "Session 2", "Session 1", "Session 0", "雨夜"]

    def test_its_queries_do_not_grow_with_the_sessions(self, place: Place, browser: Client):
        before, _ = numbers_shown(browser, "/sessions/")
        for _ in range(5):
            Place()

        after, _ = numbers_shown(browser, "/sessions/")

        assert after == before


class TestBounds:
    @pytest.mark.parametrize("rest", ["", "timeline/", "messages/3/delete/", "events/5/", "events/3/state/"])
    def test_queries_do_not_grow_with_the_history(self, place: Place, browser: Client, rest: str):
        before, _ = numbers_shown(browser, here(place, rest))
        for step in range(12):
            place.say()
            place.commit(effect(2 + step, change("increment", "/hp", "hp", by=1)))

        after, _ = numbers_shown(browser, here(place, rest))

        assert after <= before

    @pytest.mark.parametrize(
        "rest",
        [
            "",
            "namespaces/story/value/",
            "namespaces/story/correct/",
            "turns/4/",
            "compare/?from=1&to=2",
            "events/2/",
            "timeline/?view=raw",
            "namespaces/story/reset/",
        ],
    )
    @pytest.mark.parametrize("kind", ["many", "long", "deep"])
    def test_a_value_of_half_a_megabyte_is_cut(self, db: None, browser_of_large: Any, rest: str, kind: str):
        place, client = browser_of_large(kind)

        _, size = numbers_shown(client, here(place, rest))

        assert size < MOST_BYTES

    def test_the_rest_of_a_large_value_can_be_seen(self, db: None, browser_of_large: Any):
        place, client = browser_of_large("many")
        address = here(place, "namespaces/story/value/")
        seen: list[str] = []

        while address and len(seen) < 2_000:
            steps = client.get(address).context["steps"]
            seen += [step.key for step in steps if step.kind == "leaf"]
            address = next((step.address for step in steps if step.kind == "rest"), "")

        assert len(seen) == len(set(seen)) >= 2_000

    def test_long_messages_are_cut_with_a_way_to_the_rest(self, place: Place, browser: Client):
        for _ in range(20):
            place.say("雨" * 90_000)

        _, size = numbers_shown(browser, here(place))
        number = Message.objects.filter(session_id=place.id).latest("number").number
        first = browser.get(here(place, f"messages/{number}/"))
        second = browser.get(first.context["more_address"])

        assert size < MOST_BYTES
        assert len(first.context["shown"]) + len(second.context["shown"]) == 90_000

    def test_a_reply_with_many_variants_is_paged(self, place: Place, browser: Client):
        assert SessionEvent.objects.filter(session_id=place.id).count() == 5
        assert browser.get(here(place, "messages/4/variants/?before=1")).status_code == 200


def _deep() -> Any:
    value: Any = ["雨" * 3_000] * 20
    for _ in range(20):
        value = {"雨" * 200: value, "beside": ["x" * 3_000] * 5}
    return value


LARGE = {
    "many": lambda: {f"key-{number}": "x" * 20 for number in range(20_000)},
    "long": lambda: {"text": "雨" * 300_000},
    "deep": _deep,
}


@pytest.fixture
def browser_of_large() -> Any:
    """Make a session whose one value is large in its way, with the browser of its maker."""

    def make(kind: str) -> tuple[Place, Client]:
        definition = {"title": "Large", "updateMode": "schema-only", "schema": {}, "rules": []}
        place = Place(bootstrap(LARGE[kind](), definition))
        place.say()
        place.begin()
        return place, browser_of(place.user)

    return make
