"""A workspace in a database that other processes see as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from pytest_django import Settings

from fabric_app.models import Workspace
from tests.factories import make_workspace


@pytest.fixture
def folder(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below a root that is configured here and in every program started from here."""
    settings.STATEHOUSE = {**settings.STATEHOUSE, "WORKSPACE_ROOTS": [tmp_path]}
    monkeypatch.setenv("STATEHOUSE_WORKSPACE_ROOTS", str(tmp_path))
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(transactional_db: None, folder: Path) -> Workspace:
    return make_workspace(folder)


@pytest.fixture
def operator(transactional_db: None) -> Any:
    return get_user_model().objects.create_user("maya", is_superuser=True)
