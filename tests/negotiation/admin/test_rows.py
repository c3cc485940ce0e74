"""Rows of negotiations in the admin: all of them can be looked at, and none can be edited."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from negotiation_app.models import NotificationMail
from tests.negotiation.deals import Deal, every_operation, with_something_of_everything
from tests.negotiation.protocol.talks import MONDAY

pytestmark = pytest.mark.django_db

MODELS = list(apps.get_app_config("negotiation_app").get_models())
SCRIPT = "<script>alert(1)</script>"


def address(model: Any, page: str, *args: Any) -> str:
    return reverse(f"admin:negotiation_app_{model._meta.model_name}_{page}", args=args)


def filled(**frame: Any) -> Deal:
    """Return a negotiation with a row in every table."""
    deal = with_something_of_everything(title=SCRIPT, **frame)
    told = {operation: body for operation, _, body in every_operation()}
    deal.say("override_review", told["override_review"], key=f"key of {deal.ref}")
    principal = get_user_model().objects.get(username="petra")
    NotificationMail.objects.get_or_create(
        negotiation=deal.row,
        notification="notification-1",
        user=principal,
        defaults={"next_try_at": MONDAY + timedelta(days=1)},
    )
    return deal


def signed_in(name: str, group: str | None = None) -> Client:
    account = get_user_model().objects.create_user(name, is_staff=True)
    if group:
        account.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(account)
    return client


class TestEveryModel:
    def test_has_a_place_in_the_admin(self) -> None:
        assert [model for model in MODELS if not admin.site.is_registered(model)] == []

    def test_opens_its_list_and_its_rows_for_an_auditor(self) -> None:
        filled()
        auditor = signed_in("alan", "auditor")

        for model in MODELS:
            rows: Any = model._default_manager
            listed = auditor.get(address(model, "changelist"), {"q": "a"})
            row = auditor.get(address(model, "change", rows.first().pk))
            assert (listed.status_code, row.status_code) == (200, 200), model
            for page in (listed, row):
                told = page.content.decode()
                assert SCRIPT not in told
                assert address(model, "add") not in told
                assert 'name="_save"' not in told

    def test_asks_as_many_queries_for_many_rows_as_for_few(self) -> None:
        filled()
        auditor = signed_in("alan", "auditor")

        few = {model: _queries(auditor, model) for model in MODELS}
        filled(ref="second")
        many = {model: _queries(auditor, model) for model in MODELS}

        assert many == few

    def test_lets_nobody_add_change_or_delete_a_row(self) -> None:
        filled()
        root = Client()
        root.force_login(get_user_model().objects.create_superuser("root"))

        for model in MODELS:
            rows: Any = model._default_manager
            before, pk = list(rows.order_by("pk").values()), rows.first().pk
            assert root.post(address(model, "add"), {}).status_code == 403
            assert root.post(address(model, "change", pk), {"_save": "Save"}).status_code == 403
            assert root.post(address(model, "delete", pk), {"post": "yes"}).status_code == 403
            root.post(
                address(model, "changelist"),
                {"action": "delete_selected", "_selected_action": [pk], "post": "yes"},
            )
            assert list(rows.order_by("pk").values()) == before, model

    def test_is_hidden_from_staff_without_the_permission(self) -> None:
        stranger = signed_in("stan")

        assert {stranger.get(address(model, "changelist")).status_code for model in MODELS} == {403}


def _queries(client: Client, model: Any) -> int:
    client.get(address(model, "changelist"))
    with CaptureQueriesContext(connection) as asked:
        client.get(address(model, "changelist"))
    return len(asked)
