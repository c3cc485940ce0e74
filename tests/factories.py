"""Short ways to a workspace, people on it, and things recorded in it, all through the product's own operations."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from fabric_app.mesh.actors import Actor
from fabric_app.models import Workspace
from fabric_app.operations.transitions import record_transition
from fabric_app.operations.workspaces import create_workspace
from fabric_app.protocol import arguments

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOON_MS = 1_772_366_400_000
MAYA = Actor(id="maya", name="Maya")
SCRIBE = Actor(id="scribe", name="Scribe", kind="agent")


def make_workspace(root: Path | None = None, *, slug: str = "harbour", **changes: Any) -> Workspace:
    """Create a workspace; its root has to lie below a configured one."""
    return create_workspace(slug=slug, title=slug.title(), root=str(root or ""), actor=MAYA, now=NOON, **changes)


def parsed(action: str, **args: Any) -> Any:
    """Return an action's arguments as a door reads them; `from_` stands for `from`."""
    wire = {name.rstrip("_"): value for name, value in args.items()}
    return arguments.parse(action, wire, max_timeout_ms=settings.STATEHOUSE["MAX_COMMAND_TIMEOUT_MS"])


def move(workspace: Workspace, label: str, to: str, *, actor: Actor = SCRIBE, **args: Any) -> dict[str, Any]:
    """Record a transition and return its answer."""
    beside = {name: args.pop(name) for name in ("idempotency", "expected_version") if name in args}
    given = parsed("transition", label=label, to=to, summary=args.pop("summary", f"{label} claim"), **args)
    return record_transition(workspace=workspace, arguments=given, actor=actor, now=NOON, **beside)
