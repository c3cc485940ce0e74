"""Rows in the admin: all of them can be looked at, none can be edited, and no list asks a query a row."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from fabric_app.mesh.admin import reading
from fabric_app.mesh.admin.cells import BLOCK_CHARS
from fabric_app.mesh.models import Event
from fabric_app.models import (
    Activity,
    IdempotencyRecord,
    Run,
    RunAction,
    RunEntry,
    RunEntryKind,
    RunStatus,
    ServiceToken,
    WorkerSeen,
    Workspace,
)
from fabric_app.operations import accounts, mesh_writes
from tests.factories import MAYA, NOON, NOON_MS, make_workspace, move

pytestmark = pytest.mark.django_db

MODELS = list(apps.get_app_config("fabric_app").get_models())
SCRIPT = "<script>alert(1)</script>"


def address(model: Any, page: str, *args: Any) -> str:
    return reverse(f"admin:fabric_app_{model._meta.model_name}_{page}", args=args)


def fill(workspace: Workspace, count: int = 1) -> None:
    """Leave `count` rows or more in every table that operations fill."""
    account = get_user_model().objects.create_user(f"account-{workspace.slug}")
    for number in range(count):
        event = move(workspace, f"{SCRIPT} {number}", f"to {number}")["event"]
        target = {"transitionId": event["id"], "label": "a", "to": "b"}
        mesh_writes.import_event(
            workspace=workspace,
            topic="fabric.state",
            kind="state.certified",
            data={"targets": [target], "evidenceDigest": "e", "resultDigest": "r"},
            actor=MAYA,
            now=NOON,
        )
        mesh_writes.put_key(workspace=workspace, key=f"notes/{number}", value=SCRIPT, actor=MAYA, now=NOON)
        run = make_run(workspace)
        RunEntry.objects.create(
            run=run, sequence=1, kind=RunEntryKind.OUTPUT, output=b"\xff\0" + SCRIPT.encode(), created_at_ms=NOON_MS
        )
        accounts.issue_token(user=account, name=f"t{number}", expires_in=timedelta(days=1), now=NOON)
        accounts.make_sign_in_link(user=account, now=NOON)
        WorkerSeen.objects.create(
            name=f"{workspace.slug}-{number}", worker_group="default", seen_at=NOON, started_at=NOON
        )
        IdempotencyRecord.objects.create(
            user=account, key=str(number), request_digest="d", status=201, answer={}, created_at=NOON
        )


def make_run(workspace: Workspace, **members: Any) -> Run:
    given = {"status": RunStatus.QUEUED, "action": RunAction.VERIFY, **members}
    return Run.objects.create(
        workspace=workspace,
        arguments={},
        worker_group="default",
        requested_by=MAYA.as_json(),
        created_at=NOON,
        **given,
    )


class TestEveryModel:
    def test_has_a_place_in_the_admin(self) -> None:
        assert [model for model in MODELS if not admin.site.is_registered(model)] == []

    @pytest.mark.parametrize("model", MODELS)
    def test_its_list_and_its_rows_open_for_an_auditor(self, workspace: Workspace, auditor: Client, model: Any) -> None:
        fill(workspace)

        listed = auditor.get(address(model, "changelist"))
        row = auditor.get(address(model, "change", model.objects.first().pk))

        assert (listed.status_code, row.status_code) == (200, 200)
        for page in (listed, row):
            assert SCRIPT not in page.content.decode()
            assert address(model, "add").encode() not in page.content
            assert b"deletelink" not in page.content
            assert b'name="_save"' not in page.content

    @pytest.mark.parametrize("model", MODELS)
    def test_its_list_asks_as_many_queries_for_many_rows_as_for_few(
        self, workspace: Workspace, auditor: Client, model: Any
    ) -> None:
        fill(workspace)
        auditor.get(address(model, "changelist"))
        with CaptureQueriesContext(
            connection,
        ) as few:
            auditor.get(address(model, "changelist"))
        fill(make_workspace(slug="second"), 5)

        with CaptureQueriesContext(connection) as many:
            auditor.get(address(model, "changelist"))

        assert len(many) == len(few)

    @pytest.mark.parametrize("model", MODELS)
    def test_it_can_be_searched(self, workspace: Workspace, auditor: Client, model: Any) -> None:
        fill(workspace)

        for term in ("script", '"\\ %_', "\0", "0" * 32):
            assert auditor.get(address(model, "changelist"), {"q": term}).status_code == 200

    @pytest.mark.parametrize("model", MODELS)
    def test_nobody_adds_changes_or_deletes_a_row(self, workspace: Workspace, model: Any) -> None:
        fill(workspace)
        root = get_user_model().objects.create_superuser("root")
        client = Client()
        client.force_login(root)
        before = list(model.objects.order_by("pk").values())
        pk = model.objects.first().pk

        assert client.post(address(model, "add"), {}).status_code == 403
        assert client.post(address(model, "change", pk), {"_save": "Save"}).status_code == 403
        assert client.post(address(model, "delete", pk), {"post": "yes"}).status_code == 403
        bulk = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
        client.post(address(model, "changelist"), bulk)

        assert list(model.objects.order_by("pk").values()) == before

    @pytest.mark.parametrize("model", MODELS)
    def test_it_is_hidden_from_staff_without_the_permission(self, stranger: Client, model: Any) -> None:
        assert stranger.get(address(model, "changelist")).status_code == 403


class TestEventList:
    def test_it_counts_no_further_than_it_pages(
        self, workspace: Workspace, auditor: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reading, "MOST_ROWS", 3)
        fill(workspace, 3)

        with CaptureQueriesContext(connection) as asked:
            page = auditor.get(address(Event, "changelist"))

        assert page.context["cl"].result_count == 3
        counting = [query["sql"] for query in asked if "COUNT(" in query["sql"] and "fabric_app_event" in query["sql"]]
        assert counting
        assert all("LIMIT 3" in sql for sql in counting)

    def test_a_word_is_found_inside_its_json(self, workspace: Workspace, auditor: Client) -> None:
        move(workspace, "plan", "planned", summary='Says "hé"')
        move(workspace, "apply", "applied")

        page = auditor.get(address(Event, "changelist"), {"q": 'says "hé"'})

        assert [event.kind for event in page.context["cl"].queryset] == ["transition"]

    def test_it_is_filtered_by_kind_time_and_sequence(self, workspace: Workspace, auditor: Client) -> None:
        fill(workspace, 2)

        def found(**query: Any) -> list[int]:
            page = auditor.get(address(Event, "changelist"), query)
            return [event.sequence for event in page.context["cl"].queryset]

        assert found(**{"state-kind": "transition"}) == [4, 1]
        assert found(sequence__lt=3) == [2, 1]
        assert found(created="day") == []
        assert len(found(workspace__id__exact=str(workspace.pk))) == 6


class TestRunEntry:
    def test_output_is_decoded_and_cut(self, workspace: Workspace, auditor: Client) -> None:
        raw = b"\xff" + b"x" * (2 * BLOCK_CHARS)
        entry = RunEntry.objects.create(
            run=make_run(workspace), sequence=1, kind=RunEntryKind.OUTPUT, output=raw, created_at_ms=NOON_MS
        )

        page = auditor.get(address(RunEntry, "change", entry.pk)).content.decode()

        assert "�xxx" in page
        assert "more characters are stored" in page
        assert len(page) < 3 * BLOCK_CHARS

    def test_a_text_that_utf_8_has_no_form_for_is_shown_escaped(self, workspace: Workspace, auditor: Client) -> None:
        mesh_writes.publish(workspace=workspace, topic="t", text="\ud800", data={"a": "\udfff"}, actor=MAYA, now=NOON)

        event = Event.objects.get()

        assert r"\ud800" in auditor.get(address(Event, "changelist")).content.decode()
        assert r"\udfff" in auditor.get(address(Event, "change", event.pk)).content.decode()


class TestRevokeTokens:
    def test_it_asks_first_and_then_leaves_an_activity(self, workspace: Workspace, operator: Client) -> None:
        fill(workspace)
        token = ServiceToken.objects.get()
        chosen = {"action": "revoke", "_selected_action": [str(token.pk)]}

        asked = operator.post(address(ServiceToken, "changelist"), chosen)

        assert b"Revoke 1" in asked.content
        assert not ServiceToken.objects.exclude(revoked_at=None).exists()

        operator.post(address(ServiceToken, "changelist"), {**chosen, "confirmed": "yes"})

        assert ServiceToken.objects.exclude(revoked_at=None).get() == token
        assert Activity.objects.get(kind="token.revoked").actor["name"] == "olga"

    def test_an_auditor_cannot(self, workspace: Workspace, auditor: Client) -> None:
        fill(workspace)
        token = ServiceToken.objects.get()

        auditor.post(
            address(ServiceToken, "changelist"),
            {"action": "revoke", "_selected_action": [str(token.pk)], "confirmed": "yes"},
        )

        assert not ServiceToken.objects.exclude(revoked_at=None).exists()
