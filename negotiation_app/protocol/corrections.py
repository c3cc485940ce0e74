"""The user corrects what was recorded: his own words give way, what a document says becomes a dispute. Section 10."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negotiation_app.protocol import paths, propositions
from negotiation_app.protocol.contradictions import open_between
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import refuse_superseded
from negotiation_app.protocol.names import ContradictionKind, EvidenceKind, Side, Step
from negotiation_app.protocol.refusals import CorrectionTargetInvalid, EvidenceRequired
from negotiation_app.protocol.rows import Proposition
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.texts import slot_of


def correct(draft: Draft, form: Mapping[str, Any]) -> None:
    old = draft.state.propositions[form["corrects"]]
    refuse_superseded(old)
    _check_same_slot(old, form["proposition"])
    user_supplied = _is_user_supplied(draft.state, old)
    new = propositions.add(draft, form["proposition"], supersedes=(old.ref,) if user_supplied else ())
    _check_users_words(draft.state, old, new)
    if user_supplied:
        draft.move(paths.proposition(new.ref), review=True)
        propositions.end(draft, old.ref, by=new.ref, review=True)
        return
    draft.note(Step.CONTRADICTIONS, f"{old.ref} rests on more than the user's word, so it stays beside the correction")
    open_between(draft, ContradictionKind.CORRECTION_DISPUTE, (old.ref, new.ref))


def _check_same_slot(old: Proposition, form: Mapping[str, Any]) -> None:
    slot = slot_of(form["subject"], form["attribute"])
    if slot != old.slot:
        raise CorrectionTargetInvalid(proposition=old.ref, reason=f"it speaks of {old.slot}, the correction of {slot}")


def _check_users_words(state: Negotiation, old: Proposition, new: Proposition) -> None:
    if not new.evidence:
        raise EvidenceRequired(subject=f"propositions/{new.ref}")
    if not _are_users_words(state, new):
        raise CorrectionTargetInvalid(proposition=old.ref, reason="its evidence has to be the user's statement")


def _is_user_supplied(state: Negotiation, old: Proposition) -> bool:
    if old.evidence:
        return _are_users_words(state, old)
    return old.party is not None and state.parties[old.party].side == Side.OWN


def _are_users_words(state: Negotiation, proposition: Proposition) -> bool:
    return all(state.evidence[ref].kind == EvidenceKind.USER_STATEMENT for ref in proposition.evidence)
