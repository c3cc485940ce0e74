"""A workspace, and everybody who may or may not do something with it."""

from __future__ import annotations

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from fabric_app.models import Workspace
from tests.factories import make_workspace
from tests.people import client_of, person, service


@pytest.fixture
def harbour(db: None) -> Workspace:
    root = settings.HOME / "workspaces" / "harbour"
    root.mkdir(parents=True, exist_ok=True)
    return make_workspace(root)


@pytest.fixture
def callers(harbour: Workspace) -> dict[str, APIClient]:
    """Return a client for each kind of caller, by name."""
    return {
        "operator": client_of(person("olga", "operator")),
        "auditor": client_of(person("arne", "auditor")),
        "host": service("ci", harbour, "write", "execute", is_host=True),
        "agent": service("scribe", harbour, "write"),
        "reader": service("reader", harbour, "read"),
        "outsider": client_of(person("otto", "agent")),
        "nobody": APIClient(),
    }


@pytest.fixture
def operator(callers: dict[str, APIClient]) -> APIClient:
    return callers["operator"]


@pytest.fixture
def agent(callers: dict[str, APIClient]) -> APIClient:
    return callers["agent"]


@pytest.fixture
def host(callers: dict[str, APIClient]) -> APIClient:
    return callers["host"]
