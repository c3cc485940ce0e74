"""The base of the fabric's API views: a door that knows workspaces."""

from __future__ import annotations

from fabric_app.access import READ, require, visible_workspace
from fabric_app.mesh.http import door
from fabric_app.models import Workspace


class Door(door.Door):
    """A view that translates in, makes one call, and translates out."""

    def workspace(self, slug: str, permission: str = READ) -> Workspace:
        """Return the workspace of that name, if the caller holds the permission on it."""
        workspace = visible_workspace(self.request.user, slug)
        require(self.request.user, permission, workspace)
        return workspace
