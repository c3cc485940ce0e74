"""An offer against target, floor and BATNA: term by term, as a package, and what a review would say. Section 13."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

from negotiation_app.protocol.checks import against_batna, check
from negotiation_app.protocol.names import BoundaryKind
from negotiation_app.protocol.numbers import two_decimals
from negotiation_app.protocol.rows import Issue, Proposal
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import advantage, measured

NOT_OFFERED, INCOMPARABLE, UNDETERMINED = "NOT_OFFERED", "INCOMPARABLE", "UNDETERMINED"


def term(state: Negotiation, offer: Proposal, issue: str, at: datetime) -> tuple[str, str, str]:
    """Return the verdicts on one issue against target, floor and BATNA."""
    target, floor = _boundary(state, issue, BoundaryKind.TARGET), _boundary(state, issue, BoundaryKind.FLOOR)
    batna = None if state.batna is None else state.batna.current.terms.get(issue)
    row, value = state.issues[issue], offer.terms.get(issue)

    def verdict(other: Value | None, words: tuple[str, str, str]) -> str | None:
        """Return the word for worse, alike or better; None where there is nothing to compare with."""
        if other is None:
            return None
        if value is None:
            return NOT_OFFERED
        gain = advantage(state, row, value, other, at)
        return INCOMPARABLE if gain is None else words[gain + 1]

    return (
        verdict(target, ("SHORT_OF_TARGET", "MEETS_TARGET", "MEETS_TARGET")) or "NO_TARGET",
        verdict(floor, ("WORSE_THAN_FLOOR", "AT_LEAST_FLOOR", "AT_LEAST_FLOOR")) or "NO_FLOOR",
        verdict(batna, ("WORSE_THAN_BATNA", "EQUAL_TO_BATNA", "BETTER_THAN_BATNA")) or "NO_BATNA",
    )


def overall(state: Negotiation, offer: Proposal, at: datetime) -> tuple[str, str, str | None]:
    """Return the package's verdicts against all floors and the BATNA, and its score."""
    return _all_floors(state, offer, at), _dominance(state, offer, at), _score(state, offer, at)


def acceptance(state: Negotiation, offer: Proposal, at: datetime) -> str:
    found = check(state, offer, at)
    return "NOTHING_TO_REVIEW" if found is None else str(found.result)


def _boundary(state: Negotiation, issue: str, kind: BoundaryKind) -> Value | None:
    row = state.boundary(issue, kind)
    return None if row is None else row.value


def _all_floors(state: Negotiation, offer: Proposal, at: datetime) -> str:
    verdicts = [verdict for issue in state.issues if (verdict := term(state, offer, issue, at)[1]) != "NO_FLOOR"]
    if "WORSE_THAN_FLOOR" in verdicts:
        return "SOME_WORSE_THAN_FLOOR"
    if not verdicts or any(verdict != "AT_LEAST_FLOOR" for verdict in verdicts):
        return UNDETERMINED
    return "ALL_AT_LEAST_FLOOR"


def _dominance(state: Negotiation, offer: Proposal, at: datetime) -> str:
    gains = against_batna(state, offer, at)
    if not gains or None in gains:
        return UNDETERMINED
    if 1 in gains and -1 in gains:
        return "MIXED"
    return "BETTER" if 1 in gains else "WORSE" if -1 in gains else "EQUAL"


def _score(state: Negotiation, offer: Proposal, at: datetime) -> str | None:
    """Σ weight·(value-floor)/(target-floor) / Σ weight, × 100, where every weighted issue has all of them."""
    weighted = [issue for issue in state.issues.values() if issue.weight is not None]
    total, weights = Fraction(0), Fraction(0)
    for issue in weighted:
        share = _share(state, offer, issue, at)
        if share is None:
            return None
        weight = Fraction(issue.weight or 0)
        total, weights = total + weight * share, weights + weight
    return two_decimals(total / weights * 100) if weights else None


def _share(state: Negotiation, offer: Proposal, issue: Issue, at: datetime) -> Fraction | None:
    target, floor = _boundary(state, issue.ref, BoundaryKind.TARGET), _boundary(state, issue.ref, BoundaryKind.FLOOR)
    value = offer.terms.get(issue.ref)
    if target is None or floor is None or value is None:
        return None
    measures = [measured(state, each, floor, at) for each in (value, target, floor)]
    if None in measures:
        return None
    reached, wanted, least = (Fraction(each or 0) for each in measures)
    return None if wanted == least else (reached - least) / (wanted - least)
