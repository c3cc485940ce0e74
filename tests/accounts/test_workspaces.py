"""Workspaces: their roots, their versions, and the trace that each change leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric_app.mesh.errors import InvalidArguments, VersionConflict
from fabric_app.models import Activity, LogHead, Workspace
from fabric_app.operations.workspaces import (
    RootNotAllowed,
    WorkspaceExists,
    allowed_root,
    archive_workspace,
    create_workspace,
    rename_workspace,
    set_root,
    set_worker_group,
    unarchive_workspace,
)
from tests.factories import MAYA, NOON, make_workspace

pytestmark = pytest.mark.django_db
BY_MAYA: dict[str, Any] = {"actor": MAYA, "now": NOON}


@pytest.fixture
def roots(settings: Any, tmp_path: Path) -> Path:
    """Return a folder that roots may lie in, which is itself reached by a link."""
    real = tmp_path / "real"
    (real / "repo").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(real)
    settings.STATEHOUSE = {**settings.STATEHOUSE, "WORKSPACE_ROOTS": [link]}
    return link


class TestCreateWorkspace:
    def test_begins_with_an_empty_log(self) -> None:
        workspace = make_workspace()

        assert LogHead.objects.get(workspace=workspace).event_sequence == 0
        assert Activity.objects.get(workspace=workspace).kind == "workspace.created"

    def test_refuses_a_name_that_is_taken_and_leaves_no_trace(self) -> None:
        make_workspace()
        with pytest.raises(WorkspaceExists):
            make_workspace()

        assert Activity.objects.count() == 1

    def test_says_everything_that_is_wrong_at_once(self) -> None:
        with pytest.raises(InvalidArguments) as refused:
            create_workspace(slug="a/b", title="\t", root="relative", worker_group="x" * 61, **BY_MAYA)

        assert [each.path for each in refused.value.problems] == ["/slug", "/title", "/root", "/workerGroup"]


class TestAllowedRoot:
    def test_resolves_links_on_both_sides(self, roots: Path) -> None:
        assert allowed_root(str(roots / "repo")) == str(roots.resolve() / "repo")
        assert allowed_root(str(roots)) == str(roots.resolve())
        assert allowed_root("") == ""

    def test_refuses_what_leads_outside(self, roots: Path, tmp_path: Path) -> None:
        (roots / "out").symlink_to("/etc")

        for root in ("/etc", "/", str(roots / ".." / "other"), str(roots / "out"), f"{roots.resolve()}-evil"):
            with pytest.raises(RootNotAllowed):
                allowed_root(root)

    def test_refuses_the_products_own_files(self, settings: Any) -> None:
        home = settings.HOME
        settings.STATEHOUSE = {**settings.STATEHOUSE, "WORKSPACE_ROOTS": [Path("/")]}

        for root in (home, home.parent, home / "broker", "/"):
            with pytest.raises(RootNotAllowed):
                allowed_root(str(root))
        assert allowed_root(str(home / "workspaces" / "harbour"))


class TestAChange:
    def test_moves_the_version_and_leaves_before_and_after(self, roots: Path) -> None:
        workspace = make_workspace()

        rename_workspace(workspace=workspace, expected=0, title="Port", **BY_MAYA)
        set_root(workspace=workspace, expected=1, root=str(roots / "repo"), **BY_MAYA)
        set_worker_group(workspace=workspace, expected=2, worker_group="docks", **BY_MAYA)
        archive_workspace(workspace=workspace, expected=3, **BY_MAYA)
        unarchive_workspace(workspace=workspace, expected=4, **BY_MAYA)

        stored = Workspace.objects.get()
        assert (stored.title, stored.worker_group, stored.is_archived, stored.version) == ("Port", "docks", False, 5)
        first = Activity.objects.filter(kind="workspace.changed").order_by("pk")[0]
        assert first.detail == {"before": {"title": "Harbour"}, "after": {"title": "Port"}}

    def test_on_a_version_that_is_gone_is_refused_and_leaves_no_trace(self) -> None:
        workspace = make_workspace()
        rename_workspace(workspace=workspace, expected=0, title="Port", **BY_MAYA)

        with pytest.raises(VersionConflict):
            rename_workspace(workspace=workspace, expected=0, title="Quay", **BY_MAYA)

        assert Workspace.objects.get().title == "Port"
        assert Activity.objects.filter(kind="workspace.changed").count() == 1
