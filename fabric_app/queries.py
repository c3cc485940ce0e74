"""Everything that reads, under one name. Each function returns values that a door can show as they are."""

from __future__ import annotations

from fabric_app.queries_heads import accepted_head, quarantined_heads, workspace_summaries
from fabric_app.queries_mesh import mesh_get, mesh_list, mesh_read
from fabric_app.queries_state import complexity, current_state, history
from fabric_app.verification_targets import verification_targets

__all__ = [
    "accepted_head",
    "complexity",
    "current_state",
    "history",
    "mesh_get",
    "mesh_list",
    "mesh_read",
    "quarantined_heads",
    "verification_targets",
    "workspace_summaries",
]
