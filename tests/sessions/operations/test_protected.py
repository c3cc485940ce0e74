"""What the database itself refuses: changing or deleting a log that no tombstone stands for, and rows that lie."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, IntegrityError, connection, transaction

from fabric_app.mesh import triggers
from fabric_app.mesh.models import AppendOnly
from sessions_app.models import (
    Attachment,
    Entity,
    Message,
    Namespace,
    Session,
    SessionEvent,
    Snapshot,
    Tombstone,
    Turn,
    Variant,
    WorldBook,
    WorldBookVersion,
)
from sessions_app.operations import books, entity_rows, erasing, rows_from_log
from sessions_app.operations.check import check_session, repair_session
from sessions_app.protocol import reckoning
from tests.sessions.places import Place, change, effect

# Committed rows: PostgreSQL truncates no table on which constraints are still to be checked.
pytestmark = pytest.mark.django_db(transaction=True)

PROTECTED = [model for model in apps.get_app_config("sessions_app").get_models() if issubclass(model, AppendOnly)]
STATEMENTS = {
    "UPDATE": "UPDATE {table} SET id = id",
    "DELETE": "DELETE FROM {table}",
    "TRUNCATE": "TRUNCATE {table} CASCADE",
    "REPLACE": "INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
}
WORDS = [
    "UPDATE",
    "DELETE",
    pytest.param("TRUNCATE", marks=pytest.mark.postgresql),
    pytest.param("REPLACE", marks=pytest.mark.sqlite),
]


def run(statement: str, *parameters: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)


@pytest.fixture(autouse=True)
def _snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make snapshots often enough for a short session to have one."""
    for module in (reckoning, entity_rows, rows_from_log):
        monkeypatch.setattr(module, "SNAPSHOT_EVERY", 2)


def lived() -> Place:
    """Return a session with a row in every table."""
    place = Place()
    place.say("天黑了。")
    for revision in (1, 2):
        place.commit(effect(revision, change("increment", "/hp", "hp", by=0)))
    place.commit()
    books.create_book(title="雨", entries=[], user=place.user, **place.who)
    books.attach_book(session_id=place.id, book=WorldBook.objects.latest("created_at"), **place.who)
    return place


class TestRawSql:
    @pytest.mark.parametrize("word", WORDS)
    def test_is_refused_for_every_protected_table(self, word: str) -> None:
        place, gone = lived(), Place()
        erasing.erase_session(session_id=gone.id, reason="She asked for it.", **place.who)
        before = {model: list(model._default_manager.order_by("pk").values()) for model in PROTECTED}
        assert all(before.values())

        for model in PROTECTED:
            with pytest.raises(DatabaseError, match="append-only"):
                run(STATEMENTS[word].format(table=model._meta.db_table))

        assert {model: list(model._default_manager.order_by("pk").values()) for model in PROTECTED} == before
        assert check_session(place.id) == []

    def test_protects_log_tombstones_and_versions_of_books(self) -> None:
        assert set(PROTECTED) == {SessionEvent, Tombstone, WorldBookVersion}
        assert {model._meta.db_table for model in PROTECTED} <= set(triggers.protected_tables())
        assert triggers.missing_triggers(connection) == []

    def test_takes_no_session_away_from_its_log(self) -> None:
        place = Place()
        Namespace.objects.all().delete()
        Entity.objects.all().delete()

        with pytest.raises(IntegrityError):
            run(f"DELETE FROM {Session._meta.db_table}")

        assert Session.objects.filter(pk=place.id).exists()


class TestATombstone:
    def bury(self, place: Place) -> None:
        Tombstone.objects.create(
            session_id=place.id, reason="She asked for it.", actor={}, event_count=2, log_digest="", erased_at_ms=0
        )

    def test_lets_the_log_of_its_session_go_and_no_other(self) -> None:
        place, other = Place(), Place()
        self.bury(place)

        with pytest.raises(DatabaseError, match="append-only"):
            run(f"DELETE FROM {SessionEvent._meta.db_table}")
        SessionEvent.objects.filter(session_id=place.id).delete()

        assert not SessionEvent.objects.filter(session_id=place.id).exists()
        assert check_session(other.id) == []

    def test_lets_nobody_change_the_log(self) -> None:
        place = Place()
        self.bury(place)

        with pytest.raises(DatabaseError, match="append-only"):
            SessionEvent.objects.filter(session_id=place.id).update(kind="session.renamed")

    def test_stands_once(self) -> None:
        place = Place()
        self.bury(place)

        with pytest.raises(IntegrityError):
            self.bury(place)


ONE_OF_EACH = [SessionEvent, Message, Variant, Turn, Entity, Snapshot, Namespace, WorldBookVersion, Attachment]


class TestConstraints:
    @pytest.mark.parametrize("model", ONE_OF_EACH, ids=lambda model: model.__name__)
    def test_a_number_is_given_once(self, model: Any) -> None:
        lived()
        row = model.objects.order_by("pk").last()
        row.pk = None

        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)

    @pytest.mark.parametrize(
        ("model", "values"),
        [
            (Turn, {"status": "committed", "committed_sequence": None}),
            (Turn, {"status": "cancelled", "committed_sequence": 4}),
            (Turn, {"status": "active", "committed_sequence": 4}),
            (Entity, {"status": "quarantined", "reason": None}),
            (Entity, {"status": "effective", "reason": {"code": "X"}}),
            (Namespace, {"revision": 0}),
            (Namespace, {"revision": -1}),
            (Message, {"version": -1}),
        ],
    )
    def test_a_row_that_lies_is_refused(self, model: Any, values: dict[str, Any]) -> None:
        lived()

        with pytest.raises(IntegrityError), transaction.atomic():
            model.objects.update(**values)

    def test_a_log_begins_at_one(self) -> None:
        event = SessionEvent.objects.get(session_id=Place().id, sequence=1)
        event.pk, event.sequence = None, 0

        with pytest.raises(IntegrityError), transaction.atomic():
            event.save(force_insert=True)


class TestRowsThatSomebodyChanged:
    """The check says where, and a repair writes them as the log has them."""

    @pytest.mark.parametrize(
        ("model", "values"),
        [
            (Session, {"title": "Another"}),
            (Session, {"revision": 77}),
            (Session, {"epoch": 77}),
            (Message, {"is_deleted": True}),
            (Message, {"version": 9}),
            (Variant, {"text": "She said something else."}),
            (Turn, {"fingerprints": []}),
            (Entity, {"body": []}),
            (Entity, {"status": "retracted"}),
            (Namespace, {"value": {"hp": 99}}),
            (Namespace, {"revision": 99}),
            (Snapshot, {"projection": {}}),
            (Attachment, {"book_id": "00000000-0000-4000-8000-000000000000"}),
        ],
    )
    def test_are_found_and_mended(self, model: Any, values: dict[str, Any]) -> None:
        place = lived()
        version = place.session.version
        model.objects.update(**values)
        found = check_session(place.id)

        repair_session(place.id)

        assert [each.table for each in found][:1] in ([model._meta.db_table], [Session._meta.db_table])
        assert check_session(place.id) == []
        assert place.session.version > version

    @pytest.mark.parametrize("model", [Message, Variant, Turn, Entity, Namespace, Attachment])
    def test_are_found_and_mended_where_they_are_gone(self, model: Any) -> None:
        place = lived()
        model.objects.all().delete()
        assert check_session(place.id)

        repair_session(place.id)

        assert check_session(place.id) == []

    def test_of_a_log_are_found_by_the_chain(self) -> None:
        place = lived()
        triggers.remove(connection)
        try:
            SessionEvent.objects.filter(session_id=place.id, sequence=3).update(kind="message.invented")
        finally:
            triggers.install(connection)

        [bad] = check_session(place.id)

        assert (bad.table, bad.row) == (SessionEvent._meta.db_table, "sequence 3")
