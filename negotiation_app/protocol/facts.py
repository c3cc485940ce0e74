"""The working view of a slot at a time: what may be worked with, and what the server does not choose between.

Source: canonical negotiation state, section 8, "Working view".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

from negotiation_app.protocol.names import Because, Certainty
from negotiation_app.protocol.rows import Proposition
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.validity import holding, starts_at
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import agree


@dataclass(frozen=True)
class View:
    status: Certainty
    value: Value | None = None
    disputed: bool = False
    alternatives: tuple[str, ...] = ()
    proposition: str | None = None
    carried_forward: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "status": str(self.status),
            "value": None if self.value is None else self.value.as_json(),
            "disputed": self.disputed,
            "alternatives": list(self.alternatives),
            "proposition": self.proposition,
            "carriedForward": self.carried_forward,
        }

    def says(self) -> dict[str, Any]:
        """Return what dependents look at: not which proposition says it."""
        told = self.as_json()
        return {name: told[name] for name in ("status", "value", "disputed", "alternatives")}


NOTHING = View(Certainty.UNKNOWN)


def working_view(state: Negotiation, slot: str, at: datetime) -> View:
    """Return the view of a slot; a slot without propositions says nothing."""
    standing = [each for each in state.in_slot(slot) if _stands(state, each, at)]
    found, carried_forward = holding(standing, at)
    if not found:
        return NOTHING
    if any(state.is_disputed(each.ref) for each in found):
        highest = max((each.certainty for each in found), key=lambda each: each.rank)
        return View(highest, disputed=True, alternatives=_refs(found), carried_forward=carried_forward)
    status = max((each.certainty for each in found), key=lambda each: each.rank)
    best = [each for each in found if each.certainty == status]
    if not all(agree(state, one, other) for one, other in combinations(_distinct(best), 2)):
        return View(status, alternatives=_refs(best), carried_forward=carried_forward)
    first = min(best, key=lambda each: each.order)
    return View(status, first.value, proposition=first.ref, carried_forward=carried_forward)


def _stands(state: Negotiation, proposition: Proposition, at: datetime) -> bool:
    """Tell whether a proposition counts at `at`: effective, or replaced by one that only begins to hold later."""
    if proposition.is_effective:
        return True
    if proposition.superseded_because != Because.REPLACED_IN_TIME or proposition.superseded_by is None:
        return False
    start = starts_at(state.propositions[proposition.superseded_by])
    return start is not None and at < start


def _distinct(found: list[Proposition]) -> list[Proposition]:
    """Leave one of those that state the same value alike: they agree, however many they are."""
    return list({each.value: each for each in found}.values())


def _refs(found: list[Proposition]) -> tuple[str, ...]:
    return tuple(sorted(each.ref for each in found))
