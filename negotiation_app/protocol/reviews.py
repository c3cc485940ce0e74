"""Deal reviews and overrides: computed once, never changed, whatever is decided later. Section 12.5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negotiation_app.protocol import decisions, paths
from negotiation_app.protocol.checks import check
from negotiation_app.protocol.conflicts import (
    NothingToOverride,
    NothingToReview,
    ReviewFailed,
    ReviewOutdated,
    ReviewRequired,
)
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import all_tainted, register
from negotiation_app.protocol.names import Check, DecisionKind, Mode, Result, Step
from negotiation_app.protocol.refusals import EvidenceRequired, SimulatedBasis
from negotiation_app.protocol.rows import Override, Review
from negotiation_app.protocol.state import Negotiation

FAIL_OVERRIDDEN = "FAIL_OVERRIDDEN"


def review_deal(draft: Draft, form: Mapping[str, Any]) -> None:
    ref, proposal = form["ref"], draft.state.proposals[form["proposal"]]
    manual = {name: _entered(draft, name, entry) for name, entry in (form.get("manual") or {}).items()}
    found = check(draft.state, proposal, draft.now, {name: Check(each["result"]) for name, each in manual.items()})
    if found is None:
        raise NothingToReview(proposal=proposal.ref)
    facts = {row.fact for row in draft.state.criteria.values() if row.fact is not None and not row.retired}
    draft.put(
        Review(
            ref=ref,
            order=draft.order,
            proposal=proposal.ref,
            state_version=draft.before.version + 1,
            seq=draft.before.seq + 1,
            results={name: str(result) for name, result in found.results.items()},
            result=found.result,
            manual=manual,
            facts=tuple(sorted(facts)),
        )
    )
    draft.move(paths.review(ref))
    draft.extra["reviewResult"] = str(found.result)
    draft.note(Step.APPLY, f"{ref} of {proposal.ref} is a {found.result}")


def override_review(draft: Draft, body: Mapping[str, Any]) -> None:
    form = body["override"]
    row = draft.state.reviews[form["review"]]
    if row.result == Result.PASS or is_overridden(draft.state, row.ref):
        raise NothingToOverride(review=row.ref, standing=standing(draft.state, row))
    decision = decisions.need(body.get("decision"), DecisionKind.OVERRIDE_REVIEW)
    decisions.use(draft, decision, DecisionKind.OVERRIDE_REVIEW, subject=row.ref)
    draft.put(Override(form["ref"], draft.order, row.ref, decision, form["reason"]))
    draft.move(paths.review(row.ref))
    draft.note(Step.APPLY, f"{row.ref} stays a FAIL, and is overridden by {form['ref']}")


def is_overridden(state: Negotiation, review: str) -> bool:
    return any(row.review == review for row in state.overrides.values())


def standing(state: Negotiation, row: Review) -> str:
    return FAIL_OVERRIDDEN if row.result == Result.FAIL and is_overridden(state, row.ref) else row.result


def latest(state: Negotiation, proposal: str) -> Review | None:
    """Return the latest review of a proposal."""
    found = (row for row in state.reviews.values() if row.proposal == proposal)
    return max(found, key=lambda row: row.order, default=None)


def check_closable(state: Negotiation, proposal: str) -> None:
    """Raise ReviewRequired, ReviewOutdated or ReviewFailed where no review carries an agreement on this proposal."""
    row, is_light = latest(state, proposal), state.own.mode == Mode.LIGHT
    if row is None:
        if not is_light:
            raise ReviewRequired(proposal=proposal)
        return
    if not is_light:
        _check_current(state, row)
    if standing(state, row) == Result.FAIL:
        raise ReviewFailed(review=row.ref)


def _check_current(state: Negotiation, row: Review) -> None:
    read = [paths.proposal(row.proposal), "criteria", "boundaries", paths.BATNA, "rates"]
    changed = state.fields_changed_since(row.state_version, [*read, *map(paths.fact, row.facts)])
    if row.seq < state.own.reopened_seq:
        changed.append(paths.STATUS)
    if changed:
        raise ReviewOutdated(review=row.ref, changedFields=changed)


def _entered(draft: Draft, name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Register what a manual check rests on."""
    evidence = register(draft, entry.get("evidence"))
    if not evidence:
        raise EvidenceRequired(subject=f"The manual check {name}")
    if all_tainted(draft.state, evidence):
        raise SimulatedBasis(subject=f"The manual check {name}")
    return {"result": str(entry["result"]), "evidence": evidence}
