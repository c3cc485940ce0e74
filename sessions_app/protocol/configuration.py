"""Configuration: create, update, reset and delete a namespace.

- `create` makes it at revision 1, its value the initial one; `expectedRevision` is 0.
- `update` replaces the whole definition and, where given, the whole initial value and the whole value; what is kept
  has to fit the new schema, or all is refused. `null` is a value, a missing member is none.
- `reset` copies the initial value to the value. `delete` removes the namespace.
- `update` and `reset` move the revision by one and empty `lastCommit`; `setup` stays.

Checked in this order, the first fault ends it: action, namespace id, revision's type, members, existence, revision;
then definition and values.

Source: rp.state, section 10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sessions_app.protocol.configuration_errors import InvalidStateRequest, NamespaceNotFound, RevisionConflict
from sessions_app.protocol.definition import Definition
from sessions_app.protocol.definition_reading import definition_of, namespace_id
from sessions_app.protocol.errors import NamespaceLimit, ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.numbers import is_safe_integer
from sessions_app.protocol.projection import Namespace, Projection
from sessions_app.protocol.rulebook import Rulebook
from sessions_app.protocol.schema import fitting
from sessions_app.protocol.text import shown


class Action(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    RESET = "reset"
    DELETE = "delete"


_COMMON = ("action", "namespace", "expectedRevision")
_MEMBERS: Mapping[Action, tuple[str, ...]] = {
    Action.CREATE: (*_COMMON, "definition", "initialValue"),
    Action.UPDATE: (*_COMMON, "definition", "initialValue", "value"),
    Action.RESET: _COMMON,
    Action.DELETE: _COMMON,
}


@dataclass(frozen=True)
class Configured:
    """An accepted configuration: the new projection, the request in normal form, the namespace before and after."""

    projection: Projection
    action: Action
    namespace: str
    request: Mapping[str, Any]
    before: Namespace | None
    after: Namespace | None


def configure(projection: Projection, request: Any, limits: Limits) -> Configured:
    """Return what a configuration leads to; `projection` and `request` stay as they are.

    request: JSON as it came.
    Raises InvalidStateRequest, NamespaceNotFound, RevisionConflict, NamespaceLimit, and whatever is wrong with a
    definition or a value.
    """
    action, name, expected = _head(request)
    before = projection.namespaces.get(name)
    _check_revision(projection, name, before, action, expected)
    return _ACTIONS[action](projection, name, before, request, limits)


def _head(request: Any) -> tuple[Action, str, int]:
    if not isinstance(request, dict):
        raise InvalidStateRequest(path="/", detail="A configuration is an object with action and namespace.")
    raw = request.get("action")
    if not isinstance(raw, str) or raw not in set(Action):
        raise InvalidStateRequest(path="/action", detail=f"action is one of {', '.join(Action)}.")
    action = Action(raw)
    name = namespace_id(request.get("namespace"), "/namespace")
    expected = request.get("expectedRevision")
    if not is_safe_integer(expected) or expected < 0:
        raise InvalidStateRequest(path="/expectedRevision", detail="It is the namespace's revision; 0 for create.")
    unknown = next((member for member in request if member not in _MEMBERS[action]), None)
    if unknown is not None:
        allowed = ", ".join(_MEMBERS[action])
        detail = f"{action.value} has no member {shown(str(unknown))}; it has {allowed}."
        raise InvalidStateRequest(path="/", detail=detail)
    return action, name, int(expected)


def _check_revision(projection: Projection, name: str, before: Namespace | None, action: Action, expected: int) -> None:
    # A namespace that exists is at revision 1 at least, so that a create at 0 meets a conflict.
    if before is None and action is not Action.CREATE:
        raise NamespaceNotFound(namespace=name, namespaces=list(projection.namespaces))
    current = 0 if before is None else before.revision
    if expected != current:
        raise RevisionConflict(namespace=name, expected=expected, current=current)


def _create(now: Projection, name: str, _before: Any, request: Mapping[str, Any], limits: Limits) -> Configured:
    if len(now.namespaces) >= limits.namespaces:
        raise NamespaceLimit.at("/namespace", f"It has {limits.namespaces} already; delete one first.")
    definition = definition_of(request.get("definition"), limits, "/definition")
    if "initialValue" not in request:
        raise ValueInvalid.at("/initialValue", "Give the value that the namespace begins with; null is one.")
    after = Namespace.new(definition, _fitting_member("initialValue", request["initialValue"], definition, limits))
    normal = _normal(Action.CREATE, name, 0) | _definition_json(definition) | {"initialValue": after.initial_value}
    return Configured(now.with_namespaces({name: after}), Action.CREATE, name, normal, None, after)


def _update(now: Projection, name: str, before: Any, request: Mapping[str, Any], limits: Limits) -> Configured:
    definition = definition_of(request.get("definition"), limits, "/definition")
    kept = {"initialValue": before.initial_value, "value": before.value}
    fit = {member: _fitting_member(member, request.get(member, kept[member]), definition, limits) for member in kept}
    after = before.moved(
        definition=definition, rules=Rulebook.of(definition), initial_value=fit["initialValue"], value=fit["value"]
    )
    given = {member: value for member, value in fit.items() if member in request}
    normal = _normal(Action.UPDATE, name, before.revision) | _definition_json(definition) | given
    return Configured(now.with_namespaces({name: after}), Action.UPDATE, name, normal, before, after)


def _reset(now: Projection, name: str, before: Any, _request: Mapping[str, Any], _limits: Limits) -> Configured:
    after = before.moved(value=before.initial_value)
    normal = _normal(Action.RESET, name, before.revision)
    return Configured(now.with_namespaces({name: after}), Action.RESET, name, normal, before, after)


def _delete(now: Projection, name: str, before: Any, _request: Mapping[str, Any], _limits: Limits) -> Configured:
    normal = _normal(Action.DELETE, name, before.revision)
    return Configured(now.without(name), Action.DELETE, name, normal, before, None)


_ACTIONS: Mapping[Action, Callable[[Projection, str, Any, Mapping[str, Any], Limits], Configured]] = {
    Action.CREATE: _create,
    Action.UPDATE: _update,
    Action.RESET: _reset,
    Action.DELETE: _delete,
}


def _fitting_member(member: str, value: Any, definition: Definition, limits: Limits) -> Any:
    """Return the normal form of a value that the definition allows. Raises ValueInvalid with places in the request."""
    try:
        return fitting(value, definition.checker, limits)
    except ValueInvalid as refused:
        problems = [replace(problem, path=f"/{member}{problem.path}") for problem in refused.problems]
        raise ValueInvalid(problems) from None


def _definition_json(definition: Definition) -> dict[str, Any]:
    return {"definition": definition.as_json()}


def _normal(action: Action, name: str, expected: int) -> dict[str, Any]:
    return {"action": action.value, "namespace": name, "expectedRevision": expected}
