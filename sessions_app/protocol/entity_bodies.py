"""The bodies of entities that come from elsewhere: whether they are in the normal form in which ours are kept.

Whether an entity can be carried out depends on the state before it; that its body can be read at all does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import StatehouseError
from sessions_app.protocol.bootstrap import bootstrap_of
from sessions_app.protocol.configuration import Action
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.effects import stored_effects
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.replay import EntityKind
from sessions_app.protocol.values import normalised


def body_problem(kind: EntityKind, body: Any, limits: Limits) -> str | None:
    """Return what is wrong with a body, None where it is in normal form."""
    try:
        normal = _NORMAL[kind](normalised(body, _roomy(limits)), limits)
    except StatehouseError as refused:
        return refused.sentence()
    except (KeyError, TypeError, ValueError, AttributeError):
        return f"It is no {kind.value} that can be read."
    return None if dumps(normal) == dumps(body) else f"It is not in the normal form of a {kind.value}."


def _roomy(limits: Limits) -> Limits:
    """Return limits for a body as a whole: each value in it is held against the limits of one."""
    return replace(limits, depth=limits.depth * 2, nodes=limits.nodes * limits.namespaces)


def _bootstrap(body: Any, limits: Limits) -> Any:
    return bootstrap_of(body, limits).as_json()


def _configuration(body: Any, limits: Limits) -> Any:
    action = Action(body["action"])
    normal = {"action": action.value, "namespace": body["namespace"], "expectedRevision": int(body["expectedRevision"])}
    if "definition" in body:
        normal["definition"] = definition_of(body["definition"], limits).as_json()
    for member in ("initialValue", "value"):
        if member in body:
            normal[member] = normalised(body[member], limits)
    return normal


def _effects(body: Any, limits: Limits) -> Any:
    effects = [effect.as_json() for effect in stored_effects(body)]
    for effect in effects:
        for change in effect["payload"]["changes"]:
            if "value" in change:
                change["value"] = normalised(change["value"], limits)
    return effects


_NORMAL: Mapping[EntityKind, Callable[[Any, Limits], Any]] = {
    EntityKind.BOOTSTRAP: _bootstrap,
    EntityKind.CONFIGURATION: _configuration,
    EntityKind.TURN_COMMIT: _effects,
}
