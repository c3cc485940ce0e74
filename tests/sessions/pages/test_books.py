"""World books on pages: entries edited one by one, attached to sessions, and asked which are active."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sessions_app.models import Attachment, Session, WorldBook
from sessions_app.operations.books import create_book, save_book
from tests.sessions.pages.conftest import HOSTILE
from tests.sessions.places import Place

ENTRIES: list[dict[str, Any]] = [
    {"id": "tower", "title": HOSTILE, "content": "It never rings.", "keys": ["tower", "bell"]},
    {"id": "secret", "content": "She knows.", "keys": ["key"], "stateCondition": 'state("story", "/hp") > 90'},
]


@pytest.fixture
def book(place: Place) -> WorldBook:
    made = create_book(title="Old town", entries=ENTRIES, user=place.user, **place.who)
    return WorldBook.objects.get(pk=made["id"])


def typed(**given: str) -> dict[str, str]:
    return {
        "title": "Tower",
        "content": "It rings.",
        "keys": "tower\r\n\r\nbell, at night",
        "secondaryKeys": "",
        "secondaryLogic": "and-any",
        "order": "5",
        "stateCondition": "",
        "enabled": "yes",
        **given,
    }


def latest(book: WorldBook) -> WorldBook:
    return WorldBook.objects.get(pk=book.pk)


class TestEditABook:
    def test_an_entry_is_changed_and_the_others_stay(self, book: WorldBook, browser: Client):
        browser.post(f"/world-books/{book.pk}/entry/?id=tower", {"version": "1", **typed()})

        entries = {each["id"]: each for each in latest(book).entries}
        assert entries["tower"]["keys"] == ["tower", "bell, at night"]
        assert (entries["tower"]["order"], entries["tower"]["constant"]) == (5, False)
        assert entries["secret"]["content"] == "She knows."

    def test_an_entry_is_added_with_an_id_of_its_own_and_removed_again(self, book: WorldBook, browser: Client):
        browser.post(f"/world-books/{book.pk}/entry/", {"version": "1", **typed()})
        added = latest(book).entries[-1]["id"]
        browser.post(f"/world-books/{book.pk}/entry/?id={added}", {"version": "2", "remove": "yes"})

        assert added not in {"tower", "secret"}
        assert [each["id"] for each in latest(book).entries] == ["tower", "secret"]

    @pytest.mark.parametrize(
        ("given", "control"),
        [
            ({"stateCondition": "hp >"}, "stateCondition"),
            ({"order": "first"}, "order"),
            ({"secondaryLogic": "x"}, "secondaryLogic"),
        ],
    )
    def test_what_is_wrong_stands_beside_its_control(
        self, book: WorldBook, browser: Client, given: dict[str, str], control: str
    ):
        answer = browser.post(f"/world-books/{book.pk}/entry/?id=tower", {"version": "1", **typed(**given)})

        assert answer.status_code == 400
        assert [field.name for field in answer.context["fields"] if field.errors] == [control]

    def test_the_check_says_it_while_it_is_typed(self, book: WorldBook, browser: Client):
        answer = browser.post(f"/world-books/{book.pk}/check/", typed(stateCondition="hp >"))

        assert [each["path"] for each in answer.context["problems"]] == ["/stateCondition"]

    def test_a_conflict_keeps_the_text_beside_the_newer_entry(self, book: WorldBook, place: Place, browser: Client):
        theirs = [{**ENTRIES[0], "content": "It fell."}, ENTRIES[1]]
        save_book(book_id=book.pk, title="Old town", entries=theirs, expected_version=1, **place.who)

        answer = browser.post(f"/world-books/{book.pk}/entry/?id=tower", {"version": "1", **typed()})

        assert answer.status_code == 409
        assert {field.name: field.value for field in answer.context["fields"]}["content"] == "It rings."
        assert answer.context["newer"]["content"].shown == "It fell."

    def test_is_refused_to_those_who_do_not_see_it(self, book: WorldBook, stranger: Client):
        for rest in ("", "entry/", "entry/?id=tower"):
            assert stranger.get(f"/world-books/{book.pk}/{rest}").status_code == 404
        assert stranger.get("/world-books/").context["books"] == []

    def test_shows_titles_as_text(self, book: WorldBook, browser: Client):
        for rest in ("", "entry/?id=tower"):
            assert "<script>alert" not in browser.get(f"/world-books/{book.pk}/{rest}").content.decode()

    def test_a_book_is_named_anew_and_archived(self, book: WorldBook, browser: Client):
        browser.post(f"/world-books/{book.pk}/", {"title": "New town", "version": "1"})
        browser.post(f"/world-books/{book.pk}/", {"archive": "yes", "version": "2"})

        assert (latest(book).title, latest(book).is_archived) == ("New town", True)


class TestBooksOfASession:
    def test_are_attached_and_detached(self, place: Place, book: WorldBook, browser: Client):
        browser.post(f"/sessions/{place.id}/books/attach/", {"book": str(book.pk)})
        attached = list(Attachment.objects.filter(session_id=place.id).values_list("book_id", flat=True))
        browser.post(f"/sessions/{place.id}/books/{book.pk}/detach/")

        assert attached == [book.pk]
        assert not Attachment.objects.filter(session_id=place.id).exists()

    @pytest.mark.parametrize("chosen", ["", "nonsense", str(UUID(int=7))])
    def test_what_cannot_be_attached_is_said(self, place: Place, browser: Client, chosen: str):
        assert browser.post(f"/sessions/{place.id}/books/attach/", {"book": chosen}).status_code in {400, 404}

    def test_entries_say_whether_they_are_active_and_why_not(self, place: Place, book: WorldBook, browser: Client):
        browser.post(f"/sessions/{place.id}/books/attach/", {"book": str(book.pk)})

        answer = browser.post(f"/sessions/{place.id}/books/", {"text": "The bell, and a key."})

        told = [(each["state"].word, each["reason"]) for each in answer.context["entries"]]
        assert told == [
            ("active", "one of its keys stands in the text"),
            ("not active", "its condition does not hold"),
        ]
        assert "<script>alert" not in answer.content.decode()


class TestImport:
    CARD = json.dumps(
        {
            "spec": "chara_card_v2",
            "spec_version": "2.0",
            "data": {
                "name": "李钰",
                "description": "",
                "first_mes": HOSTILE,
                "character_book": {
                    "entries": [
                        {"keys": ["bell"], "content": HOSTILE, "enabled": True, "extensions": {}, "insertion_order": 1}
                    ],
                    "extensions": {},
                },
            },
        }
    ).encode()

    def card(self) -> SimpleUploadedFile:
        return SimpleUploadedFile("liyu.json", self.CARD)

    def test_a_card_is_previewed_and_nothing_is_kept(self, place: Place, browser: Client):
        before = Session.objects.count()

        answer = browser.post("/sessions/import/", {"file": self.card(), "preview": "yes"})

        assert (answer.context["preview"]["title"], answer.context["preview"]["book"]["count"]) == ("李钰", 1)
        assert Session.objects.count() == before
        assert "<script>alert" not in answer.content.decode()

    def test_a_card_becomes_a_session(self, place: Place, browser: Client):
        shown = browser.post("/sessions/import/", {"file": self.card()})

        typed = {"import": "yes", "previewed": shown.context["upload"].digest, "title": "Rain"}
        browser.post("/sessions/import/", {"file": self.card(), **typed})

        assert Session.objects.filter(title="Rain").exists()

    def test_another_file_than_the_one_that_was_shown_is_previewed_first(self, place: Place, browser: Client):
        answer = browser.post("/sessions/import/", {"file": self.card(), "import": "yes", "previewed": "sha256:0"})

        assert answer.context["is_other_file"]
        assert not Session.objects.filter(title="李钰").exists()

    def test_into_a_session_is_bound_to_the_version_that_was_shown(self, place: Place, browser: Client):
        address = f"/sessions/{place.id}/import/"
        shown = browser.post(address, {"file": self.card()})
        typed = {"import": "yes", "previewed": shown.context["upload"].digest}
        typed["version"] = str(shown.context["preview"]["version"])
        place.say()

        moved = browser.post(address, {"file": self.card(), **typed})
        typed["version"] = str(moved.context["preview"]["version"])
        browser.post(address, {"file": self.card(), **typed})

        assert moved.status_code == 409
        assert Attachment.objects.filter(session_id=place.id).count() == 1

    @pytest.mark.parametrize(
        "content", [b"", b"\xff\xfe\x00", b"{}", b"[" * 10_000, b"\x89PNG\r\n\x1a\n", b"PK\x03\x04"]
    )
    def test_any_file_is_answered(self, place: Place, browser: Client, content: bytes):
        answer = browser.post("/sessions/import/", {"file": SimpleUploadedFile("x.json", content)})

        assert 400 <= answer.status_code < 500
        assert answer.context["problem"].sentence

    def test_without_a_file_it_asks_for_one(self, place: Place, browser: Client):
        assert browser.post("/sessions/import/", {"import": "yes"}).status_code == 400

    def test_a_script_gets_the_preview_alone(self, place: Place, browser: Client):
        answer = browser.post("/sessions/import/", {"file": self.card()}, headers={"HX-Request": "true"})

        assert "<html" not in answer.content.decode()
