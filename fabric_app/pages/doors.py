"""What the pages of workspaces share: finding the workspace, and what each prints of it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from fabric_app.access import may, require, visible_workspace
from fabric_app.mesh.http.values import Tab
from fabric_app.models import Workspace

TABS = (
    ("Overview", "workspace"),
    ("Timeline", "timeline"),
    ("Runs", "runs"),
    ("Complexity", "complexity"),
    ("Mesh", "events"),
    ("Activity", "activity"),
)


def readable(request: HttpRequest, slug: str) -> Workspace:
    """Return the workspace where the account can read it. Raises NotFound."""
    return visible_workspace(request.user, slug)


def permitted(request: HttpRequest, slug: str, permission: str) -> Workspace:
    """Return the workspace where the account holds the permission. Raises NotFound, NotPermitted, WorkspaceArchived."""
    workspace = visible_workspace(request.user, slug)
    require(request.user, permission, workspace)
    return workspace


def in_workspace(request: HttpRequest, workspace: Workspace, here: str) -> dict[str, Any]:
    """Return what every page of a workspace prints: its name, its tabs, and what the account may do."""
    names = [*TABS, ("Settings", "workspace-edit")] if request.user.has_perm("fabric_app.change_workspace") else TABS
    is_open = not workspace.is_archived
    return {
        "workspace": workspace,
        "tabs": [Tab(word, reverse(name, args=[workspace.slug]), name == here) for word, name in names],
        "may_write": is_open and may(request.user, "write_workspace", workspace),
        "may_execute": is_open and may(request.user, "execute_workspace", workspace),
        "may_repair": may(request.user, "repair_workspace", workspace),
        "title": workspace.title,
    }
