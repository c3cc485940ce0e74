"""The checks of a deal review: criteria, floors and the BATNA against a package. Section 12.5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from negotiation_app.protocol.comparison import Comparison
from negotiation_app.protocol.facts import working_view
from negotiation_app.protocol.names import BoundaryKind, Certainty, Check, Comparator, Result
from negotiation_app.protocol.rows import Criterion, Proposal
from negotiation_app.protocol.state import Negotiation, in_order
from negotiation_app.protocol.values import Value
from negotiation_app.protocol.worth import advantage, compare_on, compare_plain

_C = Comparison
_PASSING = (Check.MET, Check.NOT_APPLICABLE)
_HOLDS = {
    Comparator.AT_LEAST: (_C.EQUAL, _C.GREATER),
    Comparator.AT_MOST: (_C.EQUAL, _C.LESS),
    Comparator.EQUALS: (_C.EQUAL,),
    Comparator.ONE_OF: (_C.EQUAL,),
}


@dataclass(frozen=True)
class Findings:
    """What each check says, and which of them have to pass."""

    results: dict[str, Check]
    mandatory: frozenset[str]

    @property
    def result(self) -> Result:
        failed = any(self.results[name] not in _PASSING for name in self.mandatory)
        return Result.FAIL if failed else Result.PASS


def check(
    state: Negotiation, proposal: Proposal, at: datetime, manual: Mapping[str, Check] | None = None
) -> Findings | None:
    """Return what a review of the proposal finds; None where there is nothing to check."""
    results: dict[str, Check] = {}
    mandatory = set()
    for criterion in in_order(state.criteria):
        if not criterion.retired:
            results[criterion.ref] = _criterion(state, criterion, proposal, at, manual or {})
            mandatory |= {criterion.ref} if criterion.mandatory else set()
    for issue in in_order(state.issues):
        if state.boundary(issue.ref, BoundaryKind.FLOOR) is not None:
            results[f"floor:{issue.ref}"] = _floor(state, issue.ref, proposal, at)
            mandatory.add(f"floor:{issue.ref}")
    if state.batna is not None:
        results["batna"] = _batna(state, proposal, at)
        mandatory.add("batna")
    return Findings(results, frozenset(mandatory)) if results else None


def against_batna(state: Negotiation, proposal: Proposal, at: datetime) -> list[int | None]:
    """List by how the proposal compares with the BATNA on each issue that both name."""
    if state.batna is None:
        return []
    terms = state.batna.current.terms
    return [
        advantage(state, state.issues[issue], value, terms[issue], at)
        for issue, value in proposal.terms.items()
        if issue in terms
    ]


def _criterion(
    state: Negotiation, criterion: Criterion, proposal: Proposal, at: datetime, manual: Mapping[str, Check]
) -> Check:
    if criterion.comparator == Comparator.MANUAL:
        return manual.get(criterion.ref, Check.UNDETERMINED)
    value = _read(state, criterion, proposal, at)
    if criterion.comparator == Comparator.PRESENT:
        if value is not None:
            return Check.MET
        return Check.NOT_MET if criterion.issue is not None else Check.UNDETERMINED
    if value is None:
        return Check.UNDETERMINED
    return _any_of(_compared(state, criterion, value, wanted, at) for wanted in criterion.values)


def _read(state: Negotiation, criterion: Criterion, proposal: Proposal, at: datetime) -> Value | None:
    if criterion.issue is not None:
        return proposal.terms.get(criterion.issue)
    view = working_view(state, criterion.fact or "", at)
    return view.value if view.status == Certainty.KNOWN else None


def _compared(state: Negotiation, criterion: Criterion, value: Value, wanted: Value, at: datetime) -> Check:
    if criterion.issue is not None:
        found = compare_on(state, state.issues[criterion.issue], value, wanted, at)
    else:
        found = compare_plain(state, value, wanted, at)
    if found == Comparison.INCOMPARABLE:
        return Check.UNDETERMINED
    if found == Comparison.COMPATIBLE:
        # A range may or may not hold it; a day and an instant of that day are the same day.
        return Check.UNDETERMINED if "range" in (value.type, wanted.type) else Check.MET
    return Check.MET if found in _HOLDS[Comparator(criterion.comparator)] else Check.NOT_MET


def _any_of(found: Iterable[Check]) -> Check:
    checks = set(found)
    return next((each for each in (Check.MET, Check.UNDETERMINED) if each in checks), Check.NOT_MET)


def _floor(state: Negotiation, issue: str, proposal: Proposal, at: datetime) -> Check:
    floor, value = state.boundary(issue, BoundaryKind.FLOOR), proposal.terms.get(issue)
    if floor is None or value is None:
        return Check.UNDETERMINED
    gain = advantage(state, state.issues[issue], value, floor.value, at)
    if gain is None:
        return Check.UNDETERMINED
    return Check.MET if gain >= 0 else Check.NOT_MET


def _batna(state: Negotiation, proposal: Proposal, at: datetime) -> Check:
    gains = against_batna(state, proposal, at)
    if not gains:
        return Check.NOT_APPLICABLE
    if None in gains:
        return Check.UNDETERMINED
    if 1 in gains and -1 in gains:
        return Check.NOT_APPLICABLE
    return Check.NOT_MET if -1 in gains else Check.MET
