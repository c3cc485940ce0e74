"""The effects of a turn commit as they come over the wire, and as they are kept.

An effect has `kind` (`state.update`), `namespace`, `expectedRevision` and `payload` with `changes`, and nothing else.
One effect a namespace. Each is read alone, in this order, the first fault reported: members, kind, namespace id,
payload, second effect on one namespace, existence, revision; then its changes, all of them.

Source: rp.state, sections 6 to 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sessions_app.protocol.change_checks import Checked, check_changes, check_rules
from sessions_app.protocol.change_errors import Gathered, Issue, IssueCode
from sessions_app.protocol.change_reading import read_changes, stored_change
from sessions_app.protocol.changes import Change
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.names import ID_FORM, is_id
from sessions_app.protocol.nearest import Help, nearest_id
from sessions_app.protocol.numbers import is_number, is_safe_integer
from sessions_app.protocol.projection import Namespace, Projection
from sessions_app.protocol.text import shown

STATE_UPDATE = "state.update"

_MEMBERS = ("kind", "namespace", "expectedRevision", "payload")


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """One effect in its normal form."""

    namespace: str
    expected_revision: int
    changes: tuple[Change, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": STATE_UPDATE,
            "namespace": self.namespace,
            "expectedRevision": self.expected_revision,
            "payload": {"changes": [change.as_json() for change in self.changes]},
        }


def read_effects(raw: Any, projection: Projection, limits: Limits, issues: Gathered) -> tuple[StateUpdate, ...]:
    """Return the effects of a commit; none of them counts where something went to `issues`.

    Paths of issues point into the commit: `/effects/0/payload/changes/1/path`.
    """
    if not isinstance(raw, list):
        issues.add(Issue(IssueCode.INVALID_REQUEST, "/effects", "effects is a list; an empty one changes nothing."))
        return ()
    if len(raw) > limits.effects:
        message = f"A commit has at most {limits.effects} effects."
        issues.add(Issue(IssueCode.INVALID_REQUEST, "/effects", message, details={"maximum": limits.effects}))
        return ()
    taken: set[str] = set()
    read = []
    for index, each in enumerate(raw):
        inside = Gathered(issues.limit)
        read.append(_read(each, taken, projection, limits, inside))
        issues.add(*(issue.under(f"/effects/{index}") for issue in inside))
    return tuple(effect for effect in read if effect is not None)


def stored_effects(wire: Sequence[Mapping[str, Any]]) -> tuple[StateUpdate, ...]:
    """Return effects from their normal form, as `StateUpdate.as_json` gave it; nothing is checked again."""
    return tuple(
        StateUpdate(
            each["namespace"],
            each["expectedRevision"],
            tuple(stored_change(change) for change in each["payload"]["changes"]),
        )
        for each in wire
    )


def recheck_effect(effect: StateUpdate, index: int, projection: Projection, issues: Gathered) -> None:
    """Add to `issues` what a stored effect now lacks before it can be run: its namespace, or what its rules allow."""
    namespace = projection.namespaces.get(effect.namespace)
    if namespace is None:
        issues.add(_unknown_namespace(effect.namespace, projection).under(f"/effects/{index}"))
        return
    inside = Gathered(issues.limit)
    against = Checked(effect.namespace, namespace.definition, namespace.rules, Help(namespace.definition, None))
    check_rules(tuple(enumerate(effect.changes)), against, inside)
    issues.add(*(issue.under(f"/effects/{index}") for issue in inside))


def check_effect(raw: Any, namespace: str, state: Namespace, limits: Limits, issues: Gathered) -> tuple[Change, ...]:
    """Return the changes of one effect on a namespace that exists; what is wrong with them goes to `issues`."""
    suggest = Help(state.definition, state.value)
    changes = read_changes(raw, namespace=namespace, limits=limits, issues=issues, help_with=suggest)
    if changes:
        check_changes(changes, Checked(namespace, state.definition, state.rules, suggest), issues)
    return tuple(change for _, change in changes)


def _read(raw: Any, taken: set[str], projection: Projection, limits: Limits, issues: Gathered) -> StateUpdate | None:
    fault = _form_fault(raw) or _placement_fault(raw, taken, projection)
    if fault is not None:
        issues.add(fault)
        return None
    name = raw["namespace"]
    taken.add(name)
    changes = check_effect(raw["payload"]["changes"], name, projection.namespaces[name], limits, issues)
    return StateUpdate(name, int(raw["expectedRevision"]), changes)


def _form_fault(raw: Any) -> Issue | None:
    """Return what is wrong with an effect's form, whatever the state is."""
    if not isinstance(raw, dict):
        return Issue(IssueCode.INVALID_REQUEST, "", f"An effect is an object with {', '.join(_MEMBERS)}.")
    fault = _member_fault(raw, _MEMBERS, "")
    if fault is not None:
        return fault
    if raw["kind"] != STATE_UPDATE:
        return Issue(IssueCode.INVALID_EFFECT, "/kind", f"The only kind of effect is {STATE_UPDATE}.")
    if not is_id(raw["namespace"]):
        return Issue(IssueCode.NAMESPACE_INVALID, "/namespace", f"A namespace is named by {ID_FORM}.")
    if not isinstance(raw["payload"], dict):
        return Issue(IssueCode.INVALID_REQUEST, "/payload", "A payload is an object with changes.")
    return _member_fault(raw["payload"], ("changes",), "/payload")


def _member_fault(raw: dict[str, Any], members: tuple[str, ...], place: str) -> Issue | None:
    if raw.keys() == set(members):
        return None
    unknown = next((name for name in raw if name not in members), None)
    if unknown is not None:
        message = f"There is no member {shown(str(unknown))} here; allowed are {', '.join(members)}."
        return Issue(IssueCode.INVALID_REQUEST, place, message, details={"allowed": list(members)})
    missing = next(name for name in members if name not in raw)
    return Issue(IssueCode.INVALID_REQUEST, place, f"The member {missing} is missing.", details={"missing": missing})


def _placement_fault(raw: dict[str, Any], taken: set[str], projection: Projection) -> Issue | None:
    """Return what is wrong with where an effect of good form would go."""
    name, expected = raw["namespace"], raw["expectedRevision"]
    if name in taken:
        message = "There is another effect on this namespace; put all its changes into one."
        return Issue(IssueCode.INVALID_EFFECT, "/namespace", message, name)
    namespace = projection.namespaces.get(name)
    if namespace is None:
        return _unknown_namespace(name, projection)
    if not is_number(expected) or expected != namespace.revision:
        message = f"The namespace is at revision {namespace.revision}; read it and decide again."
        # Echoed only where it is a revision; anything else may be what no answer can carry.
        details = {"expected": expected if is_safe_integer(expected) else None, "current": namespace.revision}
        return Issue(IssueCode.REVISION_CONFLICT, "/expectedRevision", message, name, details=details)
    return None


def _unknown_namespace(name: str, projection: Projection) -> Issue:
    nearest = nearest_id(name, projection.namespaces)
    details = {"namespaces": list(projection.namespaces)} | ({} if nearest is None else {"nearest": nearest})
    return Issue(IssueCode.NAMESPACE_NOT_FOUND, "/namespace", f"There is no namespace {name}.", name, details=details)
