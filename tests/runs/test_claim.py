"""Claiming: a run is executed once, and one of a workspace at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from fabric_app.models import Run, RunStatus
from fabric_app.operations.run_claim import claim_run
from fabric_app.operations.workspaces import archive_workspace
from tests.factories import MAYA, NOON, make_workspace, move
from tests.runs.conftest import claim, executed, request, verified

pytestmark = pytest.mark.timeout(60)


class TestClaim:
    def test_a_message_that_arrives_twice_claims_once(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)

        assert claim(run) is not None
        assert claim(run) is None

    def test_many_workers_at_once_claim_once(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)

        def one(number: int) -> bool:
            try:
                return claim_run(run_id=run.pk, worker=f"worker {number}", now=NOON) is not None
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            claims = list(pool.map(one, range(16)))

        assert claims.count(True) == 1

    def test_a_second_run_of_the_workspace_waits_for_the_first(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        first, second = request(workspace), request(workspace)
        claim(first)

        assert claim(second) is None
        assert Run.objects.get(pk=second.pk).status == RunStatus.QUEUED

    def test_runs_of_two_workspaces_are_at_work_together(self, workspace, folder):
        other = make_workspace(folder, slug="quarry")
        for each in (workspace, other):
            move(each, "rotation", "locked", evidence=["true"])

        assert claim(request(workspace)) is not None
        assert claim(request(other)) is not None

    def test_the_plan_is_that_of_the_claim(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        move(workspace, "rename", "renamed", evidence=["printf new"])

        claimed = claim(run)

        assert [each["command"] for each in claimed.plan["commands"]] == ["printf new"]
        assert claimed.plan["head"]["to"] == "renamed"

    def test_a_run_of_a_workspace_that_was_archived_does_not_start(self, workspace):
        move(workspace, "rotation", "locked", evidence=["touch ran"])
        run = request(workspace)
        archive_workspace(workspace=workspace, expected=workspace.version, actor=MAYA, now=NOON)

        run = executed(run)

        assert (run.status, run.error["code"], run.started_at) == (RunStatus.ERROR, "WORKSPACE_ARCHIVED", None)

    def test_a_run_that_is_over_cannot_be_claimed(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])

        assert claim(verified(workspace)) is None

    def test_the_database_itself_refuses_two_running_runs_of_a_workspace(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        first, second = request(workspace), request(workspace)
        claim(first)

        with pytest.raises(IntegrityError), transaction.atomic():
            Run.objects.filter(pk=second.pk).update(status=RunStatus.RUNNING)
