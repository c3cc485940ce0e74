"""Setting a goal: it replaces what was there, says so in an activity, and blank ones are refused."""

from __future__ import annotations

import pytest

from fabric_app.mesh.errors import InvalidArguments
from fabric_app.models import Activity, Workspace
from fabric_app.operations.goals import set_goal
from fabric_app.queries import current_state
from tests.factories import MAYA, NOON, NOON_MS, parsed

pytestmark = pytest.mark.django_db


class TestSetGoal:
    def test_it_replaces_the_goal_with_its_description(self, workspace: Workspace) -> None:
        given = parsed("goal", check="pytest -q", description="green suite")
        set_goal(workspace=workspace, arguments=given, actor=MAYA, now=NOON)

        entry = set_goal(workspace=workspace, arguments=parsed("goal", check="true"), actor=MAYA, now=NOON)

        assert entry == {
            "key": "state/goal",
            "value": {"check": "true"},
            "version": 2,
            "updatedAt": NOON_MS,
            "updatedBy": MAYA.as_json(),
        }
        assert current_state(workspace)["goal"] == {"check": "true"}
        assert [line.name for line in Activity.objects.filter(kind="goal")] == ["green suite", "true"]

    def test_a_blank_one_is_refused(self) -> None:
        with pytest.raises(InvalidArguments):
            parsed("goal", check=" \n")
