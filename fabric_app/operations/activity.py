"""Activity: one line for whatever somebody did that the log of a workspace does not already show by itself."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.models import Activity

DONE = "done"


def record_activity(
    *,
    kind: str,
    name: str,
    actor: Actor,
    now: datetime,
    workspace_id: uuid.UUID | None = None,
    outcome: str = DONE,
    detail: dict[str, Any] | None = None,
) -> Activity:
    """Append a line and return it. It belongs in the transaction of what it tells of."""
    return Activity.objects.create(
        workspace_id=workspace_id,
        kind=kind,
        name=name,
        outcome=outcome,
        detail=detail,
        actor=actor.as_json(),
        created_at_ms=to_ms(now),
    )
