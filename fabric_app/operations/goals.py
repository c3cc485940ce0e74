"""Setting the executable goal. Source: state layer, "state.goal"; fabric 9."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings

from fabric_app.entries import entry_json
from fabric_app.mesh import keys
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.models import Workspace
from fabric_app.mesh.texts import cut_text
from fabric_app.operations.activity import record_activity
from fabric_app.operations.writing import writing
from fabric_app.protocol.arguments import GoalArguments
from fabric_app.state_keys import GOAL_KEY

NAME_BYTES = 200


def set_goal(*, workspace: Workspace, arguments: GoalArguments, actor: Actor, now: datetime) -> dict[str, Any]:
    """Replace the goal, whatever it was, and return the entry of its key. Raises ValueTooLarge."""
    value = {"check": arguments.check}
    if arguments.description is not None:
        value["description"] = arguments.description
    with writing(workspace.id, actor=actor, now=now) as log:
        keys.put(log, GOAL_KEY, [value], expected=None, limit=settings.STATEHOUSE["MAX_EVENT_BYTES"])
        name, _ = cut_text(arguments.description or arguments.check, NAME_BYTES)
        record_activity(workspace_id=workspace.id, kind="goal", name=name, outcome="set", actor=actor, now=now)
        return entry_json(keys.written_entry(workspace.id, GOAL_KEY))
