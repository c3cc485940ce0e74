"""The database itself refuses to change or delete what a negotiation has recorded. Source: section 12."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

from fabric_app.mesh import triggers
from fabric_app.mesh.models import AppendOnly
from negotiation_app.models import CurrentRow, Negotiation
from negotiation_app.operations.check import check_negotiation
from negotiation_app.operations.storing import TABLES
from tests.negotiation.deals import Deal, every_operation, with_something_of_everything

# Committed rows: PostgreSQL truncates no table on which constraints are still to be checked.
pytestmark = pytest.mark.django_db(transaction=True)

PROTECTED = [model for model in apps.get_app_config("negotiation_app").get_models() if issubclass(model, AppendOnly)]
STATEMENTS = {
    "UPDATE": "UPDATE {table} SET negotiation_id = negotiation_id",
    "DELETE": "DELETE FROM {table}",
    "TRUNCATE": "TRUNCATE {table} CASCADE",
    "REPLACE": "INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
}


@pytest.fixture
def deal() -> Deal:
    """Return a negotiation with a row in every table."""
    told = {operation: body for operation, _, body in every_operation()}
    deal = with_something_of_everything()
    deal.say("override_review", told["override_review"])
    return deal


def refused(statement: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as error:
        return "append-only" in str(error)
    return False


class TestRawSql:
    @pytest.mark.parametrize(
        "word",
        [
            "UPDATE",
            "DELETE",
            pytest.param("TRUNCATE", marks=pytest.mark.postgresql),
            pytest.param("REPLACE", marks=pytest.mark.sqlite),
        ],
    )
    def test_is_refused_for_every_protected_table(self, deal: Deal, word: str) -> None:
        before = {model: list(model._default_manager.order_by("pk").values()) for model in PROTECTED}
        assert [model.__name__ for model, rows in before.items() if not rows] == []

        answers = {model: refused(STATEMENTS[word].format(table=model._meta.db_table)) for model in PROTECTED}

        assert answers == dict.fromkeys(PROTECTED, True)
        assert {model: list(model._default_manager.order_by("pk").values()) for model in PROTECTED} == before
        assert check_negotiation(deal.ref) == []

    def test_cannot_take_a_negotiation_away_from_its_history(self, deal: Deal) -> None:
        CurrentRow.objects.all().delete()

        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {Negotiation._meta.db_table}")

    def test_cannot_add_to_an_entry_what_it_has_already(self, deal: Deal) -> None:
        for model in set(TABLES.values()):
            row = model._default_manager.order_by("pk")[0]
            row.pk = None

            with pytest.raises(DatabaseError), transaction.atomic():
                row.save(force_insert=True)


class TestProtectedTables:
    def test_are_all_that_the_log_and_its_rows_are_kept_in(self) -> None:
        names = {model.__name__ for model in PROTECTED}

        assert {model.__name__ for model in TABLES.values()} < names
        assert {"NegotiationEntry", "Artefact", "RoleGrant"} < names

    def test_have_their_triggers(self) -> None:
        assert {model._meta.db_table for model in PROTECTED} <= set(triggers.protected_tables())
        assert triggers.missing_triggers(connection) == []
