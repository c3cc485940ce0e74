"""Contradictions: found, joined, flagged and dissolved. Two KNOWN that cannot both hold are never silently one.

Source: canonical negotiation state, section 9.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.comparison import Comparison
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.evidence import refuse_superseded
from negotiation_app.protocol.indexes import pair_key
from negotiation_app.protocol.names import Certainty, ContradictionKind, ContradictionStatus, Step
from negotiation_app.protocol.rows import Contradiction, Proposition
from negotiation_app.protocol.state import Negotiation, in_order
from negotiation_app.protocol.validity import overlap
from negotiation_app.protocol.worth import AGREEING, compare_propositions

AUTOMATIC = (ContradictionKind.VALUE_CONFLICT, ContradictionKind.INCOMPARABLE)


def flag(draft: Draft, form: Mapping[str, Any]) -> None:
    """Say that propositions of whatever status cannot hold together; the same set is flagged once."""
    members = form["between"]
    for ref in members:
        refuse_superseded(draft.state.propositions[ref])
    wanted = set(members)
    for ref in draft.state.disputes.get(members[0], ()):
        if set(draft.state.contradictions[ref].members) == wanted:
            draft.note(Step.CONTRADICTIONS, f"{ref} says this already")
            return
    open_between(draft, ContradictionKind.FLAGGED, members, reason=form["reason"])


def open_between(
    draft: Draft, kind: ContradictionKind, members: Iterable[str], *, reason: str | None = None
) -> Contradiction:
    """Open a contradiction; its members are disputed from now on."""
    ref = f"contradiction-{len(draft.state.contradictions) + 1}"
    row = Contradiction(
        ref, draft.order, kind, _in_order(draft.state, members), ContradictionStatus.OPEN, reason=reason
    )
    _put(draft, row, newly=row.members)
    draft.done.opened.append(ref)
    draft.note(Step.CONTRADICTIONS, f"{ref} opens between {', '.join(row.members)} ({kind})")
    return row


def settle(draft: Draft) -> None:
    """Find what conflicts by now, and dissolve what does not any more."""
    for ref in dict.fromkeys(draft.done.newly_known):
        _detect(draft, draft.state.propositions[ref])
    for ref in dict.fromkeys(draft.done.shaken):
        _dissolve_if_settled(draft, draft.state.contradictions[ref])


def compare_all_again(draft: Draft) -> None:
    """After a new rate: look again at every slot with several KNOWN, and at every open automatic contradiction."""
    state = draft.state
    for refs in state.slots.values():
        if len(refs) > 1:
            draft.done.newly_known += [ref for ref in refs if _is_known(state.propositions[ref])]
    for row in state.contradictions.values():
        if row.status == ContradictionStatus.OPEN and row.kind in AUTOMATIC:
            draft.done.shaken.append(row.ref)
    draft.done.newly_known.sort(key=lambda ref: state.propositions[ref].order)
    draft.done.shaken.sort(key=lambda ref: state.contradictions[ref].order)


def look_again_at_attribute(draft: Draft, name: str) -> None:
    """After an attribute was declared: what conflicts in its slots may be allowed to."""
    for row in in_order(draft.state.contradictions):
        slots = {draft.state.propositions[ref].slot for ref in row.members}
        if row.status == ContradictionStatus.OPEN and any(slot.partition("/")[2] == name for slot in slots):
            draft.done.shaken.append(row.ref)


def release(draft: Draft, row: Contradiction) -> None:
    """Put a contradiction that is no longer open; members that are in no other one are no longer disputed."""
    _put(draft, row)
    for ref in row.members:
        proposition = draft.state.propositions[ref]
        if proposition.is_effective and not draft.state.is_disputed(ref):
            draft.move(paths.proposition(ref))
            draft.touch(proposition.slot)


def _put(draft: Draft, row: Contradiction, *, newly: Iterable[str] = ()) -> None:
    undisputed = [ref for ref in newly if not draft.state.is_disputed(ref)]
    draft.put(row)
    draft.move(paths.contradiction(row.ref))
    for ref in undisputed:
        draft.move(paths.proposition(ref), review=True)
        draft.touch(draft.state.propositions[ref].slot, review=True)


def _detect(draft: Draft, known: Proposition) -> None:
    if not _is_known(known):
        return
    found = dict(_conflicts(draft.state, known))
    if not found:
        return
    members = (known.ref, *found)
    kind = _kind(found.values())
    joined = _oldest_open(draft.state, found)
    if joined is None:
        open_between(draft, kind, members)
        return
    row = replace(
        joined,
        members=_in_order(draft.state, {*joined.members, *members}),
        kind=_kind((ContradictionKind(joined.kind), kind)),
    )
    _put(draft, row, newly=[ref for ref in row.members if ref not in joined.members])
    draft.note(Step.CONTRADICTIONS, f"{known.ref} joins {joined.ref}")


def _conflicts(state: Negotiation, known: Proposition) -> Iterator[tuple[str, ContradictionKind]]:
    for other in state.in_slot(known.slot):
        if other.ref == known.ref or not _is_known(other) or _is_settled_pair(state, known.ref, other.ref):
            continue
        kind = _conflict(state, known, other)
        if kind is not None:
            yield other.ref, kind


def _conflict(state: Negotiation, one: Proposition, other: Proposition) -> ContradictionKind | None:
    if state.is_multi_valued(one.slot) or not overlap(one, other):
        return None
    found = compare_propositions(state, one, other)
    if found in AGREEING:
        return None
    return ContradictionKind.INCOMPARABLE if found == Comparison.INCOMPARABLE else ContradictionKind.VALUE_CONFLICT


def _is_settled_pair(state: Negotiation, one: str, other: str) -> bool:
    """Tell whether the pair is exempt, or together in an open contradiction."""
    if pair_key(one, other) in state.exempt:
        return True
    return any(ref in state.disputes.get(other, ()) for ref in state.disputes.get(one, ()))


def _oldest_open(state: Negotiation, members: Iterable[str]) -> Contradiction | None:
    rows = {ref: state.contradictions[ref] for member in members for ref in state.disputes.get(member, ())}
    automatic = (row for row in rows.values() if row.kind in AUTOMATIC)
    return min(automatic, key=lambda row: row.order, default=None)


def _kind(kinds: Collection[ContradictionKind]) -> ContradictionKind:
    if ContradictionKind.VALUE_CONFLICT in kinds:
        return ContradictionKind.VALUE_CONFLICT
    return ContradictionKind.INCOMPARABLE


def _dissolve_if_settled(draft: Draft, row: Contradiction) -> None:
    if row.status != ContradictionStatus.OPEN:
        return
    kind = _kind_by_now(draft.state, row)
    if kind is None:
        release(draft, replace(row, status=ContradictionStatus.DISSOLVED))
        draft.note(Step.CONTRADICTIONS, f"{row.ref} dissolves: its members do not conflict any more")
    elif kind != row.kind:
        _put(draft, replace(row, kind=kind))
        draft.note(Step.CONTRADICTIONS, f"{row.ref} turns out to be a {kind}")


def _kind_by_now(state: Negotiation, row: Contradiction) -> ContradictionKind | None:
    """Return what kind of contradiction is left between the members; None for none."""
    members = [state.propositions[ref] for ref in row.members if state.propositions[ref].is_effective]
    if row.kind not in AUTOMATIC:
        return ContradictionKind(row.kind) if len(members) > 1 else None
    known = [each for each in members if each.status == Certainty.KNOWN]
    found = [
        kind
        for one, other in combinations(known, 2)
        if pair_key(one.ref, other.ref) not in state.exempt and (kind := _conflict(state, one, other)) is not None
    ]
    return _kind(found) if found else None


def _is_known(proposition: Proposition) -> bool:
    return proposition.is_effective and proposition.status == Certainty.KNOWN


def _in_order(state: Negotiation, refs: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(refs, key=lambda ref: state.propositions[ref].order))
