"""What the status lets through: in a pause the own side makes no move, after the end hardly anything. Section 17."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negotiation_app.protocol.conflicts import NegotiationClosed, NegotiationPaused
from negotiation_app.protocol.names import ConcessionState, Side, Status
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.statuses import move_to

ENDED = (Status.CLOSED, Status.NO_DEAL)
_ALWAYS = frozenset(("decide", "revoke_decision", "acknowledge_notification", "take_snapshot", "preview_patch"))
_AFTER_THE_FACT = (ConcessionState.REGRETTED, ConcessionState.RECORDED_IN_ERROR)


def check_gate(state: Negotiation, operation: str, body: Mapping[str, Any]) -> None:
    """Raise NegotiationClosed, NegotiationPaused or StatusTransitionInvalid where the status forbids the operation."""
    if operation in _ALWAYS:
        return
    if operation == "change_status":
        move_to(state, body["to"])
    elif state.own.status in ENDED and not _may_after_the_end(operation, body):
        raise NegotiationClosed(current=state.own.status, operation=operation)
    elif state.own.status == Status.PAUSED and _is_own_move(state, operation, body):
        raise NegotiationPaused(operation=operation)


def _may_after_the_end(operation: str, body: Mapping[str, Any]) -> bool:
    if operation == "record_event":
        return not body.get("operations") and body.get("correction") is None
    return operation == "set_concession_status" and body["status"] in _AFTER_THE_FACT


def _is_own_move(state: Negotiation, operation: str, body: Mapping[str, Any]) -> bool:
    match operation:
        case "record_proposal":
            return bool(body["proposal"]["side"] == Side.OWN)
        case "record_concession":
            return bool(body["concession"]["side"] == Side.OWN)
        case "set_concession_status":
            is_own = state.concessions[body["concession"]].side == Side.OWN
            return is_own and body["status"] == ConcessionState.GRANTED
        case "record_event":
            return any(_is_own_proposal(form) for form in body.get("operations") or ())
        case _:
            return False


def _is_own_proposal(form: Mapping[str, Any]) -> bool:
    return form.get("kind") == "proposal" and form["payload"]["side"] == Side.OWN
