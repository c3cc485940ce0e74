"""The four words on propositions: ADD, UPDATE_WITH_EVIDENCE, SUPERSEDE and FLAG_CONTRADICTION.

Source: canonical negotiation state, sections 7 and 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.conflicts import ContradictionRequired, PropositionDisputed
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import (
    all_tainted,
    best_carried,
    is_simulated,
    is_tainted,
    refuse_superseded,
    register,
)
from negotiation_app.protocol.gates import pass_gate
from negotiation_app.protocol.names import Because, Certainty, Lifecycle, Origin, ReviewState, Step
from negotiation_app.protocol.refusals import (
    BodyInvalid,
    DemotionNotAllowed,
    EvidenceRequired,
    PromotionSkipsStep,
    RationaleRequired,
    SimulatedSource,
    SupersedeNotLater,
    SupersedeSlotMismatch,
    ValueChangeNeedsSupersede,
)
from negotiation_app.protocol.rows import Proposition
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.texts import normal_name, slot_of
from negotiation_app.protocol.validity import begins_later
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import agree

_POSITION = "position."


def add(
    draft: Draft,
    form: Mapping[str, Any],
    *,
    supersedes: tuple[str, ...] = (),
    origin: Origin | None = None,
    review_state: ReviewState = ReviewState.CURRENT,
) -> Proposition:
    """Add a proposition at the status that it asks for, through that status's gate.

    origin: None derives it from the evidence.
    """
    slot = slot_of(form["subject"], form["attribute"])
    evidence = register(draft, form.get("evidence"), about=form["ref"])
    status = form.get("status") or Certainty.UNKNOWN
    rationale = form.get("rationale")
    pass_gate(draft.state, ref=form["ref"], slot=slot, status=status, evidence=evidence, rationale=rationale)
    value, stated = form.get("value") or (None, None)
    row = Proposition(
        ref=form["ref"],
        order=draft.order,
        subject=form["subject"],
        attribute=form["attribute"],
        slot=slot,
        value=value,
        as_stated=stated,
        as_of=_as_of(draft, form),
        party=form.get("party"),
        event=draft.source.ref,
        rationale=rationale,
        status=status,
        origin=origin or (Origin.SIMULATED if evidence and all_tainted(draft.state, evidence) else Origin.REAL),
        evidence=tuple(evidence),
        recorded_at=draft.at,
        review_state=review_state,
        supersedes=supersedes,
    )
    draft.put(row)
    draft.note(Step.PROPOSITIONS, f"{row.ref} says something of {slot}")
    draft.note(Step.STATUS, f"{row.ref} is {status}")
    _moved(draft, row)
    return row


def update(draft: Draft, form: Mapping[str, Any]) -> None:
    """Attach evidence, and raise the status by one step where that is asked for."""
    ref = form["target"][1]
    before = draft.state.propositions[ref]
    refuse_superseded(before)
    asked = form.get("status") or before.certainty
    _check_step(draft.state, before, asked)
    value, as_stated = _filled_in(before, form.get("value"), asked)
    _need_support(before, form, asked)
    new = [each for each in register(draft, form.get("evidence"), about=ref) if each not in before.evidence]
    evidence = (*before.evidence, *new)
    rationale = form.get("rationale") if asked != before.status else None
    if asked != before.status:
        pass_gate(
            draft.state, ref=ref, slot=before.slot, status=asked, evidence=evidence, rationale=form.get("rationale")
        )
    row = replace(
        before,
        value=value,
        as_stated=as_stated,
        status=asked,
        evidence=evidence,
        rationale=rationale or before.rationale,
    )
    _put_updated(draft, before, _settled(draft.state, row, new))


def supersede(draft: Draft, form: Mapping[str, Any]) -> None:
    """Put a new proposition in the place of an old one of the same slot."""
    old = draft.state.propositions[form["target"][1]]
    refuse_superseded(old)
    refuse_disputed(draft.state, old.ref)
    payload, because = form["payload"], form.get("because")
    slot = slot_of(payload["subject"], payload["attribute"])
    if slot != old.slot:
        raise SupersedeSlotMismatch(proposition=old.ref, expected=old.slot, actual=slot)
    rereads = because == Because.TRANSCRIPTION_ERROR
    new = add(
        draft,
        payload,
        supersedes=(old.ref,),
        review_state=ReviewState.NEEDS_REVIEW if rereads else ReviewState.CURRENT,
    )
    if is_simulated(new) and old.certainty.rank >= Certainty.SUPPORTED_INFERENCE.rank:
        raise SimulatedSource(subject=f"propositions/{new.ref}")
    if _gives_way_only_for_a_reason(draft.state, old, new):
        _check_because(draft, old, new, because)
    end(draft, old.ref, by=new.ref, because=because)


def attach(draft: Draft, before: Proposition, new: list[str]) -> None:
    """Attach further items without asking for another status."""
    row = replace(before, evidence=(*before.evidence, *new))
    _put_updated(draft, before, _settled(draft.state, row, new))


def end(draft: Draft, ref: str, *, by: str, because: Because | None = None, review: bool = False) -> None:
    """Mark a proposition as superseded; it stays readable."""
    row = replace(
        draft.state.propositions[ref], lifecycle=Lifecycle.SUPERSEDED, superseded_by=by, superseded_because=because
    )
    draft.put(row)
    draft.move(paths.proposition(ref), review=review)
    draft.touch(row.slot, review=review)
    draft.done.shaken += draft.state.disputes.get(ref, ())
    draft.note(Step.APPLY, f"{ref} is superseded by {by}")


def refuse_disputed(state: Negotiation, ref: str) -> None:
    """Raise PropositionDisputed for a proposition that is in an open contradiction."""
    if state.is_disputed(ref):
        raise PropositionDisputed(proposition=f"propositions/{ref}", contradictions=list(state.disputes[ref]))


def _as_of(draft: Draft, form: Mapping[str, Any]) -> Any:
    """A position is held at a time: without one of its own it takes that of its event."""
    if form.get("asOf") is None and normal_name(form["attribute"]).startswith(_POSITION):
        return draft.source.occurred_at
    return form.get("asOf")


def _moved(draft: Draft, row: Proposition) -> None:
    draft.move(paths.proposition(row.ref))
    draft.touch(row.slot)
    if row.status == Certainty.KNOWN:
        draft.done.newly_known.append(row.ref)


def _check_step(state: Negotiation, before: Proposition, asked: Certainty) -> None:
    steps = asked.rank - before.certainty.rank
    if steps:
        refuse_disputed(state, before.ref)
    if steps > 1:
        raise PromotionSkipsStep(proposition=before.ref, current=before.status, asked=asked)
    if steps < 0:
        raise DemotionNotAllowed(proposition=before.ref, current=before.status)


def _filled_in(before: Proposition, sent: Any, asked: Certainty) -> tuple[Value | None, Any]:
    """Return the value and how it was stated: an UNKNOWN without one may get it, and nothing else changes it."""
    value, as_stated = sent or (before.value, before.as_stated)
    if value == before.value:
        as_stated = before.as_stated
    elif before.value is not None or before.status != Certainty.UNKNOWN:
        raise ValueChangeNeedsSupersede(proposition=before.ref)
    if value is None and asked != Certainty.UNKNOWN:
        raise BodyInvalid(summary=f"/value is required for {before.ref} to be {asked}")
    return value, as_stated


def _need_support(before: Proposition, form: Mapping[str, Any], asked: Certainty) -> None:
    if form.get("evidence"):
        return
    if asked != Certainty.HYPOTHESIS:
        raise EvidenceRequired(subject=f"propositions/{before.ref}")
    if not (form.get("rationale") or "").strip():
        raise RationaleRequired(proposition=before.ref)


def _settled(state: Negotiation, row: Proposition, new: list[str]) -> Proposition:
    """A further item that carries the status by itself ends the review."""
    if row.review_state == ReviewState.CURRENT or not new:
        return row
    subject, _, attribute = row.slot.partition("/")
    if best_carried(state, new, subject, attribute).rank < row.certainty.rank:
        return row
    return replace(row, review_state=ReviewState.CURRENT)


def _put_updated(draft: Draft, before: Proposition, row: Proposition) -> None:
    if row == before:
        draft.note(Step.APPLY, f"{row.ref} has all of this already")
        return
    draft.put(row)
    if row.evidence != before.evidence:
        draft.change(paths.evidence_of(row.ref))
        draft.note(Step.PROPOSITIONS, f"{row.ref} has further evidence")
    if row.review_state != before.review_state:
        draft.change(paths.proposition(row.ref))
    if (row.status, row.value) != (before.status, before.value):
        draft.note(Step.STATUS, f"{row.ref} rises from {before.status} to {row.status}")
        draft.move(paths.proposition(row.ref))
        draft.touch(row.slot)
        if row.status == Certainty.KNOWN:
            draft.done.newly_known.append(row.ref)


def _gives_way_only_for_a_reason(state: Negotiation, old: Proposition, new: Proposition) -> bool:
    if old.status != Certainty.KNOWN:
        return False
    return new.status != Certainty.KNOWN or not agree(state, old, new)


def _check_because(draft: Draft, old: Proposition, new: Proposition, because: Because | None) -> None:
    if because == Because.REPLACED_IN_TIME and not begins_later(new, old):
        raise SupersedeNotLater(proposition=old.ref)
    if because is None or not _HOLDS[because](draft.state, old, new):
        raise ContradictionRequired(proposition=f"propositions/{old.ref}", because=because or "no reason given")


def _same_source(state: Negotiation, old: Proposition, new: Proposition) -> bool:
    is_same = old.party is not None and old.party == new.party
    return is_same and any(
        ref not in old.evidence and not is_tainted(state, state.evidence[ref]) for ref in new.evidence
    )


def _replaced_in_time(state: Negotiation, old: Proposition, new: Proposition) -> bool:
    return new.status == Certainty.KNOWN


def _misread(state: Negotiation, old: Proposition, new: Proposition) -> bool:
    return any(ref in old.evidence for ref in new.evidence)


_HOLDS = {
    Because.SAME_SOURCE_UPDATE: _same_source,
    Because.REPLACED_IN_TIME: _replaced_in_time,
    Because.TRANSCRIPTION_ERROR: _misread,
}
