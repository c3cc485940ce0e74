"""Rows of accounts and workspaces as the wire shows them. Times are ISO 8601 in UTC."""

from __future__ import annotations

from typing import Any

from fabric_app.mesh.clock import from_ms
from fabric_app.mesh.http.times import iso
from fabric_app.models import Activity, Workspace


def workspace_json(workspace: Workspace) -> dict[str, Any]:
    return {
        "id": str(workspace.pk),
        "slug": workspace.slug,
        "title": workspace.title,
        "root": workspace.root,
        "workerGroup": workspace.worker_group,
        "isArchived": workspace.is_archived,
        "version": workspace.version,
        "createdAt": iso(workspace.created_at),
    }


def activity_json(line: Activity) -> dict[str, Any]:
    """Return a line of activity; members without a value are left out."""
    optional = {
        "detail": line.detail,
        "runId": str(line.run_id) if line.run_id else None,
        "eventSequence": line.event_sequence,
    }
    return {
        "id": line.pk,
        "kind": line.kind,
        "name": line.name,
        "outcome": line.outcome,
        "actor": line.actor,
        **{name: value for name, value in optional.items() if value is not None},
        "createdAt": iso(from_ms(line.created_at_ms)),
    }
