"""Replay: the projection that a log of entities leads to.

- Entities are bootstraps, configurations and turn commits, in the order in which they happened. A bootstrap replaces
  all namespaces.
- Each one is run again: rules, conditions and schema included. A revision that no longer matches, because an entity
  before it was retracted, is no failure.
- An entity that does fail changes nothing and is quarantined with its reason, as are those that fail because it did;
  the others stand. No namespace comes back that nothing creates.
- A fold can begin at the projection after any earlier entity, so that a tail costs no more than its own length.

Source: rp.state, section 11, "Statehouse".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from fabric_app.mesh.errors import StatehouseError
from sessions_app.protocol.bootstrap import Bootstrap, bootstrap_of
from sessions_app.protocol.commit import commit, recommit
from sessions_app.protocol.configuration import Action, configure
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.projection import EMPTY, Namespace, Projection

# What was accepted once is not refused because a deployment has smaller limits now.
NO_LIMITS = Limits(**{each.name: sys.maxsize for each in fields(Limits)})


class EntityKind(StrEnum):
    BOOTSTRAP = "bootstrap"
    CONFIGURATION = "configuration"
    TURN_COMMIT = "turn-commit"


@dataclass(frozen=True)
class Entity:
    """One entry of a session's log that changes state.

    key: whatever the caller knows it by. body: the normal form of a bootstrap, of a configuration's request, or the
    list of a commit's effects.
    """

    key: Any
    kind: EntityKind
    body: Any


@dataclass(frozen=True)
class Quarantined:
    """An entity that can no longer be carried out; `reason` is `{code, message, ...}`."""

    entity: Entity
    reason: Mapping[str, Any]


@dataclass(frozen=True)
class Folded:
    """The projection after a log, and what of the log had to be set aside, in order."""

    projection: Projection
    quarantined: tuple[Quarantined, ...] = ()


def fold(entities: Iterable[Entity], start: Projection = EMPTY) -> Folded:
    """Return what entities in normal form lead to, from a projection that stands for those before them."""
    projection = start
    quarantined = []
    for entity in entities:
        try:
            projection = after_entity(projection, entity)
        except StatehouseError as failed:
            quarantined.append(Quarantined(entity, failed.as_json()))
    return Folded(projection, tuple(quarantined))


def after_entity(projection: Projection, entity: Entity) -> Projection:
    """Return the projection after one entity in normal form. Raises StatehouseError where it cannot be carried out."""
    return _AFTER[entity.kind](projection, entity.body)


def after_foreign_entity(projection: Projection, entity: Entity, limits: Limits) -> Projection:
    """Return the projection after an entity that comes from elsewhere: read as untrusted, revisions apart."""
    if entity.kind is EntityKind.TURN_COMMIT:
        return commit(projection, _at_current_revisions(projection, entity.body), limits).projection
    if entity.kind is EntityKind.CONFIGURATION:
        return configure(projection, _at_current_revision(projection, entity.body), limits).projection
    return begun(projection, bootstrap_of(entity.body, limits))


def begun(projection: Projection, bootstrap: Bootstrap) -> Projection:
    """Return the next revision with the namespaces of a bootstrap in place of all others."""
    made = {
        each.namespace: Namespace.new(each.definition, each.initial_value, each.setup) for each in bootstrap.namespaces
    }
    return Projection(projection.revision + 1, made)


def _after_bootstrap(projection: Projection, body: Any) -> Projection:
    return begun(projection, bootstrap_of(body, NO_LIMITS))


def _after_configuration(projection: Projection, body: Any) -> Projection:
    return configure(projection, _at_current_revision(projection, body), NO_LIMITS).projection


def _after_commit(projection: Projection, body: Any) -> Projection:
    return recommit(projection, body).projection


_AFTER: Mapping[EntityKind, Callable[[Projection, Any], Projection]] = {
    EntityKind.BOOTSTRAP: _after_bootstrap,
    EntityKind.CONFIGURATION: _after_configuration,
    EntityKind.TURN_COMMIT: _after_commit,
}


def _at_current_revision(projection: Projection, request: Any) -> Any:
    """Return a request, of any form, that expects the revision which its namespace has."""
    if not isinstance(request, dict) or request.get("action") == Action.CREATE:
        return request
    return _expecting(projection, request)


def _at_current_revisions(projection: Projection, effects: Any) -> Any:
    if not isinstance(effects, list):
        return effects
    return [_expecting(projection, effect) if isinstance(effect, dict) else effect for effect in effects]


def _expecting(projection: Projection, asked: dict[str, Any]) -> dict[str, Any]:
    name = asked.get("namespace")
    namespace = projection.namespaces.get(name) if isinstance(name, str) else None
    return asked if namespace is None else {**asked, "expectedRevision": namespace.revision}
