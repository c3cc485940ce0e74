from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from guardian.shortcuts import assign_perm

from fabric_app.models import Event, Run, Workspace
from fabric_app.operations.runs import claim_run
from tests.factories import NOON, make_workspace, move
from tests.pages.conftest import browser_of
from tests.runs.conftest import request


@pytest.fixture(autouse=True)
def _sent_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that a page asks for stay queued: no worker is there to hear of them."""
    monkeypatch.setattr("fabric_app.operations.runs.send", lambda run: None)


def form(**typed: Any) -> dict[str, Any]:
    given = {"label": "moor", "from": "built", "to": "moored", "summary": "The ship is fast.", "evidence": "true"}
    return {"formKey": str(uuid4()), "seenVersion": "8", **given, **typed}


def transitions(workspace: Workspace) -> int:
    return Event.objects.filter(workspace=workspace, kind="transition").count()


class TestRecordTransition:
    def test_records_what_was_typed_and_shows_it(self, workspace: Workspace, operator: Client):
        typed = form(evidence="first\r\necho \\\r\n  second\r\n\r\n", tags="a, b", kind="state")

        answer = operator.post("/workspaces/harbour/transitions/new/", typed, follow=True)

        head = answer.context["head"]
        assert (head["to"], head["label"], head["origin"]) == ("moored", "moor", "built")
        assert head["evidence"] == ["first", "echo \\\n  second"]
        assert head["tags"] == ["a", "b"]

    def test_sent_twice_records_one(self, workspace: Workspace, operator: Client):
        typed, before = form(), transitions(workspace)

        answers = [operator.post("/workspaces/harbour/transitions/new/", typed) for _ in range(2)]

        assert [answer.status_code for answer in answers] == [302, 302]
        assert transitions(workspace) == before + 1

    def test_from_elsewhere_keeps_the_text_beside_the_newer_head(self, workspace: Workspace, operator: Client):
        move(workspace, "overtake", "overtaken")

        answer = operator.post("/workspaces/harbour/transitions/new/", form(summary="Kept words."))

        shown = answer.content.decode()
        assert answer.status_code == 409
        assert "The head stands at overtaken, not at built." in shown
        assert "Kept words." in shown
        assert answer.context["is_moved"]
        assert answer.context["head"]["to"] == "overtaken"

    def test_says_what_is_wrong_beside_the_control(self, workspace: Workspace, operator: Client):
        answer = operator.post("/workspaces/harbour/transitions/new/", form(label=" ", to=""))

        errors = {field.name: field.errors for field in answer.context["fields"] if field.errors}
        assert answer.status_code == 400
        assert set(errors) == {"label", "to"}

    @pytest.mark.parametrize("extra", [{"force": "yes"}, {"kind": "representation"}])
    def test_needs_its_own_permission_to_force_or_archive(self, workspace: Workspace, reader: User, extra: Any):
        assign_perm("write_workspace", reader, workspace)

        answer = browser_of(reader).post("/workspaces/harbour/transitions/new/", form(**extra))

        assert answer.status_code == 403
        assert transitions(workspace) == 4

    def test_bears_any_text(self, workspace: Workspace, operator: Client):
        odd = form(label="\0", summary="x" * 200_000, evidence="\0\n" * 50, tags="," * 500, kind="odd")

        assert operator.post("/workspaces/harbour/transitions/new/", odd).status_code in (302, 400, 413)


class TestGoal:
    def test_is_set_and_shown(self, workspace: Workspace, operator: Client):
        answer = operator.post("/workspaces/harbour/goal/", {"check": "make test", "description": ""}, follow=True)

        assert answer.context["goal"]["check"] == "make test"

    def test_that_is_blank_is_refused_beside_its_control(self, workspace: Workspace, operator: Client):
        answer = operator.post("/workspaces/harbour/goal/", {"check": "  ", "description": "kept"})

        assert answer.status_code == 400
        assert "kept" in answer.content.decode()
        assert next(field for field in answer.context["fields"] if field.name == "check").errors


class TestVerify:
    def test_shows_the_exact_commands_before_anything_runs(self, workspace: Workspace, operator: Client):
        shown = operator.get("/workspaces/harbour/verify/")

        assert [each["command"] for each in shown.context["preview"]["commands"]] == ["echo built"]
        assert shown.context["preview"]["evidenceDigest"] in shown.content.decode()
        assert not Run.objects.exists()

    def test_asks_for_one_run_however_often_it_is_sent(self, workspace: Workspace, operator: Client):
        digest = operator.get("/workspaces/harbour/verify/").context["preview"]["evidenceDigest"]
        typed = {"formKey": str(uuid4()), "expectedEvidenceDigest": digest, "timeout": "5"}

        answers = [operator.post("/workspaces/harbour/verify/", typed) for _ in range(3)]

        run = Run.objects.get()
        assert {answer.headers["Location"] for answer in answers} == {f"/runs/{run.pk}/"}
        assert run.arguments["timeoutMs"] == 5000
        assert run.arguments["expectedEvidenceDigest"] == digest

    def test_of_changed_commands_runs_nothing_and_shows_the_new_ones(self, workspace: Workspace, operator: Client):
        digest = operator.get("/workspaces/harbour/verify/").context["preview"]["evidenceDigest"]
        move(workspace, "change", "changed", evidence=["echo new"])

        answer = operator.post(
            "/workspaces/harbour/verify/", {"formKey": str(uuid4()), "expectedEvidenceDigest": digest}
        )

        assert answer.status_code == 409
        assert "The commands have changed" in answer.content.decode()
        assert [each["command"] for each in answer.context["preview"]["commands"]] == ["echo new"]
        assert not Run.objects.exists()

    @pytest.mark.parametrize("timeout", ["-1", "0", "abc", "99999999", "1e9"])
    def test_says_beside_the_control_that_a_time_is_wrong(self, workspace: Workspace, operator: Client, timeout: str):
        answer = operator.get("/workspaces/harbour/verify/", {"timeout": timeout})

        assert next(field for field in answer.context["fields"] if field.name == "timeout").errors

    def test_of_a_workspace_without_a_root_says_what_is_missing(self, operator: Client):
        move(make_workspace(slug="shoal"), "begin", "begun", evidence=["true"])

        assert "has no root folder" in operator.get("/workspaces/shoal/verify/").content.decode()

    def test_of_a_goal_that_is_not_set_says_so(self, workspace: Workspace, operator: Client):
        assert "No goal is set" in operator.get("/workspaces/harbour/check-goal/").content.decode()


class TestCancel:
    def test_needs_a_reason_and_keeps_it(self, workspace: Workspace, operator: Client):
        run = request(workspace)
        claim_run(run_id=run.pk, worker="w", now=NOON)

        without = operator.post(f"/runs/{run.pk}/cancel/", {"reason": " "})
        shown = operator.post(f"/runs/{run.pk}/cancel/", {"reason": "It is <late>."}, follow=True)

        assert without.status_code == 400
        assert shown.context["run"]["cancel"]["reason"] == "It is <late>."
        assert "Waiting for the worker to acknowledge it" in shown.content.decode()

    def test_of_a_queued_run_stops_it_at_once(self, workspace: Workspace, operator: Client):
        run = request(workspace)

        shown = operator.post(f"/runs/{run.pk}/cancel/", {"reason": "not now"}, follow=True)

        assert shown.context["run"]["state"].word == "cancelled"
        assert shown.context["run"]["cancel"]["is_stopped"]

    def test_needs_the_permission_to_execute(self, workspace: Workspace, reader: User):
        run = request(workspace)

        assert browser_of(reader).post(f"/runs/{run.pk}/cancel/", {"reason": "no"}).status_code == 403


class TestAQueuedRun:
    def test_says_that_nobody_listens_or_that_another_run_has_the_place(self, workspace: Workspace, operator: Client):
        first, second = request(workspace), request(workspace, now=NOON + timedelta(seconds=1))

        shown = [operator.get(f"/runs/{run.pk}/").content.decode() for run in (first, second)]

        assert "no worker of the group default is listening" in shown[0]
        assert f'waiting for <a href="/runs/{first.pk}/">an earlier run</a>' in shown[1]


class TestWorkspaceForms:
    def test_create_one_and_go_to_it(self, operator: Client, folder: Any):
        typed = {"slug": "quay", "title": "Quay", "root": str(folder), "worker_group": "default"}

        answer = operator.post("/new-workspace/", typed)

        assert answer.headers["Location"] == "/workspaces/quay/"

    def test_say_beside_each_control_what_is_wrong(self, operator: Client):
        typed = {"slug": "a b", "title": "", "root": "relative", "worker_group": "default"}

        answer = operator.post("/new-workspace/", typed)

        wrong = {field.name for field in answer.context["fields"] if field.errors}
        assert answer.status_code == 400
        assert wrong == {"slug", "title", "root"}

    def test_rename_one_unless_it_moved_on(self, workspace: Workspace, operator: Client):
        typed = {"version": "0", "title": "Haven", "root": workspace.root, "worker_group": "default"}

        first = operator.post("/workspaces/harbour/settings/", typed)
        second = operator.post("/workspaces/harbour/settings/", {**typed, "title": "Port"})

        workspace.refresh_from_db()
        assert first.status_code == 302
        assert second.status_code == 409
        assert "Port" in second.content.decode()
        assert workspace.title == "Haven"

    def test_archive_one_only_when_sure(self, workspace: Workspace, operator: Client):
        typed = {"version": "0", "archive": "yes"}

        unsure = operator.post("/workspaces/harbour/settings/", typed)
        sure = operator.post("/workspaces/harbour/settings/", {**typed, "sure": "yes"})

        workspace.refresh_from_db()
        assert (unsure.status_code, sure.status_code) == (400, 302)
        assert workspace.is_archived

    def test_are_for_operators(self, workspace: Workspace, reader: User):
        browser = browser_of(reader)

        assert browser.get("/new-workspace/").status_code == 403
        assert browser.post("/workspaces/harbour/settings/", {"version": "0", "title": "Mine"}).status_code == 403


class TestForms:
    def test_are_refused_without_their_token(self, workspace: Workspace, maya: User):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(maya, backend="django.contrib.auth.backends.ModelBackend")

        answer = strict.post("/workspaces/harbour/transitions/new/", form())

        assert answer.status_code == 403
        assert "nothing was changed" in answer.content.decode()
