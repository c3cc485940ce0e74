"""The broker away: the caller hears it at once, and the run is on record as one that never started."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from django.conf import settings as product

from fabric_app.models import Activity, Run, RunStatus
from fabric_app.operations.runs import sweep
from tests.factories import move
from tests.runs.conftest import claim, verified
from tests.runs.test_verify import is_certified
from tests.workers import environment, free_port, has_redis_server, redis_server, run_product

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(not has_redis_server(), reason="needs redis-server"),
]

REQUEST = """
import time
from django.utils import timezone
from fabric_app.mesh.actors import SYSTEM
from fabric_app.mesh.errors import StatehouseError
from fabric_app.models import Workspace
from fabric_app.operations.runs import request_run
from fabric_app.protocol.arguments import VerifyArguments
before = time.monotonic()
try:
    request_run(workspace=Workspace.objects.get(), action="verify", arguments=VerifyArguments(), user=None,
                actor=SYSTEM, now=timezone.now())
    print("sent", end=" ")
except StatehouseError as error:
    print(error.code, error.status, end=" ")
print(time.monotonic() - before)
"""


@pytest.fixture
def certified(workspace):
    move(workspace, "rotation", "locked", evidence=["true"])
    verified(workspace)
    return workspace


def ask(tmp_path: Path, port: int) -> list[str]:
    env = environment(Path(product.HOME), tmp_path, REDIS_URL=f"redis://127.0.0.1:{port}/0")
    answer = run_product(env, REQUEST)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.split()


class TestRequestRun:
    def test_with_redis_stopped_it_is_refused_at_once_and_never_runs(self, certified, tmp_path):
        port = free_port()
        with redis_server(port):
            assert ask(tmp_path, port)[0] == "sent"

        code, status, seconds = ask(tmp_path, port)

        assert (code, status) == ("BROKER_UNAVAILABLE", "503")
        assert float(seconds) < 3
        run = Run.objects.order_by("created_at").last()
        assert (run.status, run.error["code"], run.started_at) == (RunStatus.ERROR, "BROKER_UNAVAILABLE", None)
        assert claim(run) is None
        assert [each.outcome for each in Activity.objects.filter(run=run).order_by("id")] == ["requested", "error"]

    def test_with_redis_stopped_the_head_keeps_its_certificate_since_no_verification_took_place(
        self, certified, tmp_path
    ):
        ask(tmp_path, free_port())

        assert is_certified(certified)

    def test_what_was_sent_to_a_redis_that_lost_it_is_sent_again_by_a_sweep(self, certified, tmp_path):
        port = free_port()
        with redis_server(port):
            ask(tmp_path, port)

        result = sweep(now=Run.objects.order_by("created_at").last().created_at.replace(year=2100))

        assert result.sent_count == 1


class TestWakeup:
    def test_transitions_are_as_fast_with_redis_stopped(self, certified, settings):
        settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
        before = time.monotonic()

        for number in range(5):
            move(certified, f"step {number}", f"place {number}")

        assert time.monotonic() - before < 2
