"""What a protected position or a rate rests on: a reason, and something that can be looked up. Section 12.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negotiation_app.protocol import decisions
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import carried, is_simulated, is_tainted, refuse_superseded, register
from negotiation_app.protocol.names import Certainty, DecisionKind
from negotiation_app.protocol.propositions import refuse_disputed
from negotiation_app.protocol.refusals import BasisRequired, SimulatedBasis
from negotiation_app.protocol.rows import Basis
from negotiation_app.protocol.state import Negotiation


def take_basis(draft: Draft, form: Mapping[str, Any] | None, *, subject: str) -> Basis:
    """Register what the basis brings along, and return it.

    Raises BasisRequired, SimulatedBasis, TargetNotEffective, PropositionDisputed, and what the decision raises.
    """
    form = form or {}
    cited = form.get("propositions", [])
    if not (form.get("reason") or "").strip() or not (form.get("evidence") or cited or form.get("decision")):
        raise BasisRequired(subject=subject)
    evidence = register(draft, form.get("evidence"))
    state, decision = draft.state, form.get("decision")
    if decision is None and not _has_real_ground(state, evidence, cited):
        raise SimulatedBasis(subject=subject)
    for ref in cited:
        refuse_superseded(state.propositions[ref])
    for ref in cited:
        refuse_disputed(state, ref)
    if decision is not None:
        decisions.use(draft, decision, DecisionKind.NOTE_BASIS, any_subject=True)
    draft.done.reasons.append(form["reason"])
    return Basis(form["reason"], tuple(evidence), tuple(cited), decision)


def confidence(state: Negotiation, basis: Basis) -> Certainty:
    """Return the highest status that the basis carries about the user's own side, at least HYPOTHESIS."""
    found = [Certainty.HYPOTHESIS, *(state.propositions[ref].certainty for ref in basis.propositions)]
    items = (carried(state, state.evidence[ref], "negotiation", "alternative") for ref in basis.evidence)
    found += [each for each in items if each is not None]
    return max(found, key=lambda each: each.rank)


def _has_real_ground(state: Negotiation, evidence: list[str], cited: list[str]) -> bool:
    real_items = any(not is_tainted(state, state.evidence[ref]) for ref in evidence)
    return real_items or any(not is_simulated(state.propositions[ref]) for ref in cited)
