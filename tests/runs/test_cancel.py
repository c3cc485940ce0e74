"""Cancelling: at once while queued, within a second while running, and never as a success."""

from __future__ import annotations

import threading
import time
import uuid

import pytest
from django.db import connection

from fabric_app.evidence.outcome import exited_outcome
from fabric_app.evidence.output import BoundedOutput
from fabric_app.mesh.errors import NotFound
from fabric_app.models import Run, RunStatus
from fabric_app.operations.run_end import Ending, end_run
from fabric_app.operations.runs import RunIsOver, cancel_run, execute_run
from fabric_app.queries_runs import entries_after, run_json, wait_until_over
from tests.factories import MAYA, NOON, move
from tests.runs.conftest import claim, request, verified
from tests.runs.test_verify import is_certified, kinds
from tests.workers import eventually, processes_with

pytestmark = pytest.mark.timeout(60)


def cancel(run: Run) -> Run:
    return cancel_run(run_id=run.pk, reason="wrong branch", actor=MAYA, now=NOON)


class TestCancelWhileQueued:
    def test_it_ends_at_once_as_a_failed_verification(self, workspace):
        move(workspace, "rotation", "locked", evidence=["touch ran"])
        verified(workspace)
        assert is_certified(workspace)
        run = request(workspace)

        cancelled = cancel(run)

        assert (cancelled.status, cancelled.error["code"]) == (RunStatus.CANCELLED, "RUN_CANCELLED")
        assert [result["error"] for result in cancelled.report["results"]] == ["aborted before execution"]
        assert not is_certified(workspace)
        assert kinds(workspace)[-1] == "state.violated"
        assert claim(run) is None

    def test_a_second_cancel_changes_nothing(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        first = cancel(run)
        before = kinds(workspace)

        second = cancel(run)

        assert run_json(second) == run_json(first)
        assert kinds(workspace) == before

    def test_who_asked_and_why_is_shown(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])

        shown = run_json(cancel(request(workspace)))

        assert shown["cancel"]["reason"] == "wrong branch"
        assert shown["cancel"]["by"] == MAYA.as_json()
        assert shown["cancel"]["requestedAt"] == "2026-03-01T12:00:00.000Z"

    def test_a_run_between_its_request_to_cancel_and_its_end_cannot_be_claimed(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        Run.objects.filter(pk=run.pk).update(cancel_requested_at=NOON, cancel_requested_by=MAYA.as_json())

        assert claim(run) is None


class TestCancelWhileRunning:
    def test_the_command_is_killed_within_a_second_and_the_report_says_cancelled(self, workspace):
        move(workspace, "rotation", "locked", evidence=["trap '' TERM INT; sleep 98.7", "touch ran"])
        run = request(workspace)
        claimed = claim(run)
        executing = threading.Thread(target=execute_here, args=(claimed,))
        executing.start()
        assert eventually(lambda: processes_with("sleep 98.7"), seconds=10)

        asked_at = time.monotonic()
        assert cancel(run).status == RunStatus.RUNNING
        ended = wait_until_over(run.pk, 10)
        took = time.monotonic() - asked_at
        executing.join()

        assert took < 1.5
        assert not processes_with("sleep 98.7")
        assert ended.status == RunStatus.CANCELLED
        assert [result["error"] for result in ended.report["results"]] == ["aborted", "aborted before execution"]
        told = [entry.data["status"] for entry in entries_after(run.pk, 0, 100) if entry.kind in ("status", "ended")]
        assert told == ["queued", "running", "cancel requested", "cancel acknowledged", "cancelled"]
        assert not is_certified(workspace)

    def test_a_run_that_was_cancelled_before_its_end_was_stored_is_not_certified(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        claimed = claim(run)
        Run.objects.filter(pk=run.pk).update(cancel_requested_at=NOON, cancel_requested_by=MAYA.as_json())

        done = exited_outcome(0, BoundedOutput(), duration_ms=1, escaped=False)
        end_run(claimed, Ending((done,)), now=NOON)

        run.refresh_from_db()
        assert (run.status, run.report["certified"]) == (RunStatus.CANCELLED, False)
        assert "state.certified" not in kinds(workspace)


class TestCancelWhenOver:
    def test_a_run_that_is_over_stays_as_it_is(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = verified(workspace)

        with pytest.raises(RunIsOver):
            cancel(run)

        assert is_certified(workspace)

    def test_a_run_that_is_not_there_is_not_found(self, workspace):
        with pytest.raises(NotFound):
            cancel_run(run_id=uuid.uuid4(), reason="", actor=MAYA, now=NOON)


def execute_here(run: Run) -> None:
    try:
        execute_run(run_id=run.pk, worker=run.worker)
    finally:
        connection.close()
