"""Small sessions for the tests of commits and replay: definitions, effects, and a log beside the projection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sessions_app.protocol.bootstrap import bootstrap_of
from sessions_app.protocol.commit import Committed, commit
from sessions_app.protocol.configuration import configure
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import EMPTY, Namespace, Projection
from sessions_app.protocol.replay import Entity, EntityKind, begun

OPEN = {"title": "story", "updateMode": "schema-only", "schema": {}, "rules": []}


def definition(**parts: Any) -> dict[str, Any]:
    """Return a raw definition that allows anything within its schema, apart from what is given."""
    return OPEN | parts


def namespace(value: Any, **parts: Any) -> Namespace:
    return Namespace.new(definition_of(definition(**parts), DEFAULT_LIMITS), value)


def state(**values: Any) -> Projection:
    """Return a projection of open namespaces with these values."""
    return Projection(1, {name: namespace(value) for name, value in values.items()})


def change(op: str, path: str, operand: Any = None, **more: Any) -> dict[str, Any]:
    """Return one raw change; its operand goes to the member that the operation has."""
    member = {"set": "value", "append": "value", "increment": "by"}.get(op)
    told = {"op": op, "path": path, "reason": "the story asks for it"}
    return told | ({} if member is None else {member: operand}) | more


def effect(name: str, revision: int, *changes: Any) -> dict[str, Any]:
    payload = {"changes": list(changes)}
    return {"kind": "state.update", "namespace": name, "expectedRevision": revision, "payload": payload}


def story(*changes: Any) -> list[dict[str, Any]]:
    """Return the effects of a commit on a fresh namespace `story`."""
    return [effect("story", 1, *changes)]


class Session:
    """A log and its projection, each entity known by its place in the order of all that were accepted."""

    def __init__(self) -> None:
        self.log: list[Entity] = []
        self.projection = EMPTY
        self.accepted = 0

    def bootstrap(self, **values: Any) -> None:
        namespaces = [
            {
                "namespace": name,
                "initialValue": value,
                "definition": OPEN,
                "diagnostics": {"setup": [], "lastCommit": []},
            }
            for name, value in values.items()
        ]
        made = bootstrap_of({"version": 2, "namespaces": namespaces}, DEFAULT_LIMITS)
        self._take(EntityKind.BOOTSTRAP, made.as_json(), begun(self.projection, made))

    def configure(self, action: str, name: str, **members: Any) -> None:
        before = self.projection.namespaces.get(name)
        expected = 0 if before is None or action == "create" else before.revision
        request = {"action": action, "namespace": name, "expectedRevision": expected} | members
        configured = configure(self.projection, request, DEFAULT_LIMITS)
        self._take(EntityKind.CONFIGURATION, configured.request, configured.projection)

    def commit(self, **changes: Iterable[Any]) -> Committed:
        """Commit the changes of each namespace at its current revision."""
        current = self.projection.namespaces
        effects = [effect(name, current[name].revision if name in current else 1, *of) for name, of in changes.items()]
        committed = commit(self.projection, effects, DEFAULT_LIMITS)
        self._take(EntityKind.TURN_COMMIT, [each.as_json() for each in committed.effects], committed.projection)
        return committed

    def without(self, *keys: int) -> list[Entity]:
        return [entity for entity in self.log if entity.key not in keys]

    def _take(self, kind: EntityKind, body: Any, projection: Projection) -> None:
        self.log.append(Entity(self.accepted, kind, body))
        self.accepted += 1
        self.projection = projection
