"""How a side moved: the steps between its proposals, and what both sides gave by the ledger. Section 13."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any

from negotiation_app.protocol.concessions import COUNTING
from negotiation_app.protocol.names import Side
from negotiation_app.protocol.numbers import decimals_of, trimmed
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import advantage, measured

_LEAST_DECIMALS = 2


def pattern(state: Negotiation, side: str, issue: str, at: datetime) -> dict[str, Any]:
    """Return `{moves, total, pattern}` of a side on an issue, from its proposals by the time they were made."""
    values = [row.terms[issue] for row in state.by_side.get(side, ()) if issue in row.terms]
    steps = [_step(state, side, issue, at, old=old, new=new) for old, new in pairwise(values)]
    if None in steps:
        return {"moves": sum(step == 1 for step in steps), "total": None, "pattern": "UNDETERMINED"}
    moves = sum(step == 1 for step in steps)
    if not any(steps):
        return {"moves": 0, "total": None, "pattern": "NONE"}
    sizes = _sizes(state, values, at)
    return {
        "moves": moves,
        "total": None if sizes is None else _total(values, steps, sizes),
        "pattern": "REVERSED" if -1 in steps else _shape(sizes, moves),
    }


def reciprocity(state: Negotiation) -> dict[str, int]:
    """Count the ledger rows that count, and the own ones granted since the counterpart's last grant."""
    granted: dict[str, list[int]] = {Side.OWN: [], Side.COUNTERPART: []}
    for row in state.concessions.values():
        if row.state in COUNTING:
            granted[row.side].append(row.granted or 0)
    last = max(granted[Side.COUNTERPART], default=-1)
    return {
        "own": len(granted[Side.OWN]),
        "counterpart": len(granted[Side.COUNTERPART]),
        "ownSinceLastCounterpart": sum(each > last for each in granted[Side.OWN]),
    }


def _step(state: Negotiation, side: str, issue: str, at: datetime, *, old: Value, new: Value) -> int | None:
    """Return 1 for a step towards the other side, -1 for one back, 0 for a hold, None where it cannot be told."""
    gain = advantage(state, state.issues[issue], new, old, at)
    if gain is None:
        return None
    return -gain if side == Side.OWN else gain


def _sizes(state: Negotiation, values: list[Value], at: datetime) -> list[Fraction] | None:
    """List the sizes of all steps in the first value's unit; None where there are none to speak of."""
    measures = [measured(state, value, values[0], at) for value in values]
    known = [each for each in measures if each is not None]
    if len(known) < len(measures):
        return None
    return [abs(new - old) for old, new in pairwise(known)]


def _total(values: list[Value], steps: list[int | None], sizes: list[Fraction]) -> str:
    net = sum((size * (step or 0) for step, size in zip(steps, sizes, strict=True)), Fraction(0))
    stated = [decimals_of(value.as_json().get("amount", "")) for value in values]
    return trimmed(net, max(_LEAST_DECIMALS, *stated))


def _shape(sizes: list[Fraction] | None, moves: int) -> str:
    if moves == 1:
        return "SINGLE"
    if sizes is None:
        return "UNDETERMINED"
    made = [size for size in sizes if size]
    for name, holds in _SHAPES.items():
        if all(holds(before, after) for before, after in pairwise(made)):
            return name
    return "MIXED"


_SHAPES = {
    "SHRINKING": lambda before, after: after < before,
    "GROWING": lambda before, after: after > before,
    "STEADY": lambda before, after: after == before,
}
