"""What a turn should have brought and did not: diagnostics, which refuse nothing.

For each rule with the cadence `every-turn`, in every namespace that commits can change: its condition is asked about
the state before the commit. False: not due. Undecided: the condition's own diagnostic. Otherwise a change on exactly
its target has to be among the accepted ones; under `rules-required` one that names this rule.

Source: rp.state, section 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sessions_app.protocol.changes import Change
from sessions_app.protocol.definition import Rule, UpdateMode
from sessions_app.protocol.projection import Namespace, Projection, WireDiagnostic
from sessions_app.protocol.text import shown

EVERY_TURN_MISSED = "STATE_EVERY_TURN_MISSED"


def due_diagnostics(
    before: Projection, accepted: Mapping[str, Sequence[Change]]
) -> dict[str, tuple[WireDiagnostic, ...]]:
    """Return the diagnostics of a commit, by namespace; namespaces without any are left out.

    before: the projection that the commit was made on. accepted: the changes of each namespace that has an effect.
    """
    state = before.values()
    told = {
        name: tuple(_namespace_diagnostics(name, namespace, accepted.get(name, ()), state))
        for name, namespace in before.namespaces.items()
        if namespace.rules.every_turn and namespace.definition.update_mode is not UpdateMode.DISABLED
    }
    return {name: found for name, found in told.items() if found}


def _namespace_diagnostics(
    name: str, namespace: Namespace, changes: Sequence[Change], state: Mapping[str, Any]
) -> list[WireDiagnostic]:
    each = (_diagnostic(name, rule, namespace, changes, state) for rule in namespace.rules.every_turn)
    return [diagnostic for diagnostic in each if diagnostic is not None]


def _diagnostic(
    name: str, rule: Rule, namespace: Namespace, changes: Sequence[Change], state: Mapping[str, Any]
) -> WireDiagnostic | None:
    place = {"namespace": name, "ruleId": rule.id, "path": rule.target}
    condition = namespace.rules.conditions.get(rule.id)
    if condition is not None:
        outcome = condition.evaluate(state)
        if outcome.diagnostic is not None:
            return outcome.diagnostic.as_json() | place
        if not outcome.active:
            return None
    if any(_meets(change, rule, namespace.definition.update_mode) for change in changes):
        return None
    message = f"Rule {rule.id} asks for a change of {shown(rule.target)} on every turn, and this one made none."
    return {"code": EVERY_TURN_MISSED, "severity": "warning", "message": message} | place


def _meets(change: Change, rule: Rule, mode: UpdateMode) -> bool:
    return change.path == rule.target and (mode is UpdateMode.SCHEMA_ONLY or change.rule_id == rule.id)
