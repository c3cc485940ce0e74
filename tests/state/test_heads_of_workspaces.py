"""Heads across workspaces: what is quarantined and why, and the line a workspace gets on the dashboard."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from fabric_app.models import Workspace
from fabric_app.operations import mesh_writes
from fabric_app.operations.outcomes import finish_verification
from fabric_app.protocol.verification import CommandOutcome, Status, assess
from fabric_app.queries import quarantined_heads, workspace_summaries
from fabric_app.stored_heads import read_head
from fabric_app.verification_targets import verification_targets
from tests.factories import MAYA, NOON, make_workspace, move, parsed

pytestmark = pytest.mark.django_db


def verify(workspace: Workspace, status: Status) -> None:
    targets = verification_targets(workspace, parsed("verify"))
    done = assess(targets, [CommandOutcome(status, 0)], labels_given=False)
    head = read_head(workspace.id).identity
    finish_verification(workspace=workspace, verification=done, head=head, actor=MAYA, now=NOON)


class TestQuarantinedHeads:
    def test_only_heads_that_are_not_trusted_are_listed_with_their_reason(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")
        other = make_workspace(slug="yard")
        head = {"protocolVersion": 9, "label": "a", "to": "b", "transitionId": "t"}
        mesh_writes.import_key(workspace=other, key="state/current", value=head, actor=MAYA, now=NOON)

        found = quarantined_heads()

        assert [(each.workspace.slug, each.status.reason) for each in found] == [("yard", "unknown-protocol")]


class TestWorkspaceSummaries:
    def test_each_says_where_its_head_stands_and_whether_it_is_certified(
        self, workspace: Workspace, operator: Any
    ) -> None:
        make_workspace(slug="empty")
        move(workspace, "plan", "planned", evidence=["true"])

        def line() -> dict[str, Any]:
            return next(each for each in workspace_summaries(operator) if each["slug"] == "harbour")

        assert (line()["head"]["to"], line()["certification"]) == ("planned", "none")
        verify(workspace, Status.CONFIRMED)
        assert (line()["certification"], line()["isRefuted"]) == ("certified", False)
        verify(workspace, Status.VIOLATED)
        assert (line()["certification"], line()["isRefuted"]) == ("none", True)
        assert line()["lastActivity"]["name"] == "plan → planned"

    def test_the_number_of_queries_does_not_grow_with_the_workspaces(
        self, operator: Any, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(6):
            move(make_workspace(slug=f"w-{number}"), "plan", "planned")

        with django_assert_max_num_queries(7):
            lines = workspace_summaries(operator)

        assert [each["head"]["to"] for each in lines] == ["planned"] * 6
