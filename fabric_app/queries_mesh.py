"""Raw reads of topics and keys: `mesh.read`, `mesh.get`, `mesh.list`. Source: fabric 1.2, 1.3."""

from __future__ import annotations

import math
from typing import Any

from django.conf import settings

from fabric_app.entries import entry_json
from fabric_app.mesh.keys import entries, live_entry
from fabric_app.mesh.models import Workspace
from fabric_app.mesh.topics import check_topic, event_json, read

DEFAULT_LIMIT = 100
MAX_SEQUENCE = 2**63 - 1


def mesh_read(
    workspace: Workspace,
    *,
    after: int | None = None,
    topic: str | None = None,
    to: str | None = None,
    limit: float | None = None,
) -> list[dict[str, Any]]:
    """Return events in rising order: the newest that match, or with `after` the oldest that follow it."""
    topic = check_topic(topic) if topic is not None else None
    after = min(after, MAX_SEQUENCE) if after is not None else None
    if to is not None and "\0" in to:
        return []
    return [event_json(event) for event in read(workspace.id, after=after, topic=topic, to=to, limit=_clamped(limit))]


def mesh_get(workspace: Workspace, key: str) -> dict[str, Any] | None:
    """Return the entry of a key, or None where it has no value."""
    row = live_entry(workspace.id, key) if "\0" not in key else None
    return entry_json(row) if row else None


def mesh_list(
    workspace: Workspace, *, prefix: str = "", limit: float | None = None, after: str = ""
) -> list[dict[str, Any]]:
    """Return the entries whose keys start with the prefix, in code point order, after a key if one is given."""
    if "\0" in prefix + after:
        return []
    found = entries(workspace.id, prefix=prefix, after=after, limit=_clamped(limit))
    return [entry_json(row) for row in found]


def _clamped(limit: float | None) -> int:
    bound: int = settings.STATEHOUSE["MAX_READ_EVENTS"]
    return min(max(math.floor(DEFAULT_LIMIT if limit is None else limit), 1), bound)
