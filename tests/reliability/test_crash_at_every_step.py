"""A process or a connection that ends at any statement of a transition, or around its commit.

Whatever the place: the transition is wholly there, wholly absent, or a proposal with its rejection; the check is
clean; and the next transition works without anybody's help.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import psycopg
import pytest
from django.db import Error, OperationalError, connection

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.idempotency import Idempotency
from fabric_app.models import IdempotencyRecord
from fabric_app.operations.storage import OutcomeUnknown
from fabric_app.protocol.errors import TransitionRejected
from fabric_app.queries import current_state
from tests.factories import make_workspace, move
from tests.reliability.consistency import assert_chained, assert_clean, committed, markers_by_proposal, proposals
from tests.reliability.interruptions import COMMIT, Interruption, Moment, interrupted
from tests.reliability.processes import program

pytestmark = pytest.mark.slow

KILLED, ENDED = -9, 0
CASES = [
    pytest.param({"is_first": is_first, "has_key": has_key, "has_files": has_files}, id=name)
    for name, is_first, has_key, has_files in (
        ("the first", True, False, False),
        ("plain", False, False, False),
        ("with an idempotency key", False, True, False),
        ("with a key and complexity", False, True, True),
    )
]
MOMENTS: tuple[Moment, ...] = ("before", "after")


class Case:
    """One way to call `transition`, made anew for each step at which it is interrupted."""

    def __init__(self, operator: Any, folder: Path, *, is_first: bool, has_key: bool, has_files: bool) -> None:
        self.folder = folder
        self.is_first, self.has_key, self.has_files = is_first, has_key, has_files
        self.user_id: int = operator.pk

    def arguments(self, label: str) -> dict[str, Any]:
        """Make a workspace, and return the arguments of a transition from where its head stands."""
        self.workspace = make_workspace(self.folder, slug=f"harbour-{label}")
        given: dict[str, Any] = {"label": label, "to": f"after-{label}"}
        if self.has_files:
            (self.folder / "gate.ts").write_text("if (a) b();\n")
            given["complexity"] = {"files": ["gate.ts"]}
        if not self.is_first:
            move(self.workspace, "begin", "begun")
            given["from_"] = "begun"
        return given

    def key(self, label: str) -> tuple[int, str, str] | None:
        return (self.user_id, label, f"sha256:{label}") if self.has_key else None

    def send(self, label: str, arguments: dict[str, Any]) -> dict[str, Any]:
        key = self.key(label)
        return move(self.workspace, idempotency=Idempotency(*key) if key else None, **arguments)

    def fate(self, label: str) -> list[str] | None:
        """Return the markers of the transition, None where nothing of it is stored."""
        proposal = proposals(self.workspace).get(label)
        return markers_by_proposal(self.workspace)[str(proposal.id)] if proposal else None

    def assert_sound(self) -> None:
        """Fail where anything is left half-done, or the next transition does not work."""
        assert_clean(self.workspace)
        head = current_state(self.workspace)["head"]
        follow = move(self.workspace, "follow", "followed", **({"from_": head["to"]} if head else {}))
        assert current_state(self.workspace)["head"] == follow["head"]
        assert_clean(self.workspace)
        assert_chained(committed(self.workspace))


@pytest.fixture
def case(request: pytest.FixtureRequest, operator: Any, folder: Path) -> Case:
    return Case(operator, folder, **request.param)


@pytest.fixture
def crasher(operator: Any, folder: Path) -> Iterator[Popen[str]]:
    with program("tests.reliability.crash_program", stdin=PIPE, stdout=PIPE) as process:
        yield process


def crash(crasher: Popen[str], case: Case, label: str, arguments: dict[str, Any], at: tuple[int, Moment]) -> int:
    """Record a transition in a process that kills itself at a step; return its exit code."""
    number, moment = at
    order = {"workspace": case.workspace.slug, "arguments": arguments, "key": case.key(label)}
    assert crasher.stdin is not None
    assert crasher.stdout is not None
    crasher.stdin.write(json.dumps({**order, "number": number, "moment": moment}) + "\n")
    crasher.stdin.flush()
    return int(crasher.stdout.readline())


class TestKilledProcess:
    @pytest.mark.parametrize("case", CASES, indirect=True)
    def test_at_any_step_the_transition_is_wholly_there_or_absent(self, crasher: Popen[str], case: Case) -> None:
        stored, step = [], 0
        for step in count(1):
            # After the last step there is no other before which to kill.
            for moment in MOMENTS:
                label = f"step-{step}-{moment}"
                arguments = case.arguments(label)
                code = crash(crasher, case, label, arguments, (step, moment))
                stored.append((code, case.fate(label)))
                assert code in {KILLED, ENDED}
                assert case.fate(label) in (None, ["transition.committed"])
                _retry(case, label, arguments)
                case.assert_sound()
            if code == ENDED:
                break

        assert (KILLED, None) in stored
        assert (KILLED, ["transition.committed"]) in stored
        assert stored[-1] == (ENDED, ["transition.committed"])
        assert step > 8


def _retry(case: Case, label: str, arguments: dict[str, Any]) -> None:
    """Send the request again as its client does; with a key it has one effect, however far the first one came."""
    first = case.fate(label)
    assert IdempotencyRecord.objects.filter(key=label).exists() == (case.has_key and first is not None)
    if not case.has_key:
        return
    answer = case.send(label, arguments)
    assert case.fate(label) == ["transition.committed"]
    if first:
        assert answer["event"]["id"] == str(proposals(case.workspace)[label].id)


def lose_connection(_: str) -> None:
    """End the connection that the operation uses. An SQLite file has no other end: a failing disk stands for it."""
    raw: Any = connection.connection
    if connection.vendor == "postgresql":
        _terminate(raw.info.backend_pid)
    else:
        raw.rollback()
        raise OperationalError("disk I/O error")


def lose_answer(_: str) -> None:
    """Lose the connection when the commit is stored and nobody was told."""
    if connection.vendor == "postgresql":
        lose_connection(COMMIT)
    raise OperationalError("the connection was lost while the answer was awaited")


def _terminate(backend: int) -> None:
    found = connection.settings_dict
    with psycopg.connect(
        host=found["HOST"], port=found["PORT"] or 5432, user=found["USER"], password=found["PASSWORD"],
        dbname=found["NAME"], autocommit=True,
    ) as other:  # fmt: skip
        # Waits until the backend is gone, within a limit in milliseconds.
        assert other.execute("SELECT pg_terminate_backend(%s, 10000)", [backend]).fetchone() == (True,)


class TestLostConnection:
    @pytest.mark.parametrize("case", CASES, indirect=True)
    def test_at_any_step_the_caller_hears_how_it_ended(self, case: Case) -> None:
        answers = []
        for step in count(1):
            label = f"step-{step}"
            interruption = Interruption(step, "before", act=lose_connection)
            arguments = case.arguments(label)
            with interrupted(interruption):
                answer = self._answer_of(case, label, arguments)
            connection.close()
            answers.append(answer)
            self._assert_true(case, label, answer)
            case.assert_sound()
            if not interruption.is_done:
                break

        assert isinstance(answers[0], Error)
        assert any(isinstance(answer, TransitionRejected) for answer in answers)
        assert isinstance(answers[-1], dict)

    def _answer_of(self, case: Case, label: str, arguments: dict[str, Any]) -> dict[str, Any] | Exception:
        try:
            return case.send(label, arguments)
        except (StatehouseError, Error) as refused:
            return refused

    def _assert_true(self, case: Case, label: str, answer: dict[str, Any] | Exception) -> None:
        """Fail where the answer does not say what is stored."""
        match answer:
            case dict():
                assert case.fate(label) == ["transition.committed"]
                assert current_state(case.workspace)["head"]["transitionId"] == answer["event"]["id"]
            case TransitionRejected():
                assert answer.details["cause"]["code"] == "STORAGE_FAILED"
                assert case.fate(label) == ["transition.rejected"]
            case _:
                # Lost while it was only read: no word of storing, and nothing stored.
                assert case.fate(label) is None


class TestLostAnswerOfTheCommit:
    @pytest.mark.parametrize("case", CASES, indirect=True)
    def test_the_caller_gets_the_answer_and_no_rejection_is_written(self, case: Case) -> None:
        arguments = case.arguments("plan")
        with interrupted(_AtCommit("after", act=lose_answer)) as interruption:
            answer = case.send("plan", arguments)

        assert interruption.is_done
        assert case.fate("plan") == ["transition.committed"]
        assert current_state(case.workspace)["head"] == answer["head"]
        case.assert_sound()

    @pytest.mark.parametrize("case", CASES, indirect=True)
    def test_where_the_database_stays_away_nothing_is_claimed(self, case: Case) -> None:
        arguments = case.arguments("plan")
        with interrupted(_AwayFromCommit("after", act=lose_answer)), pytest.raises(OutcomeUnknown):
            case.send("plan", arguments)

        assert case.fate("plan") == ["transition.committed"]
        case.assert_sound()

    @pytest.mark.parametrize("case", CASES, indirect=True)
    def test_a_commit_that_never_arrived_is_not_claimed_either(self, case: Case) -> None:
        arguments = case.arguments("plan")
        with interrupted(_AwayFromCommit("before", act=lose_answer)), pytest.raises(OutcomeUnknown):
            case.send("plan", arguments)

        assert case.fate("plan") is None
        case.assert_sound()


class _AtCommit(Interruption):
    """Interrupts the first commit, whichever step that is."""

    def __init__(self, moment: Moment, act: Any) -> None:
        super().__init__(number=0, moment=moment, act=act)

    def step(self, name: str, take: Any) -> Any:
        if name == COMMIT and not self.is_done:
            self.number = len(self.seen) + 1
        return super().step(name, take)


class _AwayFromCommit(_AtCommit):
    """From the first commit on, no statement reaches the database any more."""

    def step(self, name: str, take: Any) -> Any:
        if self.is_done:
            raise OperationalError("the database is away")
        return super().step(name, take)
