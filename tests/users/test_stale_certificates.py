"""Stale approvals and vacuous ones: a certificate ends with the head it is of, and what was not shown is violated."""

from __future__ import annotations

import pytest

from fabric_app.models import RunStatus, Workspace
from fabric_app.queries import current_state, history
from tests.factories import move, parsed
from tests.runs.conftest import verified


@pytest.fixture
def certified(workspace: Workspace) -> Workspace:
    move(workspace, "rotation", "locked", evidence=["true"])
    assert verified(workspace).report["certified"] is True
    assert current_state(workspace)["certification"]["current"] is not None
    return workspace


class TestATransitionAfterACertificate:
    def test_leaves_the_new_head_uncertified(self, certified: Workspace) -> None:
        move(certified, "rename", "renamed", from_="locked")

        state = current_state(certified)
        assert state["certification"]["current"] is None
        assert state["head"]["label"] == "rename"
        assert "certificate" not in state["head"]
        assert state["head"].get("certificationStatus") != "certified"

    def test_keeps_the_certificate_with_the_transition_that_it_is_of(self, certified: Workspace) -> None:
        move(certified, "rename", "renamed", from_="locked")

        rotation, rename = history(certified, parsed("history"))["transitions"]
        assert rotation["certificationStatus"] == "certified"
        assert rotation["certificate"]["current"] is False
        assert "certificationStatus" not in rename

    def test_back_to_where_it_was_brings_no_certificate_back(self, certified: Workspace) -> None:
        move(certified, "rename", "renamed")
        move(certified, "rotation", "locked", evidence=["true"])

        assert current_state(certified)["certification"]["current"] is None


class TestALabelThatNamesNothing:
    def test_is_a_violation_and_never_a_success(self, certified: Workspace) -> None:
        run = verified(certified, labels=["nowhere"])

        assert run.status == RunStatus.VIOLATED
        assert (run.report["certified"], run.report["violated"]) == (False, True)


class TestAConstantCommand:
    def test_is_run_like_any_other_and_nothing_is_read_into_it(self, workspace: Workspace) -> None:
        move(workspace, "rotation", "locked", evidence=["exit 0"])

        assert verified(workspace).report["certified"] is True

    @pytest.mark.parametrize("evidence", [None, [], ["", "  \n"]])
    def test_none_at_all_certifies_nothing(self, workspace: Workspace, evidence: list[str] | None) -> None:
        move(workspace, "rotation", "locked", **({} if evidence is None else {"evidence": evidence}))

        run = verified(workspace)

        assert (run.report["certified"], run.report["violated"]) == (False, True)
        assert [failure["reason"] for failure in run.report["failures"]] == ["missing-evidence"]
