"""A verification as a run: what is executed, what the report says, and what becomes of the head's certificate."""

from __future__ import annotations

import shutil

import pytest
from django.db import OperationalError, connection

from fabric_app.models import Activity, Event, RunStatus
from fabric_app.operations.runs import WorkspaceWithoutRoot, execute_run, preview_run
from fabric_app.protocol.errors import EvidenceDigestMismatch
from fabric_app.queries import current_state
from fabric_app.queries_runs import entries_after, run_json
from tests.factories import make_workspace, move, parsed
from tests.runs.conftest import claim, executed, request, verified

pytestmark = pytest.mark.timeout(60)


def kinds(workspace) -> list[str]:
    return [event.kind for event in Event.objects.filter(workspace=workspace).order_by("sequence")]


def is_certified(workspace) -> bool:
    return current_state(workspace)["certification"]["current"] is not None


def lose_the_news(monkeypatch, *, of: str, commit_first: bool) -> None:
    """Fail the first commit of an event of this kind, before or after it is stored."""
    commit = connection.commit
    is_due = [True]

    def failing() -> None:
        if is_due and Event.objects.filter(kind=of).exists():
            is_due.clear()
            if commit_first:
                commit()
            raise OperationalError("server closed the connection unexpectedly")
        commit()

    monkeypatch.setattr(connection, "commit", failing)


class TestVerify:
    def test_commands_that_all_exit_with_zero_certify_the_head(self, workspace):
        move(workspace, "rotation", "locked", evidence=["printf hello", "true"])

        run = verified(workspace)

        assert (run.status, run.error) == (RunStatus.CONFIRMED, None)
        assert run.report["certified"] is True
        assert [result["output"] for result in run.report["results"]] == ["hello", ""]
        assert is_certified(workspace)
        assert kinds(workspace)[-1] == "state.certified"

    def test_a_command_that_fails_takes_the_certificate_away_and_all_commands_are_run(self, workspace, folder):
        move(workspace, "rotation", "locked", evidence=["test ! -e broken", "touch last"])
        assert verified(workspace).status == RunStatus.CONFIRMED
        (folder / "broken").touch()
        (folder / "last").unlink()

        run = verified(workspace)

        assert run.status == RunStatus.VIOLATED
        assert [result["status"] for result in run.report["results"]] == ["violated", "confirmed"]
        assert (folder / "last").exists()
        assert not is_certified(workspace)
        assert kinds(workspace)[-1] == "state.violated"

    def test_a_certificate_whose_commit_was_stored_and_the_news_lost_stands(self, workspace, monkeypatch):
        move(workspace, "rotation", "locked", evidence=["true"])
        lose_the_news(monkeypatch, of="state.certified", commit_first=True)

        run = verified(workspace)

        assert (run.status, run.report["certified"]) == (RunStatus.CONFIRMED, True)
        assert is_certified(workspace)
        assert kinds(workspace)[-1] == "state.certified"

    def test_a_certificate_that_could_not_be_committed_leaves_a_failed_run(self, workspace, monkeypatch):
        move(workspace, "rotation", "locked", evidence=["true"])
        lose_the_news(monkeypatch, of="state.certified", commit_first=False)

        run = verified(workspace)

        assert (run.status, run.report["certified"]) == (RunStatus.ERROR, False)
        assert "reportingError" in run.report
        assert not is_certified(workspace)
        assert kinds(workspace)[-1] == "state.violated"

    def test_one_missing_label_among_others_is_not_certified_and_named(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])

        run = verified(workspace, labels=["rotation", "nowhere", " "])

        assert run.status == RunStatus.VIOLATED
        assert [result["status"] for result in run.report["results"]] == ["confirmed"]
        assert [(each["reason"], each["label"]) for each in run.report["failures"]] == [("missing-target", "nowhere")]
        assert not is_certified(workspace)

    def test_a_missing_label_is_not_certified_and_violated(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])

        run = verified(workspace, labels=["nowhere"])

        assert run.status == RunStatus.VIOLATED
        assert (run.report["certified"], run.report["violated"]) == (False, True)
        assert [failure["reason"] for failure in run.report["failures"]] == ["missing-target"]

    def test_a_timeout_is_an_error_and_the_next_command_still_runs(self, workspace):
        move(workspace, "rotation", "locked", evidence=["sleep 60 & sleep 60", "true"])

        run = verified(workspace, timeoutMs=300)

        assert run.status == RunStatus.ERROR
        assert [result["status"] for result in run.report["results"]] == ["error", "confirmed"]
        assert not is_certified(workspace)

    def test_a_deleted_folder_gives_an_error_for_each_command_and_a_report(self, workspace, folder):
        move(workspace, "rotation", "locked", evidence=["true", "true"])
        shutil.rmtree(folder)

        run = verified(workspace)

        assert run.status == RunStatus.ERROR
        assert [result["status"] for result in run.report["results"]] == ["error", "error"]
        assert run.report["certified"] is False

    def test_a_link_out_of_the_allowed_roots_is_not_followed(self, workspace, folder, tmp_path_factory):
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        move(workspace, "rotation", "locked", evidence=["touch was-here"])
        shutil.rmtree(folder)
        folder.symlink_to(elsewhere)

        run = verified(workspace)

        assert (run.status, run.error["code"]) == (RunStatus.ERROR, "ROOT_NOT_ALLOWED")
        assert not (elsewhere / "was-here").exists()
        assert run.report["certified"] is False

    def test_a_head_that_moved_on_during_the_run_is_not_certified_by_it(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        run = request(workspace)
        claimed = claim(run)
        move(workspace, "rename", "renamed")

        execute_run(run_id=run.pk, worker=claimed.worker)
        run.refresh_from_db()

        assert run.report["certified"] is True
        assert run.report["certificate"]["current"] is False
        assert not is_certified(workspace)

    def test_the_workspace_without_a_folder_is_refused_at_once(self, transactional_db):
        with pytest.raises(WorkspaceWithoutRoot):
            request(make_workspace(slug="rootless"))

    def test_request_and_end_are_told_as_activity(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])

        run = verified(workspace)

        told = Activity.objects.filter(run=run).order_by("id").values_list("kind", "outcome")
        assert list(told) == [("verify", "requested"), ("verify", "confirmed")]

    def test_binary_output_is_shown_and_read_back(self, workspace):
        move(workspace, "rotation", "locked", evidence=[r"printf '\362\n\0x'"])

        run = verified(workspace)

        assert run.status == RunStatus.CONFIRMED
        assert run.report["results"][0]["output"] == "\ufffd\n\0x"
        assert run_json(run)["report"] == run.report


class TestPreview:
    def test_it_shows_the_commands_and_the_digest_by_which_a_run_is_bound_to_them(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true", "  "])

        shown = preview_run(workspace=workspace, action="verify", arguments=parsed("verify"))
        run = verified(workspace, expectedEvidenceDigest=shown["evidenceDigest"])

        assert [each["command"] for each in shown["commands"]] == ["true"]
        assert run.status == RunStatus.CONFIRMED
        assert run.report["evidenceDigest"] == shown["evidenceDigest"]


class TestExpectedEvidenceDigest:
    def test_other_commands_than_the_caller_saw_are_refused_and_nothing_is_recorded(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])

        with pytest.raises(EvidenceDigestMismatch):
            request(workspace, expectedEvidenceDigest="sha256:" + "0" * 64)

        assert not workspace.runs.exists()

    def test_commands_that_changed_until_the_claim_are_not_run_and_nothing_is_revoked(self, workspace):
        move(workspace, "rotation", "locked", evidence=["true"])
        assert verified(workspace).status == RunStatus.CONFIRMED
        seen = preview_run(workspace=workspace, action="verify", arguments=parsed("verify", labels=["locked"]))
        run = request(workspace, labels=["locked"], expectedEvidenceDigest=seen["evidenceDigest"])
        move(workspace, "locked", "elsewhere", evidence=["touch ran"])
        before = kinds(workspace)

        run = executed(run)

        assert (run.status, run.error["code"]) == (RunStatus.ERROR, "EVIDENCE_DIGEST_MISMATCH")
        assert (run.started_at, run.report) == (None, None)
        assert kinds(workspace) == before
        assert entries_after(run.pk, 0, 10)[-1].kind == "ended"
