"""A turn commit: its effects in order on a working copy, all of them or none.

1. Every effect and every change is checked without running anything, and all faults are reported together.
2. The effects run in order. Before a change whose rule has a condition, the condition is asked about the state as
   the changes before it left it. The first fault ends it.
3. The final value of each changed namespace is checked against its whole schema.
4. Every namespace gets the diagnostics of this commit in place of those of the one before.

Source: rp.state, sections 6 and 8.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, NamedTuple

from sessions_app.protocol import pointer
from sessions_app.protocol.change_errors import CommitRefused, Gathered
from sessions_app.protocol.changes import ABSENT, Change, Difference
from sessions_app.protocol.effects import StateUpdate, read_effects, recheck_effect, stored_effects
from sessions_app.protocol.every_turn import due_diagnostics
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.projection import Namespace, Projection, WireDiagnostic
from sessions_app.protocol.running import run_changes


class ChangedPath(NamedTuple):
    """What one change did to one place, and by what right."""

    namespace: str
    change: Change
    difference: Difference

    def as_json(self) -> dict[str, Any]:
        """Return the wire form; `before` or `after` is left out where nothing was, or is, at the path."""
        told = {
            "namespace": self.namespace,
            "path": pointer.format(self.difference.segments),
            "op": self.change.op.value,
            "before": self.difference.before,
            "after": self.difference.after,
            "ruleId": self.change.rule_id,
            "reason": self.change.reason,
        }
        return {name: value for name, value in told.items() if value is not ABSENT}


@dataclass(frozen=True)
class Committed:
    """An accepted commit: the new projection, its effects in normal form, what changed, and the diagnostics."""

    projection: Projection
    effects: tuple[StateUpdate, ...]
    changed: tuple[ChangedPath, ...]
    diagnostics: tuple[WireDiagnostic, ...]


def commit(projection: Projection, effects: Any, limits: Limits) -> Committed:
    """Return what a commit leads to; `projection` and `effects` stay as they are.

    effects: JSON as it came, a list with any number of `state.update` effects.
    Raises CommitRefused with every independent issue, at most `limits.issues`.
    """
    issues = Gathered(limits.issues)
    read = read_effects(effects, projection, limits, issues)
    if issues:
        raise CommitRefused(issues.found)
    return run_effects(projection, read)


def recommit(projection: Projection, effects: Sequence[Mapping[str, Any]]) -> Committed:
    """Return what a commit from the log leads to now, whatever its revisions; `effects` are in normal form.

    Raises CommitRefused where a namespace, a rule, a condition, a place or the schema is no longer as it needs.
    """
    issues = Gathered(sys.maxsize)
    read = stored_effects(effects)
    for index, effect in enumerate(read):
        recheck_effect(effect, index, projection, issues)
    if issues:
        raise CommitRefused(issues.found)
    return run_effects(projection, read)


def run_effects(projection: Projection, effects: Sequence[StateUpdate]) -> Committed:
    """Return what well-formed effects lead to. Raises CommitRefused with the first issue."""
    state = projection.values()
    moved: dict[str, Namespace] = {}
    changed: list[ChangedPath] = []
    for index, effect in enumerate(effects):
        name = effect.namespace
        namespace = projection.namespaces[name]
        try:
            differences = run_changes(name, namespace, effect.changes, state)
        except CommitRefused as refused:
            raise CommitRefused([issue.under(f"/effects/{index}") for issue in refused.issues]) from None
        moved[name] = namespace.moved(value=state[name])
        changed.extend(map(ChangedPath, repeat(name), effect.changes, differences))
    diagnostics = due_diagnostics(projection, {effect.namespace: effect.changes for effect in effects})
    after = _with_diagnostics(projection, moved, diagnostics)
    return Committed(after, tuple(effects), tuple(changed), tuple(d for each in diagnostics.values() for d in each))


def _with_diagnostics(
    projection: Projection, moved: dict[str, Namespace], diagnostics: Mapping[str, tuple[WireDiagnostic, ...]]
) -> Projection:
    """Return the projection after a commit; the very same one where nothing is different."""
    for name, namespace in projection.namespaces.items():
        latest = moved.get(name, namespace)
        due = diagnostics.get(name, ())
        if latest.last_commit != due:
            moved[name] = replace(latest, last_commit=due)
    return projection.with_namespaces(moved) if moved else projection
