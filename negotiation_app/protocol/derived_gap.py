"""The gap between both current offers on an issue, in the own side's unit and currency. Section 13."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from negotiation_app.protocol.names import Side
from negotiation_app.protocol.numbers import decimals_of, trimmed, two_decimals
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import advantage, days_between, measured

_NO_GAP = {"amount": None, "percent": None}
_LEAST_DECIMALS = 2


def gap(state: Negotiation, issue: str, at: datetime) -> dict[str, Any]:
    """Return `{state, amount, percent}`: MET where the counterpart offers at least what the own side asks."""
    own, other = _term(state, Side.OWN, issue), _term(state, Side.COUNTERPART, issue)
    if own is None or other is None:
        return {"state": "UNDETERMINED", **_NO_GAP}
    gain = advantage(state, state.issues[issue], other, own, at)
    if gain is None:
        return {"state": "UNDETERMINED", **_NO_GAP}
    if gain >= 0:
        return {"state": "MET", **_NO_GAP}
    return {"state": "OPEN", **_distance(state, own, other, at)}


def _term(state: Negotiation, side: Side, issue: str) -> Value | None:
    offer = state.current_offer(side)
    return None if offer is None else offer.terms.get(issue)


def _distance(state: Negotiation, own: Value, other: Value, at: datetime) -> dict[str, Any]:
    if own.type == "date":
        days = days_between(own, other)
        return {"amount": {"type": "duration", "amount": str(days), "unit": "day"}, "percent": None}
    mine, theirs = measured(state, own, own, at), measured(state, other, own, at)
    if mine is None or theirs is None:
        return dict(_NO_GAP)
    stated, told = own.as_json(), other.as_json()
    decimals = max(decimals_of(stated["amount"]), decimals_of(told["amount"]))
    if _is_converted(stated, told):
        decimals = max(decimals, _LEAST_DECIMALS)
    distance = abs(mine - theirs)
    amount = {**stated, "amount": trimmed(distance, decimals)}
    return {"amount": amount, "percent": two_decimals(distance / abs(mine) * 100) if mine else None}


def _is_converted(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return any(one.get(name) != other.get(name) for name in ("currency", "per", "unit"))
