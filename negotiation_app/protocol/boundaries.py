"""Targets, floors and the BATNA: they move on a basis, keep their history, and are never rewritten. Section 12.3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.bases import confidence, take_basis
from negotiation_app.protocol.comparison import Comparison
from negotiation_app.protocol.conflicts import TargetNotEffective
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.names import BoundaryKind, ReviewState, Step
from negotiation_app.protocol.refusals import BoundaryOrder
from negotiation_app.protocol.rows import Batna, BatnaEntry, Boundary, BoundaryEntry
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.terms import check_type, check_types
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import advantage, compare_on


def set_boundary(draft: Draft, form: Mapping[str, Any]) -> None:
    issue, kind, value = form["issue"], form["kind"], form["value"]
    path = paths.boundary(f"{issue}/{kind}")
    check_type(draft.state, issue, value, "/boundary/value")
    before, kept = draft.state.boundaries.get(f"{issue}/{kind}"), draft.done.copy()
    basis = take_basis(draft, form.get("basis"), subject=path)
    _check_order(draft, issue, kind, value)
    same = before is not None and not before.is_retired and _is_same(draft, issue, before.value, value)
    if before is not None and same and before.review_state == ReviewState.CURRENT:
        draft.done = kept
        draft.note(Step.APPLY, f"{path} has this value already")
        return
    entry = BoundaryEntry(value, basis, draft.at, draft.source.ref)
    if before is None:
        draft.put(Boundary(issue, kind, ReviewState.CURRENT, (entry,)))
    else:
        draft.put(replace(before, review_state=ReviewState.CURRENT, entries=(*before.entries, entry)))
    _say(draft, path, same)


def set_batna(draft: Draft, form: Mapping[str, Any]) -> None:
    check_types(draft.state, form["terms"], "/batna/terms")
    before, kept = draft.state.batnas.get(paths.BATNA), draft.done.copy()
    basis = take_basis(draft, form.get("basis"), subject=paths.BATNA)
    entry = BatnaEntry(
        description=form["description"],
        terms=form["terms"],
        valid_until=form.get("validUntil"),
        basis=basis,
        confidence=confidence(draft.state, basis),
        recorded_at=draft.at,
        event=draft.source.ref,
    )
    same = before is not None and _is_same_batna(draft, before.current, entry)
    if before is not None and same and before.review_state == ReviewState.CURRENT:
        draft.done = kept
        draft.note(Step.APPLY, "the BATNA is this one already")
        return
    entries = (entry,) if before is None else (*before.entries, entry)
    draft.put(Batna(ReviewState.CURRENT, entries))
    _say(draft, paths.BATNA, same)


def retire_boundary(draft: Draft, form: Mapping[str, Any]) -> None:
    """Take a target or floor out of force, on a basis; what it was stays in its history."""
    row = draft.state.boundaries[f"{form['issue']}/{form['kind']}"]
    path = paths.boundary(row.key)
    if row.is_retired:
        raise TargetNotEffective(target=path, supersededBy=None)
    entry = BoundaryEntry(None, take_basis(draft, form.get("basis"), subject=path), draft.at, draft.source.ref)
    draft.put(replace(row, review_state=ReviewState.CURRENT, entries=(*row.entries, entry)))
    _say_retired(draft, path)


def retire_batna(draft: Draft, form: Mapping[str, Any]) -> None:
    """Take the BATNA out of force, on a basis; what it was stays in its history."""
    row = draft.state.batnas[paths.BATNA]
    if row.is_retired:
        raise TargetNotEffective(target=paths.BATNA, supersededBy=None)
    basis = take_basis(draft, form.get("basis"), subject=paths.BATNA)
    entry = BatnaEntry(
        description=None,
        terms={},
        valid_until=None,
        basis=basis,
        confidence=confidence(draft.state, basis),
        recorded_at=draft.at,
        event=draft.source.ref,
    )
    draft.put(replace(row, review_state=ReviewState.CURRENT, entries=(*row.entries, entry)))
    _say_retired(draft, paths.BATNA)


def _say_retired(draft: Draft, path: str) -> None:
    draft.move(path)
    draft.note(Step.APPLY, f"{path} is retired")


def _say(draft: Draft, path: str, same: bool) -> None:
    """A renewed basis changes the field; only another value moves what depends on it."""
    if same:
        draft.change(path)
        draft.note(Step.APPLY, f"{path} keeps its value on a new basis")
    else:
        draft.move(path)
        draft.note(Step.APPLY, f"{path} is set")


def _check_order(draft: Draft, issue: str, kind: BoundaryKind, value: Value) -> None:
    other_kind = BoundaryKind.TARGET if kind == BoundaryKind.FLOOR else BoundaryKind.FLOOR
    other = draft.state.boundary(issue, other_kind)
    if other is None:
        return
    floor, target = (value, other.value) if kind == BoundaryKind.FLOOR else (other.value, value)
    if advantage(draft.state, draft.state.issues[issue], floor, target, draft.now) == 1:
        raise BoundaryOrder(issue=issue)


def _is_same(draft: Draft, issue: str, one: Value, other: Value) -> bool:
    state: Negotiation = draft.state
    return compare_on(state, state.issues[issue], one, other, draft.now) == Comparison.EQUAL


def _is_same_batna(draft: Draft, one: BatnaEntry, other: BatnaEntry) -> bool:
    if (one.description, one.valid_until, set(one.terms)) != (other.description, other.valid_until, set(other.terms)):
        return False
    return all(_is_same(draft, issue, value, other.terms[issue]) for issue, value in one.terms.items())
