"""One case at work: a workspace with a folder, and each kind of step carried out by the product's own operations."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from fabric_app import queries
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.models import Event, KeyEntry, Workspace
from fabric_app.operations import mesh_writes
from fabric_app.operations.goals import set_goal
from fabric_app.operations.transitions import record_transition
from fabric_app.protocol import arguments
from tests.conformance.scenario_faults import Faults, Step
from tests.conformance.scenario_runs import run_action
from tests.factories import MAYA, NOON, SCRIBE, make_workspace

TOPIC = "fabric.state"
STATE_KEYS = "state/"
WRITE: dict[str, Any] = {"actor": SCRIBE, "now": NOON}
RAW: dict[str, Any] = {"actor": MAYA, "now": NOON}


class World:
    """Carries out steps and keeps what later steps refer to."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.workspace: Workspace = make_workspace(folder)
        self.faults = Faults(patch, self.step)
        self.kept: dict[str, Any] = {}

    def step(self, step: Step) -> dict[str, Any]:
        """Carry out one step and return `{ok: value}` or `{error: {code, ...}}`."""
        try:
            value = self._value(step)
        except StatehouseError as refused:
            return {"error": refused.as_json()}
        if "as" in step:
            self.kept[step["as"]] = value
        return {"ok": _shown(value)}

    def events(self) -> list[dict[str, Any]]:
        """Return the events of the state topic as the cases list them."""
        rows = Event.objects.filter(workspace=self.workspace, topic=TOPIC).exclude(kind="noise").order_by("sequence")
        return [{"sequence": row.sequence, "kind": row.kind, "data": _shown(row.data)} for row in rows]

    def keys(self) -> list[dict[str, Any]]:
        """Return the keys of the state layer as the cases list them."""
        rows = KeyEntry.objects.filter(workspace=self.workspace, is_deleted=False).order_by("key")
        return [
            {"key": row.key, "version": row.version, "value": row.value}
            for row in sorted(rows, key=lambda row: row.key)
            if row.key.startswith(STATE_KEYS)
        ]

    def _value(self, step: Step) -> Any:
        op, args = step["op"], self._filled(step.get("args", {}))
        if op in FILES:
            return FILES[op](self.folder / step["path"], step)
        if op in MESH:
            return MESH[op](self.workspace, args)
        if op == "fault":
            return self.faults.arm(step["fault"])
        if op == "noise":
            return self._noise(step)
        if op == "sleep":
            return time.sleep(step["ms"] / 1000)
        return self._act(op, args, step)

    def _act(self, op: str, args: Any, step: Step) -> Any:
        """Carry out an action of the state layer, from arguments as a caller sends them."""
        parsed: Any = arguments.parse(
            op.removeprefix("state."), args, max_timeout_ms=settings.STATEHOUSE["MAX_COMMAND_TIMEOUT_MS"]
        )
        if op in ("verify", "checkGoal"):
            folder = self.folder / step.get("cwd", "")
            return run_action(self.workspace, op, parsed, folder=folder, faults=self.faults, abort=step.get("abort"))
        if op == "transition":
            return record_transition(workspace=self.workspace, arguments=parsed, **WRITE)
        if op == "goal":
            return set_goal(workspace=self.workspace, arguments=parsed, **WRITE)
        if op == "get":
            return queries.current_state(self.workspace)
        reads = {"history": queries.history, "complexity": queries.complexity}
        return reads[op](self.workspace, parsed)

    def _noise(self, step: Step) -> None:
        for number in range(step["count"]):
            topic = step.get("topic", TOPIC)
            mesh_writes.import_event(workspace=self.workspace, topic=topic, kind="noise", data={"n": number}, **RAW)

    def _filled(self, value: Any) -> Any:
        """Return arguments with references to earlier answers, and long texts, written out."""
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if isinstance(value, dict) and "$repeat" in value:
            text, count = value["$repeat"]
            return text * count
        if isinstance(value, dict):
            return {name: self._filled(item) for name, item in value.items()}
        if isinstance(value, str) and value.startswith("$"):
            name, *path = value[1:].split(".")
            found = self.kept[name]
            for part in path:
                found = found[part]
            return found
        return value


def _renamed(args: dict[str, Any]) -> dict[str, Any]:
    return {{"ifVersion": "if_version"}.get(name, name): value for name, value in args.items()}


def _write(path: Path, step: Step) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = base64.b64decode(step["base64"]) if "base64" in step else step["content"].encode()
    path.write_bytes(content)


FILES: dict[str, Callable[[Path, Step], Any]] = {
    "write": _write,
    "remove": lambda path, step: path.unlink(),
    "mkdir": lambda path, step: path.mkdir(parents=True),
    "symlink": lambda path, step: path.symlink_to(step["target"]),
    "exists": lambda path, step: path.exists(),
}
MESH: dict[str, Callable[[Workspace, dict[str, Any]], Any]] = {
    "mesh.get": lambda workspace, args: queries.mesh_get(workspace, args["key"]),
    "mesh.list": lambda workspace, args: queries.mesh_list(workspace, **args),
    "mesh.read": lambda workspace, args: queries.mesh_read(workspace, **args),
    "mesh.put": lambda workspace, args: mesh_writes.put_key(workspace=workspace, **_renamed(args), **WRITE),
    "mesh.delete": lambda workspace, args: mesh_writes.delete_key(workspace=workspace, **_renamed(args), **WRITE),
    "mesh.publish": lambda workspace, args: mesh_writes.publish(workspace=workspace, **args, **WRITE),
    "raw.put": lambda workspace, args: mesh_writes.import_key(workspace=workspace, **_renamed(args), **RAW),
    "raw.delete": lambda workspace, args: mesh_writes.import_deletion(workspace=workspace, **_renamed(args), **RAW),
    "raw.publish": lambda workspace, args: mesh_writes.import_event(workspace=workspace, **args, **RAW),
}


def _shown(value: Any) -> Any:
    """Return a value as the cases show it: without the author of an event, errors of a rollback counted."""
    if isinstance(value, list):
        return [_shown(item) for item in value]
    if not isinstance(value, dict):
        return value
    shown = {name: _shown(item) for name, item in value.items() if not (name == "from" and isinstance(item, dict))}
    if "rollback" in shown:
        shown["rollback"] = {**shown["rollback"], "errors": len(shown["rollback"]["errors"])}
        shown["error"] = {"code": shown["error"].split(":", 1)[0]}
    return shown
