"""Proposals: whole packages that are only added to; a side's newest one is its offer. Section 12.2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.conflicts import ProposalNotOpen
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import refuse_tainted_locator
from negotiation_app.protocol.names import BoundaryKind, ProposalStatus, Side, Step
from negotiation_app.protocol.refusals import UnknownRef
from negotiation_app.protocol.rows import Offer, Proposal, StatusEntry
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.terms import check_types
from negotiation_app.protocol.times import last_moment, moment
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import advantage

WORSE_THAN_FLOOR = "OWN_OFFER_WORSE_THAN_FLOOR"
RECONFIRMED = "RECONFIRMED"
_ENDS = (ProposalStatus.WITHDRAWN, ProposalStatus.EXPIRED)


def record_proposal(draft: Draft, form: Mapping[str, Any]) -> None:
    state, ref, side = draft.state, form["ref"], form["side"]
    check_types(state, form["terms"], "/proposal/terms")
    refuse_tainted_locator(state, form.get("locator"), paths.proposal(ref))
    taken_over = _taken_over(state, form)
    made_at = form.get("madeAt", draft.source.occurred_at)
    newest = state.offers[side].newest_made_at if side in state.offers else None
    late = newest is not None and moment(made_at) < moment(newest)
    status = ProposalStatus.SUPERSEDED if late else ProposalStatus.OPEN
    draft.put(
        Proposal(
            ref=ref,
            order=draft.order,
            side=side,
            terms={**taken_over, **form["terms"]},
            amends=form.get("amends"),
            made_at=made_at,
            valid_until=form.get("validUntil"),
            conditions=tuple(form.get("conditions", ())),
            locator=form.get("locator"),
            late=late,
            event=draft.source.ref,
            status=status,
            entries=(_entry(draft, status, None),),
        )
    )
    draft.move(paths.proposal(ref))
    if late:
        draft.note(Step.APPLY, f"{ref} is older than the newest offer of {side}, and enters history only")
    else:
        _take_the_place(draft, side, ref, made_at)
    if side == Side.OWN and _is_worse_than_floor(draft, ref):
        draft.done.warnings.append(WORSE_THAN_FLOOR)


def _taken_over(state: Negotiation, form: Mapping[str, Any]) -> dict[str, Value]:
    """Return the terms of the amended proposal, which has to be of the same side."""
    if form.get("amends") is None:
        return {}
    amended = state.proposals[form["amends"]]
    if amended.side != form["side"]:
        raise UnknownRef(ref=f"proposal {amended.ref} of {form['side']}", path="/proposal/amends")
    return amended.terms


def set_proposal_status(draft: Draft, body: Mapping[str, Any]) -> None:
    row, status = draft.state.proposals[body["proposal"]], body["status"]
    if status == ProposalStatus.RECORDED_IN_ERROR:
        _take_out(draft, row, body)
        return
    offer = draft.state.offers[row.side]
    is_current = offer.proposal == row.ref
    if row.status != ProposalStatus.OPEN and not (row.status == ProposalStatus.REJECTED and is_current):
        raise ProposalNotOpen(proposal=row.ref, reason=f"it is {row.status}")
    new_status = ProposalStatus.OPEN if status == RECONFIRMED else ProposalStatus(status)
    draft.put(replace(row, status=new_status, entries=(*row.entries, _entry(draft, status, body["reason"]))))
    draft.move(paths.proposal(row.ref))
    if is_current and new_status in _ENDS:
        draft.put(replace(offer, proposal=None, reconfirm=False))
        draft.move(paths.offer(row.side))
    elif is_current and status == RECONFIRMED and offer.reconfirm:
        draft.put(replace(offer, reconfirm=False))
        draft.change(paths.offer(row.side))
    draft.note(Step.APPLY, f"{row.ref} is {status}")


def _take_out(draft: Draft, row: Proposal, body: Mapping[str, Any]) -> None:
    """Say that a proposal was recorded in error: it never was an offer, and an older one does not come back by itself.

    What is newest is told by the side's other proposals from now on, so that a wrong time makes none of them late.
    """
    if row.status == ProposalStatus.RECORDED_IN_ERROR:
        raise ProposalNotOpen(proposal=row.ref, reason=f"it is {row.status}")
    entry = _entry(draft, ProposalStatus.RECORDED_IN_ERROR, body["reason"])
    corrected_by = body.get("correctedBy")
    draft.put(replace(row, status=entry.status, entries=(*row.entries, entry), corrected_by=corrected_by))
    draft.move(paths.proposal(row.ref))
    offer, others = draft.state.offers[row.side], draft.state.by_side[row.side]
    newest = others[-1].made_at if others else None
    if offer.proposal == row.ref:
        draft.put(replace(offer, proposal=None, reconfirm=False, newest_made_at=newest))
        draft.move(paths.offer(row.side))
    elif offer.newest_made_at != newest:
        draft.put(replace(offer, newest_made_at=newest))
    by = f", corrected by {corrected_by}" if corrected_by else ""
    draft.note(Step.APPLY, f"{row.ref} was recorded in error{by}; its row stays")


def accept(draft: Draft, ref: str) -> None:
    """Accept an open proposal. Raises ProposalNotOpen, for the counterpart's also where it is past its date."""
    row = draft.state.proposals[ref]
    if row.status != ProposalStatus.OPEN:
        raise ProposalNotOpen(proposal=ref, reason=f"it is {row.status}")
    if row.side == Side.COUNTERPART and _is_past(row, draft.now):
        raise ProposalNotOpen(proposal=ref, reason=f"it held until {row.valid_until}; let it be reconfirmed")
    _put_status(draft, row, ProposalStatus.ACCEPTED)


def open_again(draft: Draft) -> None:
    """After reopening: an accepted proposal is open again, and current offers wait for being reconfirmed."""
    for side in (Side.OWN, Side.COUNTERPART):
        for row in draft.state.by_side.get(side, ()):
            if row.status == ProposalStatus.ACCEPTED:
                _put_status(draft, row, ProposalStatus.OPEN)
        offer = draft.state.offers.get(side)
        if offer is not None and offer.proposal is not None and not offer.reconfirm:
            draft.put(replace(offer, reconfirm=True))
            draft.change(paths.offer(side))


def _put_status(draft: Draft, row: Proposal, status: ProposalStatus) -> None:
    draft.put(replace(row, status=status, entries=(*row.entries, _entry(draft, status, draft.source.reason))))
    draft.move(paths.proposal(row.ref))
    draft.note(Step.APPLY, f"{row.ref} is {status}")


def _entry(draft: Draft, status: str, reason: str | None) -> StatusEntry:
    return StatusEntry(status, reason, draft.source.occurred_at, draft.source.ref)


def _take_the_place(draft: Draft, side: str, ref: str, made_at: str) -> None:
    previous = draft.state.current_offer(side)
    if previous is not None and previous.status == ProposalStatus.OPEN:
        _put_status(draft, previous, ProposalStatus.SUPERSEDED)
    draft.put(Offer(side, ref, reconfirm=False, newest_made_at=made_at))
    draft.move(paths.offer(side))
    draft.note(Step.APPLY, f"{ref} is the current offer of {side}")


def _is_worse_than_floor(draft: Draft, ref: str) -> bool:
    state: Negotiation = draft.state
    for issue, value in state.proposals[ref].terms.items():
        floor = state.boundary(issue, BoundaryKind.FLOOR)
        if floor is not None and advantage(state, state.issues[issue], value, floor.value, draft.now) == -1:
            return True
    return False


def _is_past(row: Proposal, now: datetime) -> bool:
    """Tell whether the proposal held until a moment that is over, and was not reconfirmed since."""
    if row.valid_until is None or now <= last_moment(row.valid_until):
        return False
    confirmed = [moment(entry.at) for entry in row.entries if entry.status == RECONFIRMED]
    return not any(at > last_moment(row.valid_until) for at in confirmed)
