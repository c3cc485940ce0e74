"""The pages of repair: what they list, what they show before anything is written, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from guardian.shortcuts import assign_perm

from fabric_app.admin.repair_words import PAGES, released_by
from fabric_app.mesh.models import Event, KeyVersion
from fabric_app.models import Activity, RunStatus, TransitionState, Workspace
from fabric_app.operations import mesh_writes
from fabric_app.protocol.heads import Quarantine
from fabric_app.queries import current_state
from tests.admin.test_rows import make_run
from tests.factories import MAYA, NOON, make_workspace, move

pytestmark = pytest.mark.django_db

LISTED = "admin:fabric_app_workspace_quarantined"


def address(workspace: Workspace, action: str = "finish-commit") -> str:
    return reverse("admin:fabric_app_workspace_repair", args=[workspace.pk, action])


def quarantine(workspace: Workspace, **members: Any) -> None:
    """Plan is committed at version 2; a pending head without a marker follows at version 3."""
    move(workspace, "plan", "planned")
    head = {
        "protocolVersion": 2,
        "commitProof": {"version": 1, "status": "pending"},
        "transitionSequence": 9,
        "label": "<b>apply</b>",
        "to": "applied",
        "transitionId": "t",
        **members,
    }
    mesh_writes.import_key(workspace=workspace, key="state/current", value=head, actor=MAYA, now=NOON)


def form(client: Client, workspace: Workspace, action: str, **changes: Any) -> dict[str, Any]:
    """What the form of the preview sends."""
    repair = client.get(address(workspace, action)).context["repair"]
    return {
        "expected_version": repair.expected_version,
        "seen": repair.digest,
        "reason": "Import broke off.",
        **changes,
    }


def rows() -> tuple[int, int, int]:
    return Event.objects.count(), KeyVersion.objects.count(), Activity.objects.count()


class TestQuarantinedHeads:
    def test_each_is_listed_with_reason_effect_and_release(self, workspace: Workspace, operator: Client) -> None:
        quarantine(workspace)
        move(make_workspace(slug="sound"), "plan", "planned")

        page = operator.get(reverse(LISTED)).content.decode()

        assert "harbour" in page
        assert "sound" not in page
        assert "no-commit-marker" in page
        assert "No transition is recorded" in page
        assert "Finishing the commit" in page
        assert all(address(workspace, action) in page for action in PAGES)

    def test_nothing_is_quarantined(self, workspace: Workspace, operator: Client) -> None:
        assert "No head is quarantined." in operator.get(reverse(LISTED)).content.decode()

    def test_an_auditor_is_told_what_is_missing(self, workspace: Workspace, auditor: Client) -> None:
        quarantine(workspace)

        page = auditor.get(reverse(LISTED)).content.decode()

        assert "needs the permission repair_workspace" in page
        assert address(workspace, "remove-pending-head") not in page

    def test_those_of_other_workspaces_stay_hidden(self, workspace: Workspace, stranger: Client) -> None:
        quarantine(workspace)

        assert "harbour" not in stranger.get(reverse(LISTED)).content.decode()
        assert stranger.get(address(workspace)).status_code == 404

    def test_people_who_are_not_signed_in_are_sent_to_the_sign_in_page(self, workspace: Workspace) -> None:
        answer = Client().get(reverse(LISTED))

        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(reverse("admin:login"))

    @pytest.mark.parametrize("reason", Quarantine)
    def test_every_reason_says_what_releases_it(self, reason: Quarantine) -> None:
        assert released_by(reason)


@pytest.mark.parametrize("action", PAGES)
class TestRepair:
    def test_the_preview_shows_both_heads_as_text_and_writes_nothing(
        self, workspace: Workspace, operator: Client, action: str
    ) -> None:
        quarantine(workspace)
        before = rows()

        page = operator.get(address(workspace, action)).content.decode()

        assert "Before: version 3" in page
        assert "&lt;b&gt;apply&lt;/b&gt;" in page
        assert "<b>apply</b>" not in page
        assert "Event state.repaired" in page
        assert rows() == before

    def test_it_is_carried_out_and_work_goes_on(self, workspace: Workspace, operator: Client, action: str) -> None:
        quarantine(workspace)

        answer = operator.post(address(workspace, action), form(operator, workspace, action), follow=True)

        assert "done in harbour" in answer.content.decode()
        assert "No head is quarantined." in answer.content.decode()
        assert current_state(workspace)["quarantine"] is None
        assert Event.objects.get(kind="state.repaired").actor["name"] == "olga"
        assert move(workspace, "next", "further")["head"]["version"] > 3

    def test_a_stale_one_shows_the_conflict_and_keeps_what_was_typed(
        self, workspace: Workspace, operator: Client, action: str
    ) -> None:
        quarantine(workspace)
        sent = form(operator, workspace, action, reason="Typed <i>before</i>.")
        mesh_writes.import_key(workspace=workspace, key="state/current", value={"other": 1}, actor=MAYA, now=NOON)
        before = rows()

        answer = operator.post(address(workspace, action), sent)

        page = answer.content.decode()
        assert answer.status_code == 409
        assert "VERSION_CONFLICT" in page
        assert "Typed &lt;i&gt;before&lt;/i&gt;." in page
        assert "Before: version 4" in page
        assert rows() == before

    @pytest.mark.parametrize(
        "changes", [{"reason": " "}, {"expected_version": ""}, {"expected_version": "-1"}, {"expected_version": "٣"}]
    )
    def test_without_a_reason_or_a_version_it_is_refused(
        self, workspace: Workspace, operator: Client, action: str, changes: dict[str, str]
    ) -> None:
        quarantine(workspace)
        before = rows()

        answer = operator.post(address(workspace, action), form(operator, workspace, action, **changes))

        assert answer.status_code == 400
        assert "INVALID_ARGUMENTS" in answer.content.decode()
        assert rows() == before

    def test_without_the_permission_it_is_refused(self, workspace: Workspace, auditor: Client, action: str) -> None:
        quarantine(workspace)
        before = rows()

        answer = auditor.post(address(workspace, action), form(auditor, workspace, action))

        assert answer.status_code == 403
        assert "NOT_PERMITTED" in answer.content.decode()
        assert rows() == before

    def test_a_grant_on_the_workspace_is_enough(self, workspace: Workspace, stranger: Client, action: str) -> None:
        quarantine(workspace)
        account = stranger.get(reverse(LISTED)).context["user"]
        for permission in ("read_workspace", "repair_workspace"):
            assign_perm(permission, account, workspace)

        answer = stranger.post(address(workspace, action), form(stranger, workspace, action))

        assert answer.status_code == 302

    def test_one_that_is_not_possible_says_why_and_cannot_be_sent(
        self, workspace: Workspace, operator: Client, action: str
    ) -> None:
        move(workspace, "plan", "planned")

        page = operator.get(address(workspace, action)).content.decode()

        assert "NOTHING_TO_REPAIR" in page
        assert "<fieldset disabled>" in page


class TestUnknownRepair:
    def test_it_is_not_found(self, workspace: Workspace, operator: Client) -> None:
        assert operator.get(address(workspace, "forget-it")).status_code == 404


class TestLostRuns:
    def test_they_are_listed_with_their_reason(self, workspace: Workspace, operator: Client) -> None:
        lost = {"code": "WORKER_LOST", "message": "The worker <w1> was lost."}
        make_run(workspace, status=RunStatus.ERROR, error=lost, worker="<w1>", ended_at=NOON)
        make_run(workspace, status=RunStatus.RUNNING, heartbeat_at=NOON, worker="w2")
        own = make_run(workspace, status=RunStatus.VIOLATED, ended_at=NOON)

        page = operator.get(reverse("admin:fabric_app_workspace_lost_runs")).content.decode()

        assert "The worker &lt;w1&gt; was lost." in page
        assert "WORKER_LOST" in page
        assert "SILENT" in page
        assert str(own.pk) not in page

    def test_those_of_other_workspaces_stay_hidden(self, workspace: Workspace, stranger: Client) -> None:
        make_run(workspace, status=RunStatus.ERROR, error={"code": "WORKER_LOST", "message": "lost"})

        page = stranger.get(reverse("admin:fabric_app_workspace_lost_runs")).content.decode()

        assert "No run was lost." in page


@pytest.mark.django_db(transaction=True)
class TestRebuild:
    def test_differences_are_shown_and_put_right(self, workspace: Workspace, operator: Client) -> None:
        here = reverse("admin:fabric_app_workspace_rebuild", args=[workspace.pk])
        move(workspace, "plan", "planned")
        TransitionState.objects.update(is_visible=False)
        assert "1 row that differ" in operator.get(here).content.decode()

        assert operator.post(here, {"reason": ""}).status_code == 400
        assert operator.post(here, {"reason": "Somebody edited rows."}).status_code == 302

        assert "agrees with the log" in operator.get(here).content.decode()

    def test_without_the_permission_it_is_refused(self, workspace: Workspace, auditor: Client) -> None:
        here = reverse("admin:fabric_app_workspace_rebuild", args=[workspace.pk])

        assert auditor.post(here, {"reason": "Why not."}).status_code == 403


class TestGrants:
    def test_they_are_given_and_taken_back_with_an_activity_each(self, workspace: Workspace, operator: Client) -> None:
        here = reverse("admin:fabric_app_workspace_grants", args=[workspace.pk])
        sent = {"account": "olga", "permissions": ["write", "execute"]}

        operator.post(here, {**sent, "what": "grant"})
        assert operator.get(here).context["rows"] == [("olga", ["read", "write", "execute"])]

        operator.post(here, {**sent, "permissions": ["write"], "what": "withdraw"})
        assert operator.get(here).context["rows"] == [("olga", ["read", "execute"])]

        operator.post(here, {**sent, "permissions": ["read"], "what": "withdraw"})
        assert operator.get(here).context["rows"] == []
        kinds = list(Activity.objects.filter(kind__startswith="permission.").values_list("kind", flat=True))
        assert kinds == ["permission.granted", "permission.withdrawn", "permission.withdrawn"]

    @pytest.mark.parametrize(
        "changes", [{"account": "nobody"}, {"account": "a\0"}, {"permissions": []}, {"permissions": ["all"]}]
    )
    @pytest.mark.parametrize("what", ["grant", "withdraw"])
    def test_nonsense_is_refused(
        self, workspace: Workspace, operator: Client, changes: dict[str, Any], what: str
    ) -> None:
        here = reverse("admin:fabric_app_workspace_grants", args=[workspace.pk])

        answer = operator.post(here, {"account": "olga", "permissions": ["read"], "what": what, **changes})

        assert answer.status_code == 400

    def test_an_auditor_gives_none(self, workspace: Workspace, auditor: Client) -> None:
        here = reverse("admin:fabric_app_workspace_grants", args=[workspace.pk])

        answer = auditor.post(here, {"account": "alan", "permissions": ["repair"], "what": "grant"})

        assert answer.status_code == 403
        assert auditor.get(here).context["rows"] == []
