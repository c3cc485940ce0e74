"""Activity, newest first."""

from __future__ import annotations

import uuid

from fabric_app.models import Activity


def activity_page(workspace_id: uuid.UUID, *, before: int | None = None, limit: int) -> list[Activity]:
    """Return up to `limit` lines of a workspace, newest first, older than the line with id `before`."""
    lines = Activity.objects.filter(workspace_id=workspace_id)
    if before is not None:
        lines = lines.filter(pk__lt=before)
    return list(lines.order_by("-pk")[:limit])
