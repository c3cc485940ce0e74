"""The end of every write: what follows from it, the history row that says so, and the answer.

Source: canonical negotiation state, section 7, steps 4 and 7 to 10.
"""

from __future__ import annotations

from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.artefacts import wanted_artefact
from negotiation_app.protocol.contradictions import settle
from negotiation_app.protocol.derived import changed_cells
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.facts import working_view
from negotiation_app.protocol.lookup import shown
from negotiation_app.protocol.names import JudgementStatus, ReviewState, Step
from negotiation_app.protocol.notifications import Recomputed, surface
from negotiation_app.protocol.requests import Artefact, Decided, Entry
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.rows import Batna, Boundary, HistoryEvent, Judgement, Proposition, Row
from negotiation_app.protocol.spreading import spread

_NOTHING = {
    Step.SOURCE: "no source is named",
    Step.PROPOSITIONS: "no proposition is stated",
    Step.STATUS: "no status changes",
    Step.CONTRADICTIONS: "none is found",
    Step.RECONCILE: "nothing is to be reconciled",
    Step.APPLY: "nothing is applied",
    Step.RECOMPUTE: "no judgement is affected",
    Step.SURFACE: "nothing that the user has to hear of",
}
_IN_DOUBT = (JudgementStatus.STALE, JudgementStatus.NEEDS_REVIEW)


def finish(draft: Draft, operation: str) -> Decided:
    """Work out the consequences, write the history row, and answer."""
    _note_source(draft)
    settle(draft)
    found = _recompute(draft)
    spread(draft)
    notification = surface(draft, found)
    event = _event(draft, found)
    draft.put(event)
    artefact = wanted_artefact(
        draft.state, material=event.material, at=draft.now, limit=draft.context.artefact_max_bytes
    )
    entry = Entry(operation, draft.context.actor, draft.at, tuple(draft.done.rows))
    answer = _answer(draft, event, found, artefact)
    answer["notifications"] = [] if notification is None else [row_json(notification)]
    return Decided(draft.state, entry, answer, artefact)


def _note_source(draft: Draft) -> None:
    source = draft.source
    by = f" by {source.party}" if source.party else ""
    at = f" ({source.locator})" if source.locator else ""
    draft.done.notes.insert(0, (Step.SOURCE, f"{source.type}{by}{at}, {source.occurred_at}"))


def _recompute(draft: Draft) -> Recomputed:
    """Compare the touched slots and the cells that read what changed, before and after, at this moment."""
    views = {}
    for slot, review in draft.done.slots.items():
        old, new = (working_view(state, slot, draft.now) for state in (draft.before, draft.state))
        if old.says() != new.says():
            views[slot] = (old, new)
            draft.move(paths.fact(slot), review=review)
            draft.note(Step.RECOMPUTE, f"the working view of {slot} changes")
    review = any(draft.done.slots[slot] for slot in views)
    cells = changed_cells(draft.before, draft.state, draft.done.fields, draft.now)
    for path, before, after in cells:
        draft.move(path, review=review)
        for part in _parts(before, after):
            draft.done.moved[f"{path}/{part}"] = review
    if cells:
        draft.note(Step.RECOMPUTE, f"{len(cells)} computed results change")
    return Recomputed(views, cells)


def _parts(before: Any, after: Any) -> list[str]:
    """List the members of a cell that differ, since a judgement may depend on one of them."""
    old, new = (each if isinstance(each, dict) else {} for each in (before, after))
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


def _event(draft: Draft, found: Recomputed) -> HistoryEvent:
    material = bool(draft.done.fields)
    version = draft.before.version + (1 if material else 0)
    source = draft.source
    draft.note(Step.VERSION, f"version {version}" if material else f"stays at version {version}")
    draft.note(Step.HISTORY, f"{source.ref} is {'' if material else 'im'}material")
    return HistoryEvent(
        seq=draft.before.seq + 1,
        ref=source.ref,
        type=source.type,
        material=material,
        state_version=version,
        actor=draft.context.actor,
        occurred_at=source.occurred_at,
        recorded_at=draft.at,
        party=source.party,
        locator=source.locator,
        text=source.text,
        reason=source.reason,
        changes=_changes(draft, found),
        steps=_steps(draft),
    )


def _changes(draft: Draft, found: Recomputed) -> list[dict[str, Any]]:
    """List every changed field with what stood there and what stands there now."""
    cells = {path: (before, after) for path, before, after in found.cells}
    changes = []
    for path in draft.done.fields:
        before, after = cells.get(path) or _shown(draft, path)
        changes.append({"field": path, "before": before, "after": after})
    return changes


def _shown(draft: Draft, path: str) -> tuple[Any, Any]:
    before = shown(draft.before, path, draft.now) if draft.before.frame else None
    return before, shown(draft.state, path, draft.now)


def _steps(draft: Draft) -> list[dict[str, Any]]:
    told: dict[Step, list[str]] = {step: [] for step in Step}
    for step, what in draft.done.notes:
        told[step].append(what)
    return [
        {"step": number, "name": str(step), "result": "; ".join(told[step]) or _NOTHING[step]}
        for number, step in enumerate(Step, 1)
    ]


def _answer(draft: Draft, event: HistoryEvent, found: Recomputed, artefact: Artefact) -> dict[str, Any]:
    told = row_json(event)
    answer = {
        "stateVersion": event.state_version,
        "material": event.material,
        "event": {name: value for name, value in told.items() if name not in ("changes", "steps")},
        "steps": told["steps"],
        "changes": told["changes"],
        "contradictionsOpened": list(draft.done.opened),
        "recomputed": [path for path, _, _ in found.cells],
        "needsReview": _needs_review(draft),
        "artefact": str(artefact.form),
        "warnings": list(draft.done.warnings),
        **draft.extra,
    }
    if artefact.reason is not None:
        answer["artefactReason"] = artefact.reason
    return answer


def _needs_review(draft: Draft) -> list[str]:
    """List what turned to STALE or NEEDS_REVIEW in this write."""
    last = {(row.TABLE, row.key): row for row in draft.done.rows}
    return [path for row in last.values() if (path := _in_doubt(draft, row)) is not None]


def _in_doubt(draft: Draft, row: Row) -> str | None:
    if isinstance(row, Judgement):
        before = draft.before.judgements.get(row.ref)
        turned = row.status in _IN_DOUBT and (before is None or before.status != row.status)
        return paths.judgement(row.ref) if turned else None
    path = _reviewed_path(row)
    if path is None:
        return None
    earlier = getattr(draft.before, row.TABLE).get(row.key)
    is_new = earlier is None or earlier.review_state != ReviewState.NEEDS_REVIEW
    return path if is_new else None


def _reviewed_path(row: Row) -> str | None:
    """Return the path of a row that is under review; None for any other."""
    if not isinstance(row, Proposition | Boundary | Batna) or row.review_state != ReviewState.NEEDS_REVIEW:
        return None
    if isinstance(row, Proposition):
        return paths.proposition(row.ref) if row.is_effective else None
    return paths.boundary(row.key) if isinstance(row, Boundary) else paths.BATNA
