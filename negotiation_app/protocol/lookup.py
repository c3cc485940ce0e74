"""What stands at a field path, as JSON: for changes, dependencies and what a notification shows. Source: section 1."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from negotiation_app.protocol.derived import derived_at
from negotiation_app.protocol.facts import working_view
from negotiation_app.protocol.names import BoundaryKind, Side
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.state import Negotiation, issue_refs
from negotiation_app.protocol.texts import normal_name

_SIDES = (Side.OWN, Side.COUNTERPART)


class _Missing:
    """Stands for a path that leads nowhere; a path may well lead to null."""


MISSING = _Missing()


def look(state: Negotiation, path: str, at: datetime) -> Any:
    """Return what stands at `path`, or MISSING where the state has no such field."""
    family, _, rest = path.partition("/")
    reader = _FAMILIES.get(family)
    return MISSING if reader is None else reader(state, rest, at)


def shown(state: Negotiation, path: str, at: datetime) -> Any:
    """Return what stands at `path`, null where nothing does."""
    found = look(state, path, at)
    return None if found is MISSING else found


def _of_table(table: str, *members: str) -> Callable[[Negotiation, str, datetime], Any]:
    def read(state: Negotiation, rest: str, at: datetime) -> Any:
        row = getattr(state, table).get(rest)
        if row is None:
            return MISSING
        told = row_json(row)
        return {name: told[name] for name in members} if members else told

    return read


def _frame(state: Negotiation, rest: str, at: datetime) -> Any:
    own = state.own
    told = {"status": str(own.status), "mode": str(own.mode), "expectedToContinue": own.expected_to_continue}
    return told.get(rest, MISSING)


def _process(state: Negotiation, rest: str, at: datetime) -> Any:
    told = {"counterpart": state.own.counterpart, "deadline": state.own.deadline}
    return told.get(rest, MISSING) if rest else told


def _proposition(state: Negotiation, rest: str, at: datetime) -> Any:
    row = state.propositions.get(rest)
    if row is None:
        return MISSING
    told = row_json(row)
    parts = {name: told[name] for name in ("value", "status", "lifecycle", "reviewState")}
    return {**parts, "disputed": state.is_disputed(rest)}


def _evidence(state: Negotiation, rest: str, at: datetime) -> Any:
    row = state.propositions.get(rest)
    return MISSING if row is None else list(row.evidence)


def _fact(state: Negotiation, rest: str, at: datetime) -> Any:
    subject, _, attribute = rest.partition("/")
    slot = f"{normal_name(subject)}/{normal_name(attribute)}"
    if not attribute or slot not in state.slots:
        return MISSING
    return working_view(state, slot, at).as_json()


def _rate(state: Negotiation, rest: str, at: datetime) -> Any:
    found = [row for row in state.rates.values() if rest in (f"{row.base}/{row.quote}", "")]
    return [row_json(row) for row in sorted(found, key=lambda row: row.order)] if found else MISSING


def _offer(state: Negotiation, rest: str, at: datetime) -> Any:
    if not rest:
        return {side: _offer(state, side, at) for side in _SIDES}
    if rest not in _SIDES:
        return MISSING
    current = state.current_offer(rest)
    if current is None:
        return None
    terms = {issue: value.as_json() for issue, value in current.terms.items()}
    return {"proposal": current.ref, "terms": terms, "reconfirm": state.offers[rest].reconfirm}


def _boundary(state: Negotiation, rest: str, at: datetime) -> Any:
    issue, _, kind = rest.partition("/")
    if not issue:
        return {each: _boundary(state, each, at) for each in issue_refs(state)}
    if issue not in state.issues:
        return MISSING
    if not kind:
        return {each: _boundary(state, f"{issue}/{each}", at) for each in map(str, BoundaryKind)}
    if kind not in tuple(BoundaryKind):
        return MISSING
    row = state.boundary(issue, BoundaryKind(kind))
    return None if row is None else {"value": row.value.as_json(), "reviewState": str(row.review_state)}


def _batna(state: Negotiation, rest: str, at: datetime) -> Any:
    if rest:
        return MISSING
    if state.batna is None:
        return None
    current = state.batna.current
    terms = {issue: value.as_json() for issue, value in current.terms.items()}
    return {"description": current.description, "terms": terms, "reviewState": str(state.batna.review_state)}


def _strategy(state: Negotiation, rest: str, at: datetime) -> Any:
    if rest:
        return MISSING
    if state.strategy is None:
        return None
    told = row_json(state.judgements[state.strategy])
    return {"judgement": told["ref"], **{name: told[name] for name in ("text", "recommendation", "status")}}


def _derived(state: Negotiation, rest: str, at: datetime) -> Any:
    try:
        return derived_at(state, f"derived/{rest}" if rest else "derived", at)
    except LookupError:
        return MISSING


_FAMILIES: dict[str, Callable[[Negotiation, str, datetime], Any]] = {
    "negotiation": _frame,
    "process": _process,
    "parties": _of_table("parties", "name", "side"),
    "issues": _of_table("issues"),
    "rates": _rate,
    "facts": _fact,
    "propositions": _proposition,
    "evidence": _evidence,
    "contradictions": _of_table("contradictions", "kind", "members", "status"),
    "offers": _offer,
    "proposals": _of_table("proposals", "side", "status", "terms", "late"),
    "boundaries": _boundary,
    "batna": _batna,
    "criteria": _of_table("criteria", "comparator", "values", "retired"),
    "concessions": _of_table("concessions", "side", "issue", "fromValue", "toValue", "state"),
    "reviews": _of_table("reviews", "proposal", "result"),
    "judgements": _of_table("judgements", "kind", "status", "recommendation"),
    "strategy": _strategy,
    "derived": _derived,
}
