"""`check_state` on negotiations that are whole, and on ones that somebody changed behind the product's back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from fabric_app.mesh import triggers
from negotiation_app.models import (
    ConcessionRow,
    CurrentRow,
    EventRow,
    Negotiation,
    NegotiationEntry,
    ReviewRow,
)
from negotiation_app.operations.check import check_negotiation, repair_negotiation
from tests.negotiation.deals import Deal, learned, with_something_of_everything
from tests.negotiation.stored import stored_rows

pytestmark = pytest.mark.django_db(transaction=True)

ENTRY, CURRENT, OWN = (model._meta.db_table for model in (NegotiationEntry, CurrentRow, Negotiation))
Damage = Callable[[], object]


@pytest.fixture
def deal() -> Deal:
    return with_something_of_everything()


@contextmanager
def behind_the_triggers() -> Iterator[None]:
    triggers.remove(connection)
    try:
        yield
    finally:
        triggers.install(connection)


def raw(statement: str) -> Damage:
    def damage() -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)

    return damage


def entry(sequence: int) -> NegotiationEntry:
    return NegotiationEntry.objects.get(sequence=sequence)


def at_another_time() -> None:
    data = entry(3).data
    data["recordedAt"] = "2026-01-01T00:00:00Z"
    NegotiationEntry.objects.filter(sequence=3).update(data=data)


def without_the_last() -> None:
    NegotiationEntry.objects.order_by("-sequence")[0].delete()


def by_another() -> None:
    NegotiationEntry.objects.filter(sequence=3).update(actor={"id": "x"})


def made_twice() -> None:
    row = ConcessionRow.objects.get()
    row.pk, row.key = None, "concessions/of-nobody"
    row.save(force_insert=True)


IN_THE_LOG: dict[str, tuple[Damage, str, str]] = {
    "what was written": (at_another_time, ENTRY, "sequence 3"),
    "who wrote it": (
        lambda: NegotiationEntry.objects.filter(sequence=3).update(actor={"id": "x"}),
        ENTRY,
        "sequence 3",
    ),
    "when": (lambda: NegotiationEntry.objects.filter(sequence=3).update(created_at_ms=1), ENTRY, "sequence 3"),
    "the operation": (lambda: NegotiationEntry.objects.filter(sequence=3).update(operation="x"), ENTRY, "sequence 3"),
    "an entry is gone": (lambda: NegotiationEntry.objects.filter(sequence=3).delete(), ENTRY, "sequence 4"),
    "the last is gone": (without_the_last, OWN, "renewal"),
    "no JSON": (raw(f"UPDATE {ENTRY} SET data = '{{' WHERE sequence = 3"), ENTRY, "sequence 3"),
    "the end": (lambda: Negotiation.objects.update(log_sequence=2), OWN, "renewal"),
    "the last digest": (lambda: Negotiation.objects.update(log_digest="sha256:" + "1" * 64), OWN, "renewal"),
}
IN_PROTECTED_ROWS: dict[str, tuple[Damage, str, str]] = {
    "a concession is another": (
        lambda: ConcessionRow.objects.update(row={"ref": "first"}),
        ConcessionRow._meta.db_table,
        "concessions/first",
    ),
    "a review is gone": (lambda: ReviewRow.objects.all().delete(), ReviewRow._meta.db_table, "reviews/r1"),
    "an event of another entry": (
        lambda: EventRow.objects.filter(sequence=2).update(sequence=99),
        EventRow._meta.db_table,
        "history/2",
    ),
    "a concession of nobody": (made_twice, ConcessionRow._meta.db_table, "concessions/of-nobody"),
    "no JSON": (
        raw(f"UPDATE {ReviewRow._meta.db_table} SET \"row\" = '{{'"),
        ReviewRow._meta.db_table,
        "reviews/r1",
    ),
}
IN_THE_PROJECTION: dict[str, tuple[Damage, str, str]] = {
    "a current row is another": (
        lambda: CurrentRow.objects.filter(table="boundaries", key="fee/FLOOR").update(row={}),
        CURRENT,
        "fee/FLOOR",
    ),
    "a current row is gone": (lambda: CurrentRow.objects.filter(table="batnas").delete(), CURRENT, "batna"),
    "a current row of an older entry": (
        lambda: CurrentRow.objects.filter(table="batnas").update(sequence=1),
        CURRENT,
        "batna",
    ),
    "a current row of nobody": (
        lambda: CurrentRow.objects.filter(table="batnas").update(key="another"),
        CURRENT,
        "batna",
    ),
    "no JSON": (raw(f"UPDATE {CURRENT} SET \"row\" = '{{' WHERE key = 'fee/FLOOR'"), CURRENT, "fee/FLOOR"),
    "the version": (lambda: Negotiation.objects.update(state_version=1), OWN, "state_version"),
    "the status": (lambda: Negotiation.objects.update(status="CLOSED"), OWN, "status"),
    "the title": (lambda: Negotiation.objects.update(title="Another"), OWN, "title"),
    "the mode": (lambda: Negotiation.objects.update(mode="LIGHT"), OWN, "mode"),
}
EVERYWHERE = IN_THE_LOG | {f"row: {name}": each for name, each in IN_PROTECTED_ROWS.items()} | IN_THE_PROJECTION


class TestChecking:
    def test_finds_nothing_in_what_is_whole(self, deal: Deal) -> None:
        said = StringIO()

        call_command("check_state", stdout=said)

        assert f"{deal.ref}: clean" in said.getvalue()

    @pytest.mark.parametrize(("damage", "table", "row"), EVERYWHERE.values(), ids=EVERYWHERE)
    def test_names_the_row_that_was_changed(self, deal: Deal, damage: Damage, table: str, row: str) -> None:
        with behind_the_triggers():
            damage()

        found = check_negotiation(deal.ref)

        assert any(each.table == table and row in each.row for each in found), found
        with pytest.raises(CommandError):
            call_command("check_state", stdout=StringIO())


class TestRepairing:
    @pytest.mark.parametrize("damage", [each[0] for each in IN_THE_PROJECTION.values()], ids=IN_THE_PROJECTION)
    def test_mends_what_is_projected_and_touches_nothing_else(self, deal: Deal, damage: Damage) -> None:
        before = stored_rows(deal.ref)
        damage()

        repair_negotiation(deal.ref)

        after = stored_rows(deal.ref)
        assert check_negotiation(deal.ref) == []
        assert _without_counters(after) == _without_counters(before)
        assert deal.learn(learned("after", "130"))["material"] is True

    @pytest.mark.parametrize("damage", [at_another_time, IN_PROTECTED_ROWS["a review is gone"][0]])
    def test_cannot_hide_what_was_done_to_the_log(self, deal: Deal, damage: Damage) -> None:
        with behind_the_triggers():
            damage()

        repair_negotiation(deal.ref)

        assert check_negotiation(deal.ref) != []


def _without_counters(stored: dict[str, list[dict[str, object]]]) -> dict[str, list[dict[str, object]]]:
    """Leave out the key that a row has anew, and the counter of the negotiation's row that only grows."""
    told = {table: [{**row, "id": None, "version": None} for row in rows] for table, rows in stored.items()}
    told["CurrentRow"].sort(key=lambda row: (str(row["table"]), str(row["key"])))
    return told
