"""A workspace without a folder: topics and keys are all that is needed here."""

from __future__ import annotations

import pytest

from fabric_app.models import Workspace
from tests.factories import make_workspace


@pytest.fixture
def workspace(db: None) -> Workspace:
    return make_workspace()
