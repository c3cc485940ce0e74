"""Pausing, closing, giving up and reopening: every change of status names its cause. Section 17."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from negotiation_app.protocol import decisions, paths, proposals
from negotiation_app.protocol.conflicts import StatusTransitionInvalid
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.event_types import ENDS_A_NEGOTIATION, EventType
from negotiation_app.protocol.names import IN_FORCE, DecisionKind, JudgementStatus, Status, Step
from negotiation_app.protocol.refusals import StatusCauseInvalid, StatusCauseRequired
from negotiation_app.protocol.reviews import check_closable
from negotiation_app.protocol.state import Negotiation

ENGAGED, WITHDRAWN = "ENGAGED", "WITHDRAWN"
EXPIRED = "EXPIRED"


@dataclass(frozen=True)
class Move:
    """A change of status: the event it writes, and the decision that may or must cause it."""

    event: EventType
    decision: DecisionKind
    takes_the_user: bool = False


_PAUSE = Move(EventType.STATUS_PAUSED, DecisionKind.PAUSE)
_RESUME = Move(EventType.STATUS_RESUMED, DecisionKind.RESUME)
_CLOSE = Move(EventType.STATUS_CLOSED, DecisionKind.CLOSE, takes_the_user=True)
_GIVE_UP = Move(EventType.STATUS_NO_DEAL, DecisionKind.NO_DEAL)
_REOPEN = Move(EventType.STATUS_REOPENED, DecisionKind.REOPEN, takes_the_user=True)
MOVES: dict[tuple[str, str], Move] = {
    (Status.ACTIVE, Status.PAUSED): _PAUSE,
    (Status.PAUSED, Status.ACTIVE): _RESUME,
    (Status.ACTIVE, Status.CLOSED): _CLOSE,
    (Status.PAUSED, Status.CLOSED): _CLOSE,
    (Status.ACTIVE, Status.NO_DEAL): _GIVE_UP,
    (Status.PAUSED, Status.NO_DEAL): _GIVE_UP,
    (Status.CLOSED, Status.ACTIVE): _REOPEN,
    (Status.NO_DEAL, Status.ACTIVE): _REOPEN,
}


def move_to(state: Negotiation, to: str) -> Move:
    """Return the move from the present status. Raises StatusTransitionInvalid."""
    move = MOVES.get((state.own.status, to))
    if move is None:
        raise StatusTransitionInvalid(current=state.own.status, to=to)
    return move


def change_status(draft: Draft, body: Mapping[str, Any]) -> None:
    to = body["to"]
    move = move_to(draft.state, to)
    _use_causes(draft, body, move)
    if to == Status.CLOSED and body["outcome"] == "AGREED":
        _agree(draft, body["acceptedProposal"])
    reopens = move is _REOPEN
    own = draft.state.own
    seq = draft.before.seq + 1
    draft.put(
        replace(
            own,
            status=to,
            status_seq=seq,
            reopened_seq=seq if reopens else own.reopened_seq,
            counterpart=ENGAGED if reopens else own.counterpart,
        )
    )
    draft.move(paths.STATUS)
    draft.note(Step.APPLY, f"the status changes from {own.status} to {to}")
    if reopens:
        if own.counterpart != ENGAGED:
            draft.move(paths.COUNTERPART)
        _reopen(draft)


def set_counterpart(draft: Draft, value: str) -> None:
    draft.put(replace(draft.state.own, counterpart=value))
    draft.move(paths.COUNTERPART)
    draft.note(Step.APPLY, f"the counterpart is {value}")


def let_deadline_expire(draft: Draft) -> None:
    draft.put(replace(draft.state.own, deadline=EXPIRED))
    draft.move(paths.DEADLINE)
    draft.note(Step.APPLY, "the deadline is over")


def _use_causes(draft: Draft, body: Mapping[str, Any], move: Move) -> None:
    event, decision = body.get("causeEvent"), body.get("decision")
    if move.takes_the_user:
        decision = decisions.need(decision, move.decision)
    if event is None and decision is None:
        raise StatusCauseRequired(to=body["to"], needed=f"a material event, or decision {move.decision}")
    if move is _REOPEN and event is None and body.get("reason") is None:
        raise StatusCauseRequired(to=body["to"], needed="a new event or a reason, beside the decision")
    if event is not None:
        _check_event(draft, event, body["to"], move)
    if decision is not None:
        decisions.use(draft, decision, move.decision, subject=body.get("acceptedProposal"))


def _check_event(draft: Draft, ref: str, to: str, move: Move) -> None:
    event = draft.state.event(ref)
    if event.seq <= draft.state.own.status_seq:
        raise StatusCauseInvalid(event=ref, to=to, reason="it is not newer than the last change of status")
    if move is _GIVE_UP and event.type not in ENDS_A_NEGOTIATION:
        raise StatusCauseInvalid(event=ref, to=to, reason="only a withdrawal or an expired deadline is")
    if move is not _REOPEN and not event.material:
        raise StatusCauseInvalid(event=ref, to=to, reason="it is not material")


def _agree(draft: Draft, proposal: str) -> None:
    row = draft.state.proposals[proposal]
    proposals.accept(draft, proposal)
    check_closable(draft.before, row.ref)


def _reopen(draft: Draft) -> None:
    """Everything stays in force, and everything authored has to be looked at again."""
    proposals.open_again(draft)
    for row in sorted(draft.state.judgements.values(), key=lambda each: each.order):
        if row.status in IN_FORCE and row.status != JudgementStatus.NEEDS_REVIEW:
            draft.put(replace(row, status=JudgementStatus.NEEDS_REVIEW))
            draft.move(paths.judgement(row.ref), review=True)
            if row.ref == draft.state.strategy:
                draft.move(paths.STRATEGY, review=True)
