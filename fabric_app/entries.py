"""How the entry of a key looks on the wire: `{key, value, version, updatedAt, updatedBy}`. Source: fabric 1.3."""

from __future__ import annotations

from typing import Any

from fabric_app.mesh.models import KeyEntry


def entry_json(row: KeyEntry) -> dict[str, Any]:
    """Return a key that has a value as the wire shows it; times are ms since 1970."""
    return {
        "key": row.key,
        "value": row.value,
        "version": row.version,
        "updatedAt": row.updated_at_ms,
        "updatedBy": row.updated_by,
    }
