"""Checking the goal as a run: apart from certification, and met once its command exits with zero."""

from __future__ import annotations

import pytest

from fabric_app.models import Event, RunStatus
from fabric_app.operations.goals import set_goal
from fabric_app.protocol.errors import NoGoal
from tests.factories import MAYA, NOON, parsed
from tests.runs.conftest import executed, request

pytestmark = pytest.mark.timeout(60)


def check(workspace, **args):
    return executed(request(workspace, "checkGoal", **args))


def goal(workspace, command: str) -> None:
    set_goal(workspace=workspace, arguments=parsed("goal", check=command), actor=MAYA, now=NOON)


class TestCheckGoal:
    def test_without_a_goal_it_is_refused_at_once(self, workspace):
        with pytest.raises(NoGoal):
            request(workspace, "checkGoal")

    def test_a_goal_that_is_met_is_published(self, workspace):
        goal(workspace, "printf done")

        run = check(workspace)

        assert run.status == RunStatus.CONFIRMED
        assert run.report == {"passed": True, "output": "done", "exitCode": 0}
        met = Event.objects.get(workspace=workspace, kind="state.goal.met")
        assert met.data["check"] == "printf done"

    def test_a_goal_that_is_not_met_is_answered_and_published_nowhere(self, workspace):
        goal(workspace, "exit 3")

        run = check(workspace)

        assert (run.status, run.report["passed"], run.report["exitCode"]) == (RunStatus.VIOLATED, False, 3)
        assert not Event.objects.filter(workspace=workspace, kind="state.goal.met").exists()

    def test_one_that_hangs_is_an_error(self, workspace):
        goal(workspace, "sleep 60")

        run = check(workspace, timeoutMs=200)

        assert run.status == RunStatus.ERROR
        assert (run.report["passed"], run.report["error"]) == (False, "timeout after 200ms")
