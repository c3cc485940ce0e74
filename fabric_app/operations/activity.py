"""Activity: one line for whatever somebody did, whether it left an event in a workspace's log or not."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.models import Activity

DONE = "done"


def record_activity(
    workspace_id: uuid.UUID | None,
    *,
    kind: str,
    name: str,
    actor: Actor,
    now: datetime,
    outcome: str = DONE,
    detail: dict[str, Any] | None = None,
    run_id: uuid.UUID | None = None,
    event_sequence: int | None = None,
) -> Activity:
    """Append a line and return it. It belongs in the transaction of what it tells of.

    workspace_id: None for what concerns accounts alone. event_sequence: of the event that says more, in that workspace.
    """
    return Activity.objects.create(
        workspace_id=workspace_id,
        kind=kind,
        name=name,
        outcome=outcome,
        detail=detail,
        actor=actor.as_json(),
        run_id=run_id,
        event_sequence=event_sequence,
        created_at_ms=to_ms(now),
    )
