"""People with different rights, signed in, and a workspace whose every table has rows."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client

from fabric_app.models import Workspace
from tests.factories import make_workspace


def signed_in(name: str, group: str | None = None, **members: Any) -> Client:
    account = get_user_model().objects.create_user(name, is_staff=True, **members)
    if group:
        account.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(account)
    return client


@pytest.fixture
def workspace(db: None) -> Workspace:
    return make_workspace()


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in("olga", "operator")


@pytest.fixture
def auditor(db: None) -> Client:
    return signed_in("alan", "auditor")


@pytest.fixture
def stranger(db: None) -> Client:
    return signed_in("stan")
