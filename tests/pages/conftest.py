"""A workspace with a history, and people who look at it through a browser's eyes."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from guardian.shortcuts import assign_perm
from pytest_django import Settings

from fabric_app.models import Workspace
from tests.factories import make_workspace, move


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """A folder below a configured root."""
    settings.STATEHOUSE = {**settings.STATEHOUSE, "WORKSPACE_ROOTS": [tmp_path]}
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(db: None, folder: Path) -> Workspace:
    """Harbour: two steps, an archive boundary, and a step after it whose claim looks like HTML."""
    workspace = make_workspace(folder)
    move(workspace, "survey", "surveyed")
    move(workspace, "dig", "dug", from_="surveyed", evidence=["true"], tags=["deep"])
    move(workspace, "new-map", "mapped", from_="dug", kind="representation")
    move(workspace, "build", "built", from_="mapped", summary="<script>alert(1)</script>", evidence=["echo built"])
    return workspace


@pytest.fixture
def maya(db: None) -> User:
    """Maya, an operator."""
    user = User.objects.create_user("maya", password="a-long-password")
    user.groups.add(Group.objects.get(name="operator"))
    return user


@pytest.fixture
def reader(workspace: Workspace) -> User:
    """Rosa may read the workspace and nothing else."""
    user = User.objects.create_user("rosa", password="a-long-password")
    assign_perm("read_workspace", user, workspace)
    return user


@pytest.fixture
def stranger(db: None) -> User:
    """Stig has an account and no permission."""
    return User.objects.create_user("stig", password="a-long-password")


@pytest.fixture
def operator(maya: User) -> Client:
    """Maya's browser, signed in."""
    return browser_of(maya)


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client
