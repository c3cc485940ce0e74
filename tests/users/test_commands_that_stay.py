"""Commands that hang or leave processes: a verification returns in time, tells the truth, and leaves nothing behind."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import psutil
import pytest
from django.db import connection

from fabric_app.models import Run, RunStatus, Workspace
from fabric_app.operations.run_cancel import cancel_run
from fabric_app.operations.run_sweep import sweep
from fabric_app.operations.runs import execute_run
from fabric_app.queries import current_state
from fabric_app.queries_runs import wait_until_over
from tests.evidence.conftest import Mark
from tests.factories import MAYA, NOON, move
from tests.runs.conftest import claim, request, verified

pytestmark = pytest.mark.timeout(60)
PROMPT_SECONDS = 2.0


def timed(workspace: Workspace, command: str, **args: object) -> tuple[Run, float]:
    """Verify one command; return the run, and how many seconds the verification took."""
    move(workspace, "rotation", "locked", evidence=[command])
    began = time.monotonic()
    run = verified(workspace, **args)
    return run, time.monotonic() - began


def only_result(run: Run) -> dict[str, object]:
    [result] = run.report["results"]
    return result


class TestAGrandchildThatHoldsThePipe:
    def test_does_not_keep_the_verification_past_its_timeout(self, workspace: Workspace, mark: Mark) -> None:
        run, seconds = timed(workspace, f"{mark.sleep} & {mark.sleep}", timeoutMs=300)

        assert seconds < PROMPT_SECONDS
        assert (run.status, only_result(run)["status"]) == (RunStatus.ERROR, "error")
        assert mark.are_gone(seconds=0.5)

    def test_is_a_timeout_also_where_the_shell_has_exited(self, workspace: Workspace, mark: Mark) -> None:
        run, seconds = timed(workspace, f"{mark.sleep} & printf done", timeoutMs=500)

        assert seconds < PROMPT_SECONDS
        assert (only_result(run)["status"], only_result(run)["output"]) == ("error", "done")
        assert run.report["certified"] is False
        assert mark.are_gone(seconds=0.5)


class TestAServerThatACommandStarts:
    def test_leaves_its_port_to_the_next_verification(self, workspace: Workspace) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        serve = f"{sys.executable} -m http.server {port} --bind 127.0.0.1 >/dev/null 2>&1 & sleep 0.3; true"

        for _ in range(2):
            run, _ = timed(workspace, serve)

            assert run.status == RunStatus.CONFIRMED
            socket.create_server(("127.0.0.1", port)).close()


class TestACommandThatIgnoresSignals:
    def test_is_gone_within_a_second_of_its_cancel(self, workspace: Workspace, mark: Mark) -> None:
        move(workspace, "rotation", "locked", evidence=[f"trap '' TERM INT; {mark.sleep}"])
        run = claim(request(workspace))
        assert run is not None
        executing = threading.Thread(target=_execute, args=(run,))
        executing.start()
        mark.wait_for(1)

        asked_at = time.monotonic()
        cancel_run(run_id=run.pk, reason="enough", actor=MAYA, now=NOON)
        ended = wait_until_over(run.pk, 10)

        assert mark.are_gone(seconds=1 - (time.monotonic() - asked_at))
        executing.join()
        assert (ended.status, ended.error["code"]) == (RunStatus.CANCELLED, "RUN_CANCELLED")
        assert ended.report["certified"] is False


class TestAProcessIdThatIsStored:
    @pytest.fixture
    def bystander(self) -> Iterator[psutil.Process]:
        """A process that has the id which a lost worker had."""
        with subprocess.Popen(["sleep", "300"], start_new_session=True) as process:
            yield psutil.Process(process.pid)
            process.kill()

    def test_is_never_signalled(self, workspace: Workspace, bystander: psutil.Process) -> None:
        move(workspace, "rotation", "locked", evidence=["true"])
        run = claim(request(workspace), worker=f"default@here process {bystander.pid}")
        assert run is not None

        cancel_run(run_id=run.pk, reason="enough", actor=MAYA, now=NOON)
        swept = sweep(now=NOON + timedelta(hours=1))

        assert swept.lost_count == 1
        assert bystander.is_running()
        assert bystander.status() != psutil.STATUS_ZOMBIE
        run.refresh_from_db()
        assert run.is_over
        assert current_state(workspace)["certification"]["current"] is None


class TestACommandThatReadsItsInput:
    def test_finds_it_at_its_end(self, workspace: Workspace) -> None:
        run, seconds = timed(workspace, "cat; printf end")

        assert seconds < PROMPT_SECONDS
        assert (run.status, only_result(run)["output"]) == (RunStatus.CONFIRMED, "end")


def _execute(run: Run) -> None:
    try:
        execute_run(run_id=run.pk, worker=run.worker)
    finally:
        connection.close()
