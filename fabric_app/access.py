"""Who may do what on a workspace: model-level permissions of groups, or object-level grants.

Doors ask here before they call an operation. What an account cannot read does not exist for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

from fabric_app.mesh import access
from fabric_app.mesh.errors import NotFound, NotPermitted, StatehouseError
from fabric_app.models import Workspace

READ = "read_workspace"
WRITE = "write_workspace"
EXECUTE = "execute_workspace"
FORCE = "force_transition"
REPRESENT = "represent_workspace"
REPAIR = "repair_workspace"
# By the short names that commands and pages use.
PERMISSIONS = {
    "read": READ,
    "write": WRITE,
    "execute": EXECUTE,
    "force": FORCE,
    "represent": REPRESENT,
    "repair": REPAIR,
}
ADD, CHANGE = "add_workspace", "change_workspace"
CHANGES = frozenset({WRITE, EXECUTE, FORCE, REPRESENT})


class WorkspaceArchived(StatehouseError):
    """An archived workspace is read and repaired, and nothing else."""

    code, status = "WORKSPACE_ARCHIVED", 409
    message = "The workspace {workspace!r} is archived. An operator can take it out of the archive."


def may(user: Any, permission: str, workspace: Workspace) -> bool:
    """Tell whether the account holds a permission on a workspace, by its groups or by a grant."""
    return access.may(user, f"fabric_app.{permission}", workspace)


def require(user: Any, permission: str, workspace: Workspace) -> None:
    """Return where the account may do it. Raises NotFound (it cannot even read), NotPermitted, WorkspaceArchived."""
    require_held(user, permission, workspace)
    if workspace.is_archived and permission in CHANGES:
        raise WorkspaceArchived(workspace=workspace.slug)


def require_held(user: Any, permission: str, workspace: Workspace) -> None:
    """Return where the account holds the permission, archived or not: what was begun can be ended."""
    if not may(user, READ, workspace):
        raise NotFound(what="workspace", name=workspace.slug)
    if permission != READ and not may(user, permission, workspace):
        raise NotPermitted(permission=permission, target=f"workspace {workspace.slug}")


def require_everywhere(user: Any, permission: str) -> None:
    """Return where the account holds a permission (to create, to change) on all workspaces. Raises NotPermitted."""
    if not user.has_perm(f"fabric_app.{permission}"):
        raise NotPermitted(permission=permission, target="workspaces")


def reader_of(workspace: Workspace) -> Callable[[Any], bool]:
    """Return a question about an account, answered from the database each time: may it read the workspace?"""
    workspace_id = workspace.pk

    def may_read(user: Any) -> bool:
        current = Workspace.objects.filter(pk=workspace_id).first()
        return current is not None and may(user, READ, current)

    return may_read


def visible_workspaces(user: Any) -> QuerySet[Workspace]:
    """Return the workspaces that the account can read."""
    return access.visible(user, f"fabric_app.{READ}", Workspace)


def visible_workspace(user: Any, slug: str) -> Workspace:
    """Return the workspace of that name. Raises NotFound, also where it exists and the account cannot read it."""
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None or not may(user, READ, workspace):
        raise NotFound(what="workspace", name=slug)
    return workspace
