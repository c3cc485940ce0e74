"""The bargaining zone: the own floor against what the other side offers, or is believed to accept. Section 13."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from negotiation_app.protocol.facts import working_view
from negotiation_app.protocol.names import BoundaryKind, Certainty, Direction, Side
from negotiation_app.protocol.rows import Issue
from negotiation_app.protocol.state import Negotiation, in_order
from negotiation_app.protocol.texts import slot_of
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import advantage, ends

UNKNOWN: dict[str, Any] = {"exists": "UNKNOWN", "low": None, "high": None, "confidence": None, "basis": None}
RESERVATION = "reservation."


def zopa(state: Negotiation, issue: str, at: datetime) -> dict[str, Any]:
    """Return `{exists, low, high, confidence, basis}`."""
    row, floor = state.issues[issue], state.boundary(issue, BoundaryKind.FLOOR)
    if floor is None:
        return dict(UNKNOWN)
    offer = state.current_offer(Side.COUNTERPART)
    offered = None if offer is None else offer.terms.get(issue)
    gain = None if offered is None else advantage(state, row, offered, floor.value, at)
    if gain is not None and gain >= 0:
        ground = {"confidence": str(Certainty.KNOWN), "basis": "CURRENT_OFFER"}
        return {"exists": "YES", **_zone(row, floor.value, offered), **ground}
    return _by_reservation(state, row, floor.value, at)


def reservation_slots(state: Negotiation) -> dict[str, str]:
    """Map the slots that say what the other side would accept to their issues."""
    party = _counterpart(state)
    return {slot_of(party, RESERVATION + issue): issue for issue in state.issues}


def _counterpart(state: Negotiation) -> str:
    return next(party.ref for party in in_order(state.parties) if party.side == Side.COUNTERPART)


def _by_reservation(state: Negotiation, issue: Issue, floor: Value, at: datetime) -> dict[str, Any]:
    view = working_view(state, slot_of(_counterpart(state), RESERVATION + issue.ref), at)
    if view.value is None:
        return dict(UNKNOWN)
    low, high = ends(view.value)
    worst, best = (high, low) if issue.direction == Direction.LOWER else (low, high)
    gains = [_gain(state, issue, end, floor, at, is_open=sign) for end, sign in ((worst, -1), (best, 1))]
    if None in gains:
        return dict(UNKNOWN)
    ground = {"confidence": str(view.status), "basis": "RESERVATION"}
    if (gains[0] or 0) >= 0:
        return {"exists": "YES", **_zone(issue, floor, worst), **ground}
    if (gains[1] or 0) >= 0:
        return {"exists": "POSSIBLE", **_zone(issue, floor, best), **ground}
    return {"exists": "NO", "low": None, "high": None, **ground}


def _gain(
    state: Negotiation, issue: Issue, end: Value | None, floor: Value, at: datetime, *, is_open: int
) -> int | None:
    """Return how an end compares with the floor; an open one is as bad, or as good, as can be."""
    return is_open if end is None else advantage(state, issue, end, floor, at)


def _zone(issue: Issue, floor: Value, other: Value | None) -> dict[str, Any]:
    ordered = (other, floor) if issue.direction == Direction.LOWER else (floor, other)
    low, high = (None if value is None else value.as_json() for value in ordered)
    return {"low": low, "high": high}
