"""What a moved field makes stale, and what a fallen premise asks to be looked at again, along the chain.

A move asks for review where a correction, a dispute or a reopening is behind it; otherwise dependents go stale.
Source: canonical negotiation state, sections 8, 10, 12.3 and 13.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from negotiation_app.protocol import paths
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.names import IN_FORCE, Certainty, JudgementStatus, ReviewState, Step
from negotiation_app.protocol.rows import Proposition
from negotiation_app.protocol.state import Negotiation


def spread(draft: Draft) -> None:
    """Mark everything that depends on what moved, until nothing changes any more."""
    waiting = deque(draft.done.moved.items())
    done: dict[str, bool] = {}
    while waiting:
        path, review = waiting.popleft()
        if done.get(path, False) or (path in done and not review):
            continue
        done[path] = review
        for dependent in _dependents(draft.state, path):
            for moved in _mark(draft, dependent, path, review):
                waiting.append((moved, review))


def _dependents(state: Negotiation, path: str) -> list[str]:
    found = {each for above in paths.upwards(path) for each in state.dependents.get(above, ())}
    return sorted(found)


def _mark(draft: Draft, dependent: str, cause: str, review: bool) -> list[str]:
    family, _, rest = dependent.partition("/")
    return _MARKS[family](draft, rest, cause, review)


def _mark_judgement(draft: Draft, ref: str, cause: str, review: bool) -> list[str]:
    row = draft.state.judgements[ref]
    is_new = ref not in draft.before.judgements
    asked = JudgementStatus.NEEDS_REVIEW if review else JudgementStatus.STALE
    if row.status not in IN_FORCE or row.status in (asked, JudgementStatus.NEEDS_REVIEW) or (is_new and not review):
        return []
    draft.put(replace(row, status=asked))
    moved = [paths.judgement(ref)]
    if draft.state.strategy == ref:
        moved.append(paths.STRATEGY)
    for path in moved:
        draft.move(path, review=review)
    draft.note(Step.RECOMPUTE, f"{ref} is {asked}, since {cause} moved")
    return moved


def _mark_proposition(draft: Draft, ref: str, cause: str, review: bool) -> list[str]:
    row = draft.state.propositions[ref]
    premise = draft.state.propositions[cause.partition("/")[2]]
    if not row.is_effective or row.review_state == ReviewState.NEEDS_REVIEW or not _has_fallen(draft, premise):
        return []
    draft.put(replace(row, review_state=ReviewState.NEEDS_REVIEW))
    draft.move(paths.proposition(ref), review=review)
    draft.note(Step.RECOMPUTE, f"{ref} needs review, since its premise {premise.ref} moved")
    return [paths.proposition(ref)]


def _mark_boundary(draft: Draft, key: str, cause: str, review: bool) -> list[str]:
    row = draft.state.boundaries[key]
    if (
        row.is_retired
        or row.review_state == ReviewState.NEEDS_REVIEW
        or not _is_cited(draft, cause, row.basis.propositions)
    ):
        return []
    draft.put(replace(row, review_state=ReviewState.NEEDS_REVIEW))
    draft.move(paths.boundary(key), review=review)
    draft.note(Step.RECOMPUTE, f"boundary {key} keeps its value and needs review")
    return [paths.boundary(key)]


def _mark_batna(draft: Draft, rest: str, cause: str, review: bool) -> list[str]:
    row = draft.state.batnas[paths.BATNA]
    if (
        row.is_retired
        or row.review_state == ReviewState.NEEDS_REVIEW
        or not _is_cited(draft, cause, row.current.basis.propositions)
    ):
        return []
    draft.put(replace(row, review_state=ReviewState.NEEDS_REVIEW))
    draft.move(paths.BATNA, review=review)
    draft.note(Step.RECOMPUTE, "the BATNA stays and needs review")
    return [paths.BATNA]


def _is_cited(draft: Draft, cause: str, cited: tuple[str, ...]) -> bool:
    ref = cause.partition("/")[2]
    return ref in cited and _has_fallen(draft, draft.state.propositions[ref])


def _has_fallen(draft: Draft, proposition: Proposition) -> bool:
    """Tell whether a proposition was superseded, lowered or disputed, or put under review, in this write."""
    if not proposition.is_effective or draft.state.is_disputed(proposition.ref):
        return True
    if proposition.review_state == ReviewState.NEEDS_REVIEW:
        return True
    before = draft.before.propositions.get(proposition.ref)
    return before is not None and Certainty(before.status).rank > proposition.certainty.rank


_MARKS: dict[str, Callable[[Draft, str, str, bool], list[str]]] = {
    "judgements": _mark_judgement,
    "propositions": _mark_proposition,
    "boundaries": _mark_boundary,
    "batna": _mark_batna,
}
