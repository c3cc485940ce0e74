"""Authored judgements: recorded, reaffirmed or retired, and never rewritten. Section 13."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.conflicts import (
    DependencyNotCurrent,
    PropositionDisputed,
    SupersedeRequired,
    TargetNotEffective,
)
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.facts import working_view
from negotiation_app.protocol.names import IN_FORCE, JudgementKind, JudgementStatus, ReviewState, Step
from negotiation_app.protocol.propositions import refuse_disputed
from negotiation_app.protocol.refusals import DependenciesRequired, DependencyCycle
from negotiation_app.protocol.rows import Judgement
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.texts import normal_name

REAFFIRM = "REAFFIRM"


def record_judgement(draft: Draft, form: Mapping[str, Any]) -> None:
    state, ref, kind = draft.state, form["ref"], form["kind"]
    depends_on = tuple(normal_path(path) for path in form["dependsOn"])
    supersedes = form.get("supersedes")
    if not depends_on:
        raise DependenciesRequired(judgement=ref)
    if supersedes is not None:
        _refuse_out_of_force(state, state.judgements[supersedes])
    if kind == JudgementKind.STRATEGY:
        if state.strategy not in (None, supersedes):
            raise SupersedeRequired(target=paths.STRATEGY)
        _refuse_cycle(state, ref, depends_on)
    if supersedes is not None:
        _put_status(draft, state.judgements[supersedes], JudgementStatus.SUPERSEDED)
    draft.put(
        Judgement(
            ref=ref,
            order=draft.order,
            kind=kind,
            text=form["text"],
            recommendation=form.get("recommendation"),
            depends_on=depends_on,
            supersedes=supersedes,
            status=JudgementStatus.CURRENT,
            event=draft.source.ref,
        )
    )
    draft.change(paths.judgement(ref))
    if kind == JudgementKind.STRATEGY:
        draft.move(paths.STRATEGY)
    draft.note(Step.APPLY, f"{ref} is recorded as {kind}")


def review_judgement(draft: Draft, body: Mapping[str, Any]) -> None:
    row = draft.state.judgements[body["judgement"]]
    _refuse_out_of_force(draft.state, row)
    if body["outcome"] != REAFFIRM:
        _put_status(draft, row, JudgementStatus.RETIRED)
        return
    for path in row.depends_on:
        _check_dependency(draft, row, path)
    if row.status == JudgementStatus.CURRENT:
        draft.note(Step.APPLY, f"{row.ref} is current already")
        return
    draft.put(replace(row, status=JudgementStatus.CURRENT))
    draft.change(paths.judgement(row.ref))
    if row.ref == draft.state.strategy:
        draft.change(paths.STRATEGY)
    draft.note(Step.APPLY, f"{row.ref} is reaffirmed")


def normal_path(path: str) -> str:
    """Return the path as the state knows it: slots are named in normal form."""
    family, _, rest = path.partition("/")
    if family != "facts":
        return path
    return "/".join((family, *map(normal_name, rest.split("/"))))


def successor(state: Negotiation, ref: str) -> str | None:
    return next((row.ref for row in state.judgements.values() if row.supersedes == ref), None)


def _refuse_out_of_force(state: Negotiation, row: Judgement) -> None:
    if row.status not in IN_FORCE:
        raise TargetNotEffective(target=paths.judgement(row.ref), supersededBy=successor(state, row.ref))


def _put_status(draft: Draft, row: Judgement, status: JudgementStatus) -> None:
    was_strategy = row.ref == draft.state.strategy
    draft.put(replace(row, status=status))
    draft.move(paths.judgement(row.ref))
    if was_strategy:
        draft.move(paths.STRATEGY)
    draft.note(Step.APPLY, f"{row.ref} is {status}")


def _refuse_cycle(state: Negotiation, ref: str, depends_on: Iterable[str]) -> None:
    waiting, seen = list(depends_on), set[str]()
    while waiting:
        path = waiting.pop()
        if path == paths.STRATEGY:
            raise DependencyCycle(subject=f"Strategy {ref}", via=", ".join(sorted(seen)) or path)
        family, _, rest = path.partition("/")
        if family == "judgements" and path not in seen:
            seen.add(path)
            waiting += state.judgements[rest].depends_on


def _check_dependency(draft: Draft, row: Judgement, path: str) -> None:
    family, _, rest = path.partition("/")
    check = _CHECKS.get(family)
    doubt = None if check is None else check(draft, rest)
    if doubt is not None:
        raise DependencyNotCurrent(judgement=row.ref, dependency=path, current=doubt)


def _doubt_proposition(draft: Draft, ref: str) -> str | None:
    refuse_disputed(draft.state, ref)
    row = draft.state.propositions[ref]
    if not row.is_effective:
        return row.lifecycle
    return row.review_state if row.review_state == ReviewState.NEEDS_REVIEW else None


def _doubt_fact(draft: Draft, slot: str) -> str | None:
    view = working_view(draft.state, slot, draft.now)
    if view.disputed:
        disputes = {ref for each in view.alternatives for ref in draft.state.disputes.get(each, ())}
        raise PropositionDisputed(proposition=paths.fact(slot), contradictions=sorted(disputes))
    state = None if view.proposition is None else draft.state.propositions[view.proposition].review_state
    return state if state == ReviewState.NEEDS_REVIEW else None


def _doubt_judgement(draft: Draft, ref: str) -> str | None:
    status = draft.state.judgements[ref].status
    return None if status == JudgementStatus.CURRENT else status


def _doubt_strategy(draft: Draft, rest: str) -> str | None:
    return "not set" if draft.state.strategy is None else _doubt_judgement(draft, draft.state.strategy)


def _doubt_boundary(draft: Draft, rest: str) -> str | None:
    for row in draft.state.boundaries.values():
        if (paths.covers(rest, row.key) or not rest) and row.review_state == ReviewState.NEEDS_REVIEW:
            return row.review_state
    return None


def _doubt_batna(draft: Draft, rest: str) -> str | None:
    batna = draft.state.batna
    return batna.review_state if batna is not None and batna.review_state == ReviewState.NEEDS_REVIEW else None


_CHECKS = {
    "propositions": _doubt_proposition,
    "facts": _doubt_fact,
    "judgements": _doubt_judgement,
    "strategy": _doubt_strategy,
    "boundaries": _doubt_boundary,
    "batna": _doubt_batna,
}
