"""Computed judgements: cells under `derived/`, each a function of current rows and of a moment.

A cell is the smallest part that is compared and reported. Nothing here is stored: a write compares the cells whose
inputs it changed, before and after at the same moment, and a reader computes them all. Source: section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.derived_concessions import pattern, reciprocity
from negotiation_app.protocol.derived_gap import gap
from negotiation_app.protocol.derived_offers import acceptance, overall, term
from negotiation_app.protocol.derived_zopa import reservation_slots, zopa
from negotiation_app.protocol.names import Side
from negotiation_app.protocol.state import Negotiation, issue_refs

SIDES = (Side.OWN, Side.COUNTERPART)
ROOT = "derived"
_VERDICTS = ("vsTarget", "vsFloor", "vsBatna")
_OVERALL = ("vsFloor", "vsBatna", "score")
# What a cell is about: a family, and with it a side, an issue, or both.
Cell = tuple[str, str, str]


def derived(state: Negotiation, at: datetime) -> dict[str, Any]:
    """Return all computed judgements as one tree, path segments as members."""
    tree: dict[str, Any] = {"offers": {}, "gap": {}, "zopa": {}, "concessions": {side: {} for side in SIDES}}
    for path, value in every_cell(state, at).items():
        _put(tree, path.split("/")[1:], value)
    return tree


def every_cell(state: Negotiation, at: datetime) -> dict[str, Any]:
    """Return all computed judgements by path, each whole."""
    return dict(_values(state, _all_cells(state), at))


def derived_at(state: Negotiation, path: str, at: datetime) -> Any:
    """Return what stands at a path under `derived`. Raises LookupError where nothing does."""
    found: Any = derived(state, at)
    for segment in path.split("/")[1:]:
        found = (found if isinstance(found, dict) else {})[segment]
    return found


def changed_cells(
    before: Negotiation, after: Negotiation, fields: Iterable[str], at: datetime
) -> list[tuple[str, Any, Any]]:
    """List the cells that differ by what a write changed, as (path, before, after); None for a cell that is not there.

    fields: the paths that the write changed.
    """
    cells = dict.fromkeys(cell for field in fields for cell in _reading(after, field))
    old, new = dict(_values(before, cells, at)), dict(_values(after, cells, at))
    return [(path, old.get(path), new.get(path)) for path in {**old, **new} if _differs(old, new, path)]


def _differs(old: dict[str, Any], new: dict[str, Any], path: str) -> bool:
    return (path in old) != (path in new) or old[path] != new[path]


def _all_cells(state: Negotiation) -> Iterator[Cell]:
    for issue in issue_refs(state):
        yield from _of_issue(issue)
    yield from _of_offers()
    yield ("reciprocity", "", "")


def _of_issue(issue: str) -> Iterator[Cell]:
    yield ("gap", "", issue)
    yield ("zopa", "", issue)
    for side in SIDES:
        yield ("term", side, issue)
        yield ("concessions", side, issue)


def _of_offers() -> Iterator[Cell]:
    for side in SIDES:
        yield ("overall", side, "")
        yield ("acceptance", side, "")


def _reading(state: Negotiation, field: str) -> Iterator[Cell]:
    """Yield the cells that read a field."""
    family, _, rest = field.partition("/")
    reader = _READERS.get(family)
    if reader is not None:
        yield from reader(state, rest)


def _by_proposal(state: Negotiation, rest: str) -> Iterator[Cell]:
    side = rest if rest in SIDES else state.proposals[rest].side
    yield ("overall", side, "")
    yield ("acceptance", side, "")
    for issue in issue_refs(state):
        yield ("term", side, issue)
        yield ("concessions", side, issue)
        yield ("gap", "", issue)
        yield ("zopa", "", issue)


def _by_boundary(state: Negotiation, rest: str) -> Iterator[Cell]:
    issue = rest.partition("/")[0]
    yield from (("term", side, issue) for side in SIDES)
    yield ("zopa", "", issue)
    yield from _of_offers()


def _by_batna(state: Negotiation, rest: str) -> Iterator[Cell]:
    yield from (("term", side, issue) for side in SIDES for issue in issue_refs(state))
    yield from _of_offers()


def _by_criterion(state: Negotiation, rest: str) -> Iterator[Cell]:
    yield from (("acceptance", side, "") for side in SIDES)


def _by_fact(state: Negotiation, rest: str) -> Iterator[Cell]:
    if any(row.fact == rest for row in state.criteria.values()):
        yield from _by_criterion(state, rest)
    issue = reservation_slots(state).get(rest)
    if issue is not None:
        yield ("zopa", "", issue)


def _by_rate(state: Negotiation, rest: str) -> Iterator[Cell]:
    return (cell for cell in _all_cells(state) if cell[0] != "reciprocity")


def _by_issue(state: Negotiation, rest: str) -> Iterator[Cell]:
    yield from _of_issue(rest)
    yield from _of_offers()


def _by_concession(state: Negotiation, rest: str) -> Iterator[Cell]:
    yield ("reciprocity", "", "")


_READERS: dict[str, Callable[[Negotiation, str], Iterator[Cell]]] = {
    "offers": _by_proposal,
    "proposals": _by_proposal,
    "boundaries": _by_boundary,
    "batna": _by_batna,
    "criteria": _by_criterion,
    "facts": _by_fact,
    "rates": _by_rate,
    "issues": _by_issue,
    "concessions": _by_concession,
}


def _values(state: Negotiation, cells: Iterable[Cell], at: datetime) -> Iterator[tuple[str, Any]]:
    """Yield path and value of the cells that exist; a cell of an offer does not without the offer."""
    for family, side, issue in cells:
        if issue and issue not in state.issues:
            continue
        yield from _VALUES[family](state, side, issue, at)


def _term(state: Negotiation, side: str, issue: str, at: datetime) -> Iterator[tuple[str, Any]]:
    offer = state.current_offer(side)
    if offer is not None:
        for verdict, value in zip(_VERDICTS, term(state, offer, issue, at), strict=True):
            yield f"{ROOT}/{paths.offer(side)}/{issue}/{verdict}", value


def _overall(state: Negotiation, side: str, issue: str, at: datetime) -> Iterator[tuple[str, Any]]:
    offer = state.current_offer(side)
    if offer is not None:
        for verdict, value in zip(_OVERALL, overall(state, offer, at), strict=True):
            yield f"{ROOT}/{paths.offer(side)}/overall/{verdict}", value


def _acceptance(state: Negotiation, side: str, issue: str, at: datetime) -> Iterator[tuple[str, Any]]:
    offer = state.current_offer(side)
    if offer is not None:
        yield f"{ROOT}/{paths.offer(side)}/acceptance", acceptance(state, offer, at)


def _gap(state: Negotiation, side: str, issue: str, at: datetime) -> Iterator[tuple[str, Any]]:
    yield f"{ROOT}/gap/{issue}", gap(state, issue, at)


def _zopa(state: Negotiation, side: str, issue: str, at: datetime) -> Iterator[tuple[str, Any]]:
    yield f"{ROOT}/zopa/{issue}", zopa(state, issue, at)


def _concessions(state: Negotiation, side: str, issue: str, at: datetime) -> Iterator[tuple[str, Any]]:
    yield f"{ROOT}/concessions/{side}/{issue}", pattern(state, side, issue, at)


def _reciprocity(state: Negotiation, side: str, issue: str, at: datetime) -> Iterator[tuple[str, Any]]:
    yield f"{ROOT}/reciprocity", reciprocity(state)


_VALUES: dict[str, Callable[[Negotiation, str, str, datetime], Iterator[tuple[str, Any]]]] = {
    "term": _term,
    "overall": _overall,
    "acceptance": _acceptance,
    "gap": _gap,
    "zopa": _zopa,
    "concessions": _concessions,
    "reciprocity": _reciprocity,
}


def _put(tree: dict[str, Any], segments: list[str], value: Any) -> None:
    for segment in segments[:-1]:
        tree = tree.setdefault(segment, {})
    tree[segments[-1]] = value
