"""A workspace whose runs are executed in the test itself, at moments that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from fabric_app.models import Run, Workspace
from fabric_app.operations.runs import claim_run, execute_run, request_run
from tests.factories import MAYA, NOON, make_workspace, parsed

WORKER = "worker of the test"


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """A folder below a configured root."""
    settings.STATEHOUSE = {**settings.STATEHOUSE, "WORKSPACE_ROOTS": [tmp_path]}
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(transactional_db: None, folder: Path) -> Workspace:
    return make_workspace(folder)


def request(workspace: Workspace, action: str = "verify", *, now: Any = NOON, **args: Any) -> Run:
    return request_run(
        workspace=workspace, action=action, arguments=parsed(action, **args), user=None, actor=MAYA, now=now
    )


def claim(run: Run, *, now: Any = NOON, worker: str = WORKER) -> Run | None:
    return claim_run(run_id=run.pk, worker=worker, now=now)


def executed(run: Run) -> Run:
    """Claim and execute the run here, and return it as it is then."""
    if claim(run) is not None:
        execute_run(run_id=run.pk, worker=WORKER)
    return Run.objects.select_related("workspace").get(pk=run.pk)


def verified(workspace: Workspace, **args: Any) -> Run:
    return executed(request(workspace, **args))
