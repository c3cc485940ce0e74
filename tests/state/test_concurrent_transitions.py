"""Many writers on one workspace: one chain, every acknowledgement kept, and no word of a lock to anybody."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import Error, connection

from fabric_app.mesh import keys
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.idempotency import Idempotency
from fabric_app.mesh.models import Event, KeyEntry
from fabric_app.models import Workspace
from fabric_app.operations import transition_writes
from fabric_app.operations.check import check_workspace
from fabric_app.protocol.errors import FromMismatch, TransitionRejected
from fabric_app.queries import current_state, history
from tests.factories import move, parsed

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 8


def at_once(act: Callable[[int], Any], count: int = WRITERS) -> list[Any]:
    """Let `count` threads act at the same moment; return what each got, or the error of the product it met."""
    start = threading.Barrier(count)

    def acting(number: int) -> Any:
        try:
            start.wait()
            return act(number)
        except StatehouseError as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(acting, range(count)))


def labels_in_history(workspace: Workspace) -> list[str]:
    return [record["label"] for record in history(workspace, parsed("history"))["transitions"]]


class TestWritersFromOneHead:
    def test_exactly_one_commits_and_the_others_hear_where_the_head_is(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")

        answers = at_once(lambda number: move(workspace, f"w-{number}", f"at-{number}", from_="planned"))

        won = [answer for answer in answers if isinstance(answer, dict)]
        assert len(won) == 1
        head = won[0]["head"]["to"]
        for lost in answers:
            if isinstance(lost, TransitionRejected):
                assert lost.details["cause"]["code"] == "CONTENTION_CHAIN_BROKEN"
                assert lost.details["cause"]["actual"] == head
            elif isinstance(lost, StatehouseError):
                assert isinstance(lost, FromMismatch)
                assert lost.details["actual"] == head
        assert labels_in_history(workspace) == ["plan", won[0]["head"]["label"]]
        assert check_workspace(workspace.id) == []


class TestWritersWithoutFrom:
    def test_every_acknowledged_one_is_in_history_once_and_no_other(self, workspace: Workspace) -> None:
        answers = at_once(lambda number: [_tried(workspace, f"w-{number}-{turn}") for turn in range(5)])

        acknowledged = sorted(label for each in answers for label in each if label)
        assert acknowledged
        assert sorted(labels_in_history(workspace)) == acknowledged
        assert check_workspace(workspace.id) == []


class TestLedgersOfManyFiles:
    def test_every_ledger_is_there_or_its_transition_says_that_it_was_rejected(
        self, workspace: Workspace, folder: Path
    ) -> None:
        for number in range(WRITERS):
            (folder / f"f{number}.ts").write_text("if (a) b();\n")

        def record(number: int) -> Any:
            return move(workspace, f"w-{number}", "counted", complexity={"files": [f"f{number}.ts"]})

        answers = at_once(record)

        recorded = {f"state/complexity/f{n}.ts" for n, answer in enumerate(answers) if isinstance(answer, dict)}
        ledgers = KeyEntry.objects.filter(workspace=workspace, key__startswith="state/complexity/")
        assert set(ledgers.values_list("key", flat=True)) == recorded
        assert all(isinstance(each, dict | TransitionRejected) for each in answers)


class TestOneKeyTwiceAtOnce:
    def test_both_get_the_same_answer_and_one_transition_is_there(self, workspace: Workspace, operator: Any) -> None:
        key = Idempotency(user_id=operator.pk, key="k-1", request_digest="sha256:a")

        answers = at_once(lambda _: move(workspace, "plan", "planned", idempotency=key), count=4)

        assert all(answer == answers[0] for answer in answers)
        assert isinstance(answers[0], dict)
        assert labels_in_history(workspace) == ["plan"]


class TestStorageFailure:
    def test_a_lost_ledger_rejects_the_transition_and_restores_nothing_by_hand(
        self, workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder / "a.ts").write_text("if (a) b();\n")
        commit = transition_writes.commit

        def overtaken(proposal: Any, **options: Any) -> Any:
            monkeypatch.setattr(transition_writes, "commit", commit)
            move(workspace, "other", "counted", complexity={"files": ["a.ts"]})
            return commit(proposal, **options)

        monkeypatch.setattr(transition_writes, "commit", overtaken)

        with pytest.raises(TransitionRejected) as rejected:
            move(workspace, "mine", "counted", complexity={"files": ["a.ts"]})

        assert rejected.value.details["cause"]["code"] == "CAS_FAILED"
        assert labels_in_history(workspace) == ["other"]
        kinds = Event.objects.filter(workspace=workspace).order_by("sequence").values_list("kind", flat=True)
        assert list(kinds)[2:] == ["transition", "transition.rejected"]
        assert check_workspace(workspace.id) == []

    def test_an_error_of_the_database_is_told_in_our_words(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put = keys.put

        def failing(log: Any, key: str, *args: Any, **options: Any) -> int:
            raise Error("database is locked")

        monkeypatch.setattr(keys, "put", failing)
        with pytest.raises(TransitionRejected) as rejected:
            move(workspace, "plan", "planned")
        monkeypatch.setattr(keys, "put", put)

        assert rejected.value.details["cause"]["code"] == "STORAGE_BUSY"
        assert "locked" not in str(rejected.value)
        assert current_state(workspace)["head"] is None

    def test_a_commit_whose_news_was_lost_is_answered_as_committed(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        commit = transition_writes.commit

        def unheard(proposal: Any, **options: Any) -> Any:
            commit(proposal, **options)
            raise Error("server closed the connection unexpectedly")

        monkeypatch.setattr(transition_writes, "commit", unheard)

        answer = move(workspace, "plan", "planned")

        assert answer["head"] == current_state(workspace)["head"]
        assert labels_in_history(workspace) == ["plan"]
        assert Event.objects.filter(workspace=workspace).count() == 2


class TestHeadVersion:
    def test_a_writer_that_decided_on_an_older_head_hears_the_current_version(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")

        with pytest.raises(StatehouseError) as refused:
            move(workspace, "apply", "applied", expected_version=0)

        assert refused.value.details == {"expected": 0, "current": 2}
        assert move(workspace, "apply", "applied", expected_version=2)["head"]["version"] == 4


def _tried(workspace: Workspace, label: str) -> str | None:
    """Return the label where it was acknowledged; None where the writer lost the head eight times."""
    try:
        move(workspace, label, "on")
    except TransitionRejected as rejected:
        if rejected.details["cause"]["code"] != "CONTENTION_RETRIES_EXHAUSTED":
            raise
        return None
    return label
