"""Killing a worker in the middle of a run: the run ends as an error, nothing is certified, no process stays behind."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings as product
from django.utils import timezone

from fabric_app.models import Event, Run, RunStatus, WorkerSeen, Workspace
from fabric_app.operations.projection import differences
from fabric_app.operations.run_messages import send
from fabric_app.operations.runs import cancel_run, request_run
from fabric_app.queries import current_state
from fabric_app.queries_runs import entries_after, wait_until_over
from tests.factories import MAYA, move, parsed
from tests.reliability.consistency import assert_clean
from tests.workers import Worker, environment, eventually, processes_with, worker

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
LEASE_SECONDS = 2
START_SECONDS = 120.0


@pytest.fixture(params=["folder", pytest.param("redis", marks=pytest.mark.redis)])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Workers on the folder broker of this process, and on Redis where there is one."""
    changes = {"STATEHOUSE_RUN_LEASE_SECONDS": str(LEASE_SECONDS)}
    if request.param == "redis":
        changes["REDIS_URL"] = product.REDIS_URL
    elif product.REDIS_URL:
        pytest.skip("this process sends by Redis")
    return environment(Path(product.HOME), tmp_path, **changes)


@pytest.fixture
def group(workspace: Workspace) -> str:
    """A worker group of this test alone, so that no message of another run is taken for ours."""
    name = f"group-{uuid.uuid4().hex[:12]}"
    Workspace.objects.filter(pk=workspace.pk).update(worker_group=name)
    workspace.refresh_from_db()
    return name


@pytest.fixture
def running(env: dict[str, str], group: str) -> Iterator[Worker]:
    with worker({**env, "STATEHOUSE_WORKER_GROUP": group}) as running:
        assert eventually(lambda: WorkerSeen.objects.filter(worker_group=group).exists(), seconds=START_SECONDS), (
            running.log.read_text()
        )
        yield running


def verify(workspace: Workspace) -> Run:
    return request_run(
        workspace=workspace,
        action="verify",
        arguments=parsed("verify"),
        user=None,
        actor=MAYA,
        now=timezone.now(),
    )


def kill_main(running: Worker) -> None:
    running.kill_main()


def kill_child(running: Worker) -> None:
    for child in running.children():
        child.kill()


def kill_both(running: Worker) -> None:
    children = running.children()
    running.kill_main()
    for child in children:
        child.kill()


class TestKill:
    @pytest.mark.parametrize("kill", [kill_main, kill_child, kill_both])
    def test_the_run_is_an_error_nothing_is_certified_and_no_process_is_left(
        self, kill: Callable[[Worker], None], running: Worker, env: dict[str, str], group: str, workspace: Workspace
    ):
        mark = f"9{uuid.uuid4().int % 10**8}"
        move(workspace, "rotation", "locked", evidence=[f"(setsid sleep {mark} &) ; sleep {mark}"])
        run = verify(workspace)
        assert eventually(lambda: len(processes_with(f"sleep {mark}")) >= 2, seconds=30), told(run, running)

        kill(running)
        gone = eventually(lambda: not processes_with(f"sleep {mark}"), seconds=10)
        with worker({**env, "STATEHOUSE_WORKER_GROUP": group}, children=1):
            ended = wait_until_over(run.pk, 60)

        assert gone, "the guard ends what the worker started"
        assert (ended.status, ended.error["code"]) == (RunStatus.ERROR, "WORKER_LOST")
        assert ended.report["certified"] is False
        assert current_state(workspace)["certification"]["current"] is None
        assert list(Event.objects.filter(kind="state.certified")) == []
        assert entries_after(run.pk, 0, 1000)[-1].kind == "ended"
        assert_clean(workspace)


class TestOnWorkers:
    def test_runs_are_executed_in_turn_delivered_twice_or_not_and_a_cancel_is_heard(
        self, running: Worker, workspace: Workspace
    ):
        move(workspace, "rotation", "locked", evidence=["echo one >> ran; sleep 0.3"])
        runs = [verify(workspace) for _ in range(3)]
        for run in runs:
            send(run)

        ended = [wait_until_over(run.pk, 60) for run in runs]

        assert [run.status for run in ended] == [RunStatus.CONFIRMED] * 3, running.log.read_text()
        assert Path(workspace.root, "ran").read_text() == "one\n" * 3
        spans = sorted((run.started_at, run.ended_at) for run in ended)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))

        move(workspace, "slow", "slower", evidence=["sleep 60"])
        slow = verify(workspace)
        assert eventually(lambda: Run.objects.get(pk=slow.pk).status == RunStatus.RUNNING, seconds=20)
        cancel_run(run_id=slow.pk, reason="enough", actor=MAYA, now=timezone.now())
        assert wait_until_over(slow.pk, 3).status == RunStatus.CANCELLED
        assert list(differences(workspace.pk)) == []


def told(run: Run, running: Worker) -> str:
    """Return what is known of a run that does not go on as it should."""
    run.refresh_from_db()
    return f"{run.status} {run.worker} {run.error} {run.report} {running.log.read_text()}"
