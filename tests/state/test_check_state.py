"""`check_state` on workspaces that are whole, and on ones that somebody changed behind the product's back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from fabric_app.mesh import triggers
from fabric_app.models import Activity, Certificate, Event, KeyEntry, KeyVersion, LogHead, TransitionState, Workspace
from fabric_app.operations import mesh_writes
from fabric_app.operations.check import check_workspace
from fabric_app.operations.outcomes import finish_verification
from fabric_app.protocol.verification import CommandOutcome, Status, assess
from fabric_app.stored_heads import read_head
from fabric_app.verification_targets import verification_targets
from tests.factories import MAYA, NOON, move, parsed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def harbour(workspace: Workspace, folder: Path) -> Workspace:
    """A workspace with transitions, a ledger, a deleted key and a certificate."""
    (folder / "a.ts").write_text("if (a) b();\n")
    move(workspace, "plan", "planned", evidence=["true"], complexity={"files": ["a.ts"]})
    move(workspace, "apply", "applied", from_="planned", evidence=["true"])
    mesh_writes.put_key(workspace=workspace, key="notes/a", value=[1.0, 1, "\0"], actor=MAYA, now=NOON)
    mesh_writes.delete_key(workspace=workspace, key="notes/a", actor=MAYA, now=NOON)
    head = read_head(workspace.id).identity
    targets = verification_targets(workspace, parsed("verify"))
    confirmed = assess(targets, [CommandOutcome(Status.CONFIRMED, 0)], labels_given=False)
    finish_verification(workspace=workspace, verification=confirmed, head=head, actor=MAYA, now=NOON)
    return workspace


@contextmanager
def behind_the_triggers() -> Iterator[None]:
    triggers.remove(connection)
    try:
        yield
    finally:
        triggers.install(connection)


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


class TestCheckState:
    def test_a_whole_workspace_is_clean(self, harbour: Workspace) -> None:
        said = StringIO()

        call_command("check_state", stdout=said)

        assert said.getvalue() == "harbour: clean\n"

    @pytest.mark.parametrize(
        ("tamper", "table", "row"),
        [
            (lambda: Event.objects.filter(sequence=3).update(data={"to": "x"}), "fabric_app_event", "sequence 3"),
            (lambda: Event.objects.filter(sequence=3).update(actor={"id": "x"}), "fabric_app_event", "sequence 3"),
            (lambda: Event.objects.filter(sequence=2).delete(), "fabric_app_event", "sequence 3"),
            (lambda: KeyVersion.objects.filter(sequence=2).update(value=5), "fabric_app_keyversion", "sequence 2"),
            (lambda: LogHead.objects.update(event_sequence=9), "fabric_app_loghead", ""),
            (lambda: KeyEntry.objects.filter(key="notes/a").update(version=9), "fabric_app_keyentry", "'notes/a'"),
            (lambda: KeyEntry.objects.filter(key="notes/a").delete(), "fabric_app_keyentry", "'notes/a'"),
        ],
        ids=["data", "author", "gap", "key version", "end of the log", "key entry", "no key entry"],
    )  # fmt: skip
    def test_a_row_that_was_changed_is_named(
        self, harbour: Workspace, tamper: Callable[[], object], table: str, row: str
    ) -> None:
        with behind_the_triggers():
            tamper()

        with pytest.raises(CommandError, match=table) as told:
            call_command("check_state", stdout=StringIO())

        assert row in str(told.value)

    def test_text_that_is_no_json_any_more_is_named(self, harbour: Workspace) -> None:
        with behind_the_triggers():
            execute("UPDATE fabric_app_event SET data = '{' WHERE sequence = 5")

        found = check_workspace(harbour.id)[0]

        assert (found.table, found.row[:10]) == ("fabric_app_event", "sequence 5")

    def test_text_that_reads_the_same_is_named_too(self, harbour: Workspace) -> None:
        with behind_the_triggers():
            execute("UPDATE fabric_app_event SET data = data || ' ' WHERE sequence = 1")

        assert check_workspace(harbour.id)[0].row.startswith("sequence 1 ")

    def test_a_missing_trigger_is_named(self, harbour: Workspace) -> None:
        with behind_the_triggers(), pytest.raises(CommandError, match="trigger fabric_app_"):
            call_command("check_state", stdout=StringIO())

    def test_an_unknown_workspace_is_refused(self, harbour: Workspace) -> None:
        with pytest.raises(CommandError, match="nowhere"):
            call_command("check_state", workspace="nowhere", stdout=StringIO())


class TestRepairProjection:
    @pytest.mark.parametrize(
        "damage",
        [
            lambda: TransitionState.objects.filter(sequence=1).update(is_visible=False),
            lambda: TransitionState.objects.all().delete(),
            lambda: Certificate.objects.all().delete(),
            lambda: Certificate.objects.update(value={}),
            lambda: execute("UPDATE fabric_app_transitionstate SET record = '{'"),
        ],
        ids=["row differs", "rows missing", "certificate missing", "certificate differs", "no JSON"],
    )
    def test_damage_is_found_and_made_good(self, harbour: Workspace, damage: Callable[[], object]) -> None:
        damage()
        assert check_workspace(harbour.id) != []

        call_command("check_state", "--repair-projection", workspace="harbour", stdout=StringIO())

        assert check_workspace(harbour.id) == []
        assert Activity.objects.filter(workspace=harbour, kind="projection").count() == 1

    def test_a_surplus_row_is_found(self, harbour: Workspace) -> None:
        TransitionState.objects.create(workspace=harbour, transition_id="ghost")

        assert [str(row) for row in check_workspace(harbour.id)] == [
            "fabric_app_transitionstate ghost: surplus: it is not what the log says"
        ]
