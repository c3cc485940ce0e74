"""Resolving a contradiction: one is upheld, all are replaced, all lose KNOWN, or they may stand side by side.

Source: canonical negotiation state, section 9, table of resolutions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import decisions, paths, propositions
from negotiation_app.protocol.conflicts import ContradictionNotOpen
from negotiation_app.protocol.contradictions import release
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import is_simulated, register
from negotiation_app.protocol.gates import carry
from negotiation_app.protocol.names import (
    Certainty,
    ContradictionKind,
    ContradictionStatus,
    DecisionKind,
    Resolution,
    Step,
)
from negotiation_app.protocol.refusals import (
    EvidenceNotNew,
    EvidenceRequired,
    ResolutionInvalid,
    SimulatedBasis,
    UserDecisionRequired,
)
from negotiation_app.protocol.rows import Contradiction, Proposition
from negotiation_app.protocol.texts import slot_of

_TAKES_THE_USER = (ContradictionKind.VALUE_CONFLICT, ContradictionKind.CORRECTION_DISPUTE)


def resolve_contradiction(draft: Draft, body: Mapping[str, Any]) -> None:
    row = draft.state.contradictions[body["contradiction"]]
    if row.status != ContradictionStatus.OPEN:
        raise ContradictionNotOpen(contradiction=row.ref, current=row.status)
    if not (body.get("reason") or "").strip():
        raise _invalid(body, row, "it needs a reason")
    members = [draft.state.propositions[ref] for ref in row.members]
    standing = [each for each in members if each.is_effective]
    decision = body.get("decision")
    _RESOLVE[body["resolution"]](draft, body, row, standing)
    if decision is not None:
        wanted = _decided(body)
        decisions.use(
            draft,
            decision,
            DecisionKind.RESOLVE_CONTRADICTION,
            subject=row.ref,
            approves=lambda value: _decided(value) == wanted,
        )
    release(draft, replace(row, status=ContradictionStatus.RESOLVED, resolution=_told(body)))
    draft.note(Step.CONTRADICTIONS, f"{row.ref} is resolved: {body['resolution']}")


def _decided(value: Mapping[str, Any]) -> tuple[str, str | None]:
    return value["resolution"], value.get("winner")


def _told(body: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: body[name] for name in ("resolution", "reason", "winner", "decision") if body.get(name) is not None}
    told["resolution"] = str(told["resolution"])
    if body.get("evidence"):
        told["evidence"] = [item["ref"] for item in body["evidence"]]
    if body.get("proposition"):
        told["replacedBy"] = body["proposition"]["ref"]
    return told


def _uphold(draft: Draft, body: Mapping[str, Any], row: Contradiction, standing: list[Proposition]) -> None:
    winner = next((each for each in standing if each.ref == body.get("winner")), None)
    if winner is None:
        raise _invalid(body, row, "it needs a winner that is a member in force")
    if is_simulated(winner):
        raise SimulatedBasis(subject=f"propositions/{winner.ref}")
    new = _new_evidence(draft, body, row, winner)
    if new:
        propositions.attach(draft, winner, new)
    for each in standing:
        if each.ref != winner.ref:
            propositions.end(draft, each.ref, by=winner.ref)


def _new_evidence(draft: Draft, body: Mapping[str, Any], row: Contradiction, winner: Proposition) -> list[str]:
    """Return what speaks for the winner and for no member yet; without a decision it has to carry the day."""
    subject, is_decided = f"propositions/{winner.ref}", body.get("decision") is not None
    refs = register(draft, body.get("evidence"), about=winner.ref)
    known = {each for ref in row.members for each in draft.state.propositions[ref].evidence}
    new = [ref for ref in refs if ref not in known]
    if is_decided:
        return new
    if not refs:
        raise EvidenceRequired(subject=subject)
    if not new:
        raise EvidenceNotNew(evidence=refs)
    standing = (draft.state.propositions[ref] for ref in row.members)
    highest = max((each.certainty for each in standing if each.is_effective), key=lambda each: each.rank)
    asked = max(highest, Certainty.SUPPORTED_INFERENCE, key=lambda each: each.rank)
    carry(draft.state, subject=subject, slot=winner.slot, status=asked, evidence=new)
    return new


def _replace(draft: Draft, body: Mapping[str, Any], row: Contradiction, standing: list[Proposition]) -> None:
    form = body.get("proposition")
    if form is None:
        raise _invalid(body, row, "it needs a proposition that replaces the members")
    if slot_of(form["subject"], form["attribute"]) not in {each.slot for each in standing}:
        raise _invalid(body, row, "the new proposition speaks of another slot")
    new = propositions.add(draft, form, supersedes=tuple(each.ref for each in standing))
    if is_simulated(new):
        raise SimulatedBasis(subject=f"propositions/{new.ref}")
    for each in standing:
        propositions.end(draft, each.ref, by=new.ref)


def _demote(draft: Draft, body: Mapping[str, Any], row: Contradiction, standing: list[Proposition]) -> None:
    for each in standing:
        if each.status == Certainty.KNOWN:
            draft.put(replace(each, status=Certainty.SUPPORTED_INFERENCE))
            draft.move(paths.proposition(each.ref))
            draft.touch(each.slot)
            draft.done.shaken += draft.state.disputes.get(each.ref, ())
            draft.note(Step.STATUS, f"{each.ref} falls to {Certainty.SUPPORTED_INFERENCE}")


def _let_stand(draft: Draft, body: Mapping[str, Any], row: Contradiction, standing: list[Proposition]) -> None:
    if row.kind in _TAKES_THE_USER and body.get("decision") is None:
        raise UserDecisionRequired(kind=DecisionKind.RESOLVE_CONTRADICTION)


def _invalid(body: Mapping[str, Any], row: Contradiction, reason: str) -> ResolutionInvalid:
    return ResolutionInvalid(resolution=body["resolution"], contradiction=row.ref, reason=reason)


_RESOLVE = {
    Resolution.UPHOLD: _uphold,
    Resolution.REPLACE: _replace,
    Resolution.DEMOTE: _demote,
    Resolution.COMPATIBLE: _let_stand,
}
