"""The operations that change canonical state: each with its event, the refs that it checks, and what it does.

Source: canonical negotiation state, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from negotiation_app.protocol import (
    boundaries,
    concessions,
    criteria,
    frame,
    judgements,
    modes,
    patches,
    process,
    proposals,
    resolutions,
    reviews,
    simulations,
    statuses,
)
from negotiation_app.protocol import refs_of_writes as refs
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.event_types import EventType
from negotiation_app.protocol.event_writes import record_event
from negotiation_app.protocol.names import BoundaryKind, ConcessionState, Side
from negotiation_app.protocol.state import Negotiation

Body = Mapping[str, Any]
Act = Callable[[Draft, Body], None]
TypeOf = Callable[[Negotiation, Body], EventType]


@dataclass(frozen=True)
class Write:
    """`check` notes unknown and taken refs, `act` carries the operation out."""

    event_type: TypeOf
    check: refs.Check
    act: Act


def _always(event_type: EventType) -> TypeOf:
    return lambda state, body: event_type


def _part(act: Act, member: str) -> Act:
    """Hand one member of the body to `act`."""
    return lambda draft, body: act(draft, body[member])


def _of_proposal(state: Negotiation, body: Body) -> EventType:
    return EventType.OFFER_MADE if body["proposal"]["side"] == Side.OWN else EventType.OFFER_RECEIVED


def _of_concession(state: Negotiation, body: Body) -> EventType:
    form = body["concession"]
    if form["state"] == ConcessionState.OFFERED:
        return EventType.CONCESSION_OFFERED
    return EventType.CONCESSION_MADE if form["side"] == Side.OWN else EventType.CONCESSION_RECEIVED


def _of_boundary(state: Negotiation, body: Body) -> EventType:
    is_target = body["boundary"]["kind"] == BoundaryKind.TARGET
    return EventType.TARGET_CHANGED if is_target else EventType.FLOOR_CHANGED


def _of_retired_boundary(state: Negotiation, body: Body) -> EventType:
    is_target = body["boundary"]["kind"] == BoundaryKind.TARGET
    return EventType.TARGET_RETIRED if is_target else EventType.FLOOR_RETIRED


WRITES: dict[str, Write] = {
    "create_negotiation": Write(_always(EventType.NEGOTIATION_OPENED), refs.opening, frame.open_negotiation),
    "add_party": Write(_always(EventType.PARTY_ADDED), refs.party, _part(frame.add_party, "party")),
    "define_issue": Write(_always(EventType.ISSUE_DEFINED), refs.issue, _part(frame.define_issue, "issue")),
    "define_attribute": Write(
        _always(EventType.ATTRIBUTE_DEFINED), refs.attribute, _part(frame.define_attribute, "attribute")
    ),
    "declare_rate": Write(_always(EventType.RATE_DECLARED), refs.rate, _part(frame.declare_rate, "rate")),
    "record_event": Write(lambda state, body: body["event"]["type"], refs.event, record_event),
    "resolve_contradiction": Write(
        _always(EventType.CONTRADICTION_RESOLVED), refs.resolution, resolutions.resolve_contradiction
    ),
    "reconcile_patch": Write(_always(EventType.PATCH_RECONCILED), refs.reconciling, patches.reconcile_patch),
    "reject_patch": Write(_always(EventType.PATCH_REJECTED), refs.nothing, patches.reject_patch),
    "record_proposal": Write(_of_proposal, refs.proposal, _part(proposals.record_proposal, "proposal")),
    "set_proposal_status": Write(
        lambda state, body: EventType(f"OFFER_{body['status']}"), refs.proposal_status, proposals.set_proposal_status
    ),
    "record_concession": Write(_of_concession, refs.concession, _part(concessions.record_concession, "concession")),
    "set_concession_status": Write(
        lambda state, body: EventType(f"CONCESSION_{body['status']}"),
        refs.concession_status,
        concessions.set_concession_status,
    ),
    "set_boundary": Write(_of_boundary, refs.boundary, _part(boundaries.set_boundary, "boundary")),
    "set_batna": Write(_always(EventType.BATNA_CHANGED), refs.batna, _part(boundaries.set_batna, "batna")),
    "retire_boundary": Write(
        _of_retired_boundary, refs.retired_boundary, _part(boundaries.retire_boundary, "boundary")
    ),
    "retire_batna": Write(
        _always(EventType.BATNA_RETIRED), refs.retired_batna, _part(boundaries.retire_batna, "batna")
    ),
    "set_criterion": Write(_always(EventType.CRITERION_SET), refs.criterion, criteria.set_criterion),
    "change_criterion": Write(_always(EventType.CRITERION_CHANGED), refs.criterion_change, criteria.change_criterion),
    "review_deal": Write(_always(EventType.DEAL_REVIEWED), refs.review, _part(reviews.review_deal, "review")),
    "override_review": Write(_always(EventType.REVIEW_OVERRIDDEN), refs.override, reviews.override_review),
    "record_judgement": Write(
        _always(EventType.JUDGEMENT_RECORDED), refs.judgement, _part(judgements.record_judgement, "judgement")
    ),
    "review_judgement": Write(_always(EventType.JUDGEMENT_REVIEWED), refs.nothing, judgements.review_judgement),
    "reconcile_finding": Write(_always(EventType.FINDING_RECONCILED), refs.finding, simulations.reconcile_finding),
    "change_status": Write(
        lambda state, body: statuses.move_to(state, body["to"]).event, refs.status, statuses.change_status
    ),
    "set_deadline": Write(_always(EventType.DEADLINE_SET), refs.nothing, process.set_deadline),
    "set_expectation": Write(_always(EventType.EXPECTATION_CHANGED), refs.nothing, process.set_expectation),
    "change_mode": Write(_always(EventType.MODE_CHANGED), refs.mode, modes.change_mode),
}
