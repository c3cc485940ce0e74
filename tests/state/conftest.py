"""A workspace with a folder of its own, and the people who work on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from pytest_django import Settings

from fabric_app.models import Workspace
from tests.factories import make_workspace


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """A folder below a configured root."""
    settings.STATEHOUSE = {**settings.STATEHOUSE, "WORKSPACE_ROOTS": [tmp_path]}
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(db: None, folder: Path) -> Workspace:
    return make_workspace(folder)


@pytest.fixture
def operator(db: None) -> Any:
    return get_user_model().objects.create_user("maya", is_superuser=True)
