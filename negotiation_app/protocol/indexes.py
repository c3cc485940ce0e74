"""The indexes over a state's rows: what each row that is put in its place adds to them, or takes from them.

Source: canonical negotiation state, sections 3 and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from rpds import HashTrieMap, HashTrieSet

from negotiation_app.protocol import paths
from negotiation_app.protocol.names import IN_FORCE, ContradictionStatus, JudgementKind, ProposalStatus, Resolution
from negotiation_app.protocol.rows import (
    Batna,
    Boundary,
    Contradiction,
    HistoryEvent,
    Judgement,
    Proposal,
    Proposition,
    Row,
)
from negotiation_app.protocol.times import moment

if TYPE_CHECKING:
    from negotiation_app.protocol.state import Negotiation


def indexed(state: Negotiation, row: Row) -> dict[str, Any]:
    """Return the indexes that differ once `row` stands at its key, by their names in the state."""
    index = _INDEXES.get(row.TABLE)
    return {} if index is None else index(state, getattr(state, row.TABLE).get(row.key), row)


def pair_key(one: str, other: str) -> str:
    return " ".join(sorted((one, other)))


def _index_proposition(state: Negotiation, before: Proposition | None, row: Proposition) -> dict[str, Any]:
    updates: dict[str, Any] = {}
    if before is None:
        updates["slots"] = state.slots.insert(row.slot, (*state.slots.get(row.slot, ()), row.ref))
    known = () if before is None else before.evidence
    premises = [premise for ref in row.evidence if ref not in known for premise in state.evidence[ref].premises]
    if premises:
        updates["dependents"] = _depend(state, paths.proposition(row.ref), map(paths.proposition, premises))
    return updates


def _index_contradiction(state: Negotiation, before: Contradiction | None, row: Contradiction) -> dict[str, Any]:
    disputes, exempt = state.disputes, state.exempt
    is_open = row.status == ContradictionStatus.OPEN
    for ref in row.members:
        others = tuple(each for each in disputes.get(ref, ()) if each != row.ref)
        refs = tuple(sorted((*others, row.ref), key=_number)) if is_open else others
        disputes = disputes.insert(ref, refs) if refs else disputes.discard(ref)
    if row.resolution is not None and row.resolution["resolution"] == Resolution.COMPATIBLE:
        for place, one in enumerate(row.members):
            for other in row.members[:place]:
                exempt = exempt.insert(pair_key(one, other), row.ref)
    return {"disputes": disputes, "exempt": exempt}


def _number(ref: str) -> int:
    return int(ref.rpartition("-")[2])


def _index_proposal(state: Negotiation, before: Proposal | None, row: Proposal) -> dict[str, Any]:
    others = [each for each in state.by_side.get(row.side, ()) if each.ref != row.ref]
    standing = others if row.status == ProposalStatus.RECORDED_IN_ERROR else [*others, row]
    ordered = sorted(standing, key=lambda each: (moment(each.made_at), each.order))
    return {"by_side": state.by_side.insert(row.side, tuple(ordered))}


def _index_boundary(state: Negotiation, before: Boundary | None, row: Boundary) -> dict[str, Any]:
    cited = map(paths.proposition, row.basis.propositions)
    return {"dependents": _depend(state, paths.boundary(row.key), cited)}


def _index_batna(state: Negotiation, before: Batna | None, row: Batna) -> dict[str, Any]:
    cited = map(paths.proposition, row.current.basis.propositions)
    return {"dependents": _depend(state, paths.BATNA, cited)}


def _index_judgement(state: Negotiation, before: Judgement | None, row: Judgement) -> dict[str, Any]:
    updates: dict[str, Any] = {}
    if before is None:
        updates["dependents"] = _depend(state, paths.judgement(row.ref), row.depends_on)
    if row.kind == JudgementKind.STRATEGY:
        if row.status in IN_FORCE:
            updates["strategy"] = row.ref
        elif state.strategy == row.ref:
            updates["strategy"] = None
    return updates


def _index_event(state: Negotiation, before: HistoryEvent | None, row: HistoryEvent) -> dict[str, Any]:
    updates: dict[str, Any] = {"event_seqs": state.event_seqs.insert(row.ref, row.seq)}
    if row.material:
        at, below = state.changed_at, state.changed_below
        for change in row.changes:
            at = at.insert(change["field"], row.state_version)
            for above in paths.upwards(change["field"]):
                below = below.insert(above, row.state_version)
        updates |= {
            "version": row.state_version,
            "version_seqs": state.version_seqs.insert(row.state_version, row.seq),
            "changed_at": at,
            "changed_below": below,
        }
    return updates


def _depend(state: Negotiation, dependent: str, on: Iterable[str]) -> HashTrieMap[str, HashTrieSet[str]]:
    dependents = state.dependents
    for path in on:
        dependents = dependents.insert(path, dependents.get(path, HashTrieSet()).insert(dependent))
    return dependents


_INDEXES: dict[str, Callable[[Negotiation, Any, Any], dict[str, Any]]] = {
    "propositions": _index_proposition,
    "contradictions": _index_contradiction,
    "proposals": _index_proposal,
    "boundaries": _index_boundary,
    "batnas": _index_batna,
    "judgements": _index_judgement,
    "history": _index_event,
}
