"""Sweeping: lost workers end as errors that revoke, and messages that got lost are sent again."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as product
from django.db import connection
from redis import Redis

from fabric_app.evidence.outcome import exited_outcome
from fabric_app.evidence.output import BoundedOutput
from fabric_app.models import Event, Run, RunStatus, WorkerSeen
from fabric_app.operations.goals import set_goal
from fabric_app.operations.run_end import Ending, end_run
from fabric_app.operations.run_entries import RunTakenAway
from fabric_app.operations.run_recorder import RunRecorder
from fabric_app.operations.runs import SweepResult, execute_run, sweep, worker_seen
from fabric_app.queries_runs import entries_after, is_worker_listening
from tests.factories import MAYA, NOON, move, parsed
from tests.runs.conftest import claim, request, verified
from tests.runs.test_verify import is_certified, kinds

pytestmark = pytest.mark.timeout(60)

LATER = NOON + timedelta(minutes=5)


class Queue:
    """What the broker of this process holds for one worker group, and a way to lose it."""

    def __init__(self, group: str) -> None:
        self._name = f"evidence.{group}"

    def __len__(self) -> int:
        if product.REDIS_URL:
            with Redis.from_url(product.REDIS_URL) as redis:
                return redis.llen(self._name)
        return len(self._files())

    def lose(self) -> None:
        if product.REDIS_URL:
            with Redis.from_url(product.REDIS_URL) as redis:
                redis.delete(self._name)
        for file in self._files():
            file.unlink()

    def _files(self) -> list[Path]:
        return list((Path(product.BROKER_FOLDER) / "messages").glob(f"*.{self._name}.msg"))


@pytest.fixture
def queue(workspace) -> Iterator[Queue]:
    """The queue of a group that no worker serves."""
    workspace.worker_group = f"group-{uuid.uuid4().hex[:12]}"
    workspace.save()
    queue = Queue(workspace.worker_group)
    yield queue
    queue.lose()


class TestLostWorker:
    def test_the_run_ends_as_an_error_and_its_verification_has_failed(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        verified(workspace)
        assert is_certified(workspace)
        run = request(workspace)
        claim(run)

        result = sweep(now=LATER)

        run.refresh_from_db()
        assert result.lost_count == 1
        assert (run.status, run.error["code"]) == (RunStatus.ERROR, "WORKER_LOST")
        assert run.report["certified"] is False
        assert not is_certified(workspace)
        assert kinds(workspace)[-1] == "state.violated"
        assert entries_after(run.pk, 0, 100)[-1].kind == "ended"

    def test_a_worker_that_said_lately_that_it_lives_is_left_alone(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        claim(run)

        assert sweep(now=NOON + timedelta(seconds=3)).lost_count == 0
        assert Run.objects.get(pk=run.pk).status == RunStatus.RUNNING

    def test_many_sweeps_at_once_end_it_once(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        claim(run)

        def one(_: int) -> SweepResult:
            try:
                return sweep(now=LATER)
            finally:
                connection.close()

        with ThreadPoolExecutor(6) as pool:
            results = list(pool.map(one, range(6)))

        assert sum(result.lost_count for result in results) == 1
        assert Event.objects.filter(workspace=workspace, kind="state.violated").count() == 1
        ends = [entry for entry in entries_after(run.pk, 0, 100) if entry.kind == "ended"]
        assert len(ends) == 1

    def test_a_worker_that_comes_back_stores_nothing_more(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        claimed = claim(run)
        recorder = RunRecorder(claimed)
        sweep(now=LATER)
        before = Run.objects.get(pk=run.pk).entry_count

        with pytest.raises(RunTakenAway):
            recorder.flush()

        assert Run.objects.get(pk=run.pk).entry_count == before

    def test_a_worker_that_lost_its_run_in_the_middle_certifies_nothing(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        claimed = claim(run)
        Run.objects.filter(pk=run.pk).update(worker="lost: " + claimed.worker)

        done = exited_outcome(0, BoundedOutput(), duration_ms=1, escaped=False)
        is_ended = end_run(claimed, Ending((done,)), now=NOON)

        assert is_ended is False
        assert "state.certified" not in kinds(workspace)

    def test_a_sweep_that_died_in_the_middle_is_followed_by_another(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        claimed = claim(run)
        Run.objects.filter(pk=run.pk).update(worker=f"lost: {claimed.worker}", heartbeat_at=LATER)

        sweep(now=LATER + timedelta(minutes=1))

        run.refresh_from_db()
        assert run.error["worker"] == claimed.worker

    def test_a_goal_check_that_was_lost_has_not_passed(self, workspace):

        set_goal(workspace=workspace, arguments=parsed("goal", check="true"), actor=MAYA, now=NOON)
        run = request(workspace, "checkGoal")
        claim(run)

        sweep(now=LATER)

        run.refresh_from_db()
        assert (run.status, run.report["passed"]) == (RunStatus.ERROR, False)
        assert "state.goal.met" not in kinds(workspace)


class TestSendAgain:
    def test_a_run_whose_message_got_lost_is_sent_again_and_not_at_every_sweep(self, workspace, queue):
        move(workspace, "rotation", "locked", evidence=["true"])
        request(workspace)
        queue.lose()

        first = sweep(now=NOON + timedelta(seconds=15))
        second = sweep(now=NOON + timedelta(seconds=16))

        assert (first.sent_count, second.sent_count) == (1, 0)
        assert len(queue) == 1

    def test_a_run_that_was_sent_a_moment_ago_is_not_sent_again(self, workspace, queue):
        move(workspace, "rotation", "locked", evidence=["true"])
        request(workspace)

        assert sweep(now=NOON + timedelta(seconds=5)).sent_count == 0

    def test_a_run_that_waits_for_another_is_not_sent_until_that_is_over(self, workspace, queue):
        move(workspace, "rotation", "locked", evidence=["true"])
        first, _second = request(workspace), request(workspace)
        claimed = claim(first, now=LATER)
        assert sweep(now=LATER).sent_count == 0
        queue.lose()

        execute_run(run_id=first.pk, worker=claimed.worker)

        assert len(queue) == 1, "the end of a run sends the next one"

    def test_a_cancel_whose_process_died_is_carried_out(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        Run.objects.filter(pk=run.pk).update(cancel_requested_at=NOON, cancel_requested_by=MAYA.as_json())

        sweep(now=LATER)

        run.refresh_from_db()
        assert run.status == RunStatus.CANCELLED


class TestWorkerSeen:
    def test_a_worker_is_listed_once_with_its_first_and_last_sign_of_life(self, transactional_db):
        worker_seen(name="a", group="default", now=NOON)
        worker_seen(name="a", group="default", now=LATER)

        seen = WorkerSeen.objects.get()
        assert (seen.started_at, seen.seen_at) == (NOON, LATER)
        assert is_worker_listening("default", now=LATER)
        assert not is_worker_listening("default", now=LATER + timedelta(hours=1))
        assert not is_worker_listening("other", now=LATER)
