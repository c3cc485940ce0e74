"""Forking, writing out and reading in, and erasing a whole session."""

from __future__ import annotations

import json
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from fabric_app.mesh.canonical import dumps
from sessions_app.errors import DocumentRefused
from sessions_app.models import Session, SessionEvent, Tombstone, WorldBook
from sessions_app.operations import books, documents, erasing, forks, messages, turns
from sessions_app.operations.check import check_session
from sessions_app.stored_state import stored_projection
from tests.sessions.operations.test_forged_documents import chained
from tests.sessions.places import Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


@pytest.fixture
def lived() -> Place:
    """A session with three replies, of which the middle one is gone and the last is in quarantine because of it."""
    place = Place()
    place.say("天黑了。")
    place.commit(effect(1, change("increment", "/hp", "hp", by=-2)))
    healed = place.commit(effect(2, change("increment", "/hp", "hp", by=2)))
    place.commit(effect(3, change("increment", "/好感度", "trust", by=5)))
    messages.delete_messages(**place.here, numbers=[healed["message"]])
    rains = {"content": "It rains.", "keys": ["雨"], "stateCondition": 'state("story", "/hp") > 3'}
    books.create_book(title="雨", entries=[rains], user=place.user, **place.who)
    books.attach_book(session_id=place.id, book=WorldBook.objects.get(), **place.who)
    return place


def read_again(document: Json) -> Json:
    return json.loads(dumps(document))


class TestForking:
    def test_a_fork_is_as_the_session_is(self, lived: Place) -> None:
        made = forks.fork_session(session=lived.session, message=None, title="Fork", user=lived.user, **lived.who)

        fork = Session.objects.get(pk=made["id"])
        assert stored_projection(fork).as_json() == stored_projection(lived.session).as_json()
        assert check_session(fork.pk) == []

    def test_at_a_message_it_has_what_messages_up_to_there_own(self) -> None:
        place = Place()
        first = place.commit(effect(1, change("increment", "/hp", "hp", by=1)))
        wanted = place.commit(effect(2, change("increment", "/hp", "hp", by=2)))
        before = stored_projection(place.session).as_json()
        last = place.commit(effect(3, change("increment", "/hp", "hp", by=3)))
        for _ in range(2):
            again = turns.regenerate(**place.here, number=last["message"])
            place.commit(effect(3, change("increment", "/hp", "hp", by=4)), turn=again["turn"])

        made = forks.fork_session(
            session=place.session, message=wanted["message"], title="Fork", user=place.user, **place.who
        )

        fork = Session.objects.get(pk=made["id"])
        assert stored_projection(fork).as_json() == before
        assert [each.number for each in fork.messages.order_by("number")] != [first["message"]]
        assert check_session(fork.pk) == []


class TestWritingOutAndReadingIn:
    def test_a_document_reads_back_byte_for_byte(self, lived: Place) -> None:
        document = documents.export_session(lived.session)

        made = documents.import_document(document=read_again(document), user=lived.user, **lived.who)

        copy = Session.objects.get(pk=made["id"])
        assert dumps(documents.export_session(copy)) == dumps(document)
        assert stored_projection(copy).as_json() == stored_projection(lived.session).as_json()
        assert check_session(copy.pk) == []

    @pytest.mark.parametrize(
        ("path", "value", "told"),
        [
            (("events", 2, "data", "text"), "Something else.", "/events/2/digest"),
            (("events", 2, "kind"), "message.invented", "/events/2/kind"),
            (("events", 2, "sequence"), 7, "/events/2/sequence"),
            (("events", 2, "createdAtMs"), 1.0, "/events/2/createdAtMs"),
            (("events", 3, "data", "turn"), 999, "/events/3"),
            (("formatVersion",), 9, "/formatVersion"),
            (("books", 0, "id"), "no-id", "/books/0"),
        ],
    )
    def test_a_document_that_was_changed_is_refused_whole(
        self, lived: Place, path: tuple[Any, ...], value: Any, told: str
    ) -> None:
        document = read_again(documents.export_session(lived.session))
        *way, last = path
        target: Any = document
        for step in way:
            target = target[step]
        target[last] = value

        with pytest.raises(DocumentRefused) as refused:
            documents.import_document(document=document, user=lived.user, **lived.who)

        assert any(problem.path.startswith(told) for problem in refused.value.problems)
        assert Session.objects.count() == 1


class TestTwoWhoReadInTheSameDocument:
    def test_bring_its_book_once(self) -> None:
        place = Place()
        books.create_book(title="雨", entries=[], user=place.user, **place.who)
        books.attach_book(session_id=place.id, book=WorldBook.objects.get(), **place.who)
        new_id = uuid.uuid4()
        known = str(WorldBook.objects.get().pk)
        document = read_again(documents.export_session(place.session))
        document = json.loads(dumps(document).replace(known, str(new_id)))
        chained(document["events"])

        def read_in() -> Json:
            try:
                return documents.import_document(document=document, user=place.user, **place.who)
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            with transaction.atomic():
                books.insert_book("雨", [], None, user=place.user, book_id=new_id, **place.who)
                other = pool.submit(read_in)
                time.sleep(0.5)  # long enough for the other one to wait here; if it is not, it finds the book
            made = other.result(60)

        copy = Session.objects.get(pk=made["id"])
        assert [each.book_id for each in copy.attachments.all()] == [new_id]
        assert check_session(copy.pk) == []


class TestErasing:
    def test_nothing_is_left_but_a_tombstone(self, lived: Place) -> None:
        copy = forks.fork_session(session=lived.session, message=None, title="Fork", user=lived.user, **lived.who)
        log = lived.session

        told = erasing.erase_session(session_id=lived.id, reason="She asked for it.", **lived.who)

        assert not SessionEvent.objects.filter(session_id=lived.id).exists()
        assert not Session.objects.filter(pk=lived.id).exists()
        left = Tombstone.objects.get(session_id=lived.id)
        assert (left.event_count, left.log_digest) == (log.log_sequence, log.log_digest)
        assert told["copies"] == [copy["id"]]

    def test_the_log_of_another_session_still_refuses(self, lived: Place) -> None:
        other = Place()
        erasing.erase_session(session_id=lived.id, reason="She asked for it.", **lived.who)

        with pytest.raises(DatabaseError), transaction.atomic():
            SessionEvent.objects.filter(session_id=other.id).delete()

        assert check_session(uuid.UUID(str(other.id))) == []
