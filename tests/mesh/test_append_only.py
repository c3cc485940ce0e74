"""The database itself refuses to change or delete rows of a log, whatever asks it to."""

from __future__ import annotations

import uuid

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.utils import IntegrityError

from fabric_app.mesh import triggers
from fabric_app.mesh.models import Event, KeyVersion
from fabric_app.models import Workspace
from tests.factories import move

# Committed rows: PostgreSQL truncates no table on which constraints are still to be checked.
pytestmark = pytest.mark.django_db(transaction=True)

LOG_TABLES = ["fabric_app_event", "fabric_app_keyversion", "fabric_app_activity"]
STATEMENTS = {
    "UPDATE": "UPDATE {table} SET created_at_ms = 0",
    "DELETE": "DELETE FROM {table}",
    "TRUNCATE": "TRUNCATE {table} CASCADE",
}


def refused(statement: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


class TestRawSql:
    @pytest.mark.parametrize("table", LOG_TABLES)
    @pytest.mark.parametrize("operation", ["UPDATE", "DELETE", pytest.param("TRUNCATE", marks=pytest.mark.postgresql)])
    def test_it_is_refused(self, workspace: Workspace, table: str, operation: str) -> None:
        move(workspace, "plan", "planned")

        refused(STATEMENTS[operation].format(table=table))

        assert Event.objects.count() == KeyVersion.objects.count() == 2

    @pytest.mark.sqlite
    def test_replacing_a_row_is_refused(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")

        refused("INSERT OR REPLACE INTO fabric_app_event SELECT * FROM fabric_app_event")

    def test_a_sequence_number_is_given_once(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")
        event = Event.objects.get(sequence=1)
        event.pk = uuid.uuid4()

        with pytest.raises(IntegrityError), transaction.atomic():
            event.save(force_insert=True)


class TestTriggers:
    def test_every_append_only_table_has_them(self, workspace: Workspace) -> None:
        assert set(LOG_TABLES) < set(triggers.protected_tables())
        assert triggers.missing_triggers(connection) == []
