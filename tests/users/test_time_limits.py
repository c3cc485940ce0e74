"""Time limits: many commands that hang are all reported, and nothing above the run ends it before its report."""

from __future__ import annotations

import pytest

from config.celery import app
from fabric_app.models import RunStatus, Workspace
from fabric_app.tasks import run_evidence
from tests.factories import move
from tests.runs.conftest import verified

COMMANDS = 20


class TestManyCommandsThatHang:
    @pytest.mark.timeout(60)
    def test_are_each_reported_as_a_timeout(self, workspace: Workspace) -> None:
        move(workspace, "rotation", "locked", evidence=["sleep 2"] * COMMANDS)

        run = verified(workspace, timeoutMs=100)

        assert run.status == RunStatus.ERROR
        errors = [result["error"] for result in run.report["results"]]
        assert errors == ["timeout after 100ms"] * COMMANDS
        assert len(run.report["failures"]) == COMMANDS
        assert run.report["certified"] is False

    def test_are_not_cut_short_by_a_limit_on_the_task(self) -> None:
        limits = (app.conf.task_time_limit, app.conf.task_soft_time_limit)

        assert limits == (None, None)
        assert (run_evidence.time_limit, run_evidence.soft_time_limit) == (None, None)
