"""What the user has to hear of: at most one notification an operation, with all its triggers. Section 14."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.facts import View
from negotiation_app.protocol.lookup import shown
from negotiation_app.protocol.names import Certainty, JudgementStatus, Mode, ReviewState, Side, Step, Trigger
from negotiation_app.protocol.row_words import part_in_words
from negotiation_app.protocol.rows import Notification
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.value_words import word
from negotiation_app.protocol.wording import field_in_words

MAX_TEXT = 600
_AUTHORITY = "authority."


@dataclass(frozen=True)
class Recomputed:
    """What the recomputation found: views of slots and computed cells, before and after."""

    views: dict[str, tuple[View, View]] = field(default_factory=dict)
    cells: list[tuple[str, Any, Any]] = field(default_factory=list)


def surface(draft: Draft, found: Recomputed) -> Notification | None:
    """Put the notification that the write asks for, if it does."""
    triggers = list(dict.fromkeys(_triggers(draft, found)))
    if not triggers:
        draft.note(Step.SURFACE, "nothing that the user has to hear of")
        return None
    if draft.state.own.mode == Mode.LIGHT:
        draft.note(Step.SURFACE, f"not announced in LIGHT: {', '.join(name for name, _ in triggers)}")
        return None
    ordered = [trigger for trigger in Trigger if trigger in {name for name, _ in triggers}]
    changes = [_change(draft, path) for trigger in ordered for name, path in triggers if name == trigger]
    row = Notification(
        ref=f"notification-{len(draft.state.notifications) + 1}",
        order=draft.order,
        event=draft.source.ref,
        triggers=tuple(map(str, ordered)),
        changes=changes,
        alters_strategy=bool(found.cells) or Trigger.STRATEGY_CHANGED in ordered,
        new_evidence=draft.surface.get("newEvidence") or _new_evidence(draft),
        prior_view=draft.surface.get("priorView") or _prior_view(changes),
        changed_recommendation=draft.surface.get("changedRecommendation") or _recommendation(draft),
    )
    draft.put(row)
    draft.note(Step.SURFACE, f"{row.ref}: {', '.join(row.triggers)}")
    return row


def _triggers(draft: Draft, found: Recomputed) -> Iterator[tuple[Trigger, str]]:
    """Yield each trigger with the field that pulls it."""
    if _strategy_changed(draft.before, draft.state):
        yield Trigger.STRATEGY_CHANGED, paths.STRATEGY
    if _batna_changed(draft):
        yield Trigger.BATNA_CHANGED, paths.BATNA
    for path in draft.done.fields:
        family, _, rest = path.partition("/")
        if family in _CHANGED and _CHANGED[family][1](draft, rest):
            yield _CHANGED[family][0], path
    for slot, (old, new) in found.views.items():
        if slot.partition("/")[2].startswith(_AUTHORITY) and _authority_changed(old, new):
            yield Trigger.AUTHORITY_CHANGED, paths.fact(slot)


def _strategy_changed(before: Negotiation, after: Negotiation) -> bool:
    """The strategy is another one or none, or it is no longer current; the first one is no change."""
    if before.strategy is None:
        return False
    if after.strategy != before.strategy:
        return True
    current = JudgementStatus.CURRENT
    return before.judgements[before.strategy].status == current != after.judgements[before.strategy].status


def _batna_changed(draft: Draft) -> bool:
    before, after = draft.before.batnas.get(paths.BATNA), draft.state.batnas.get(paths.BATNA)
    if before is None or after is None:
        return False
    replaced = paths.BATNA in draft.done.moved and len(after.entries) > len(before.entries)
    return replaced or _turned(before.review_state, after.review_state)


def _boundary_changed(draft: Draft, key: str) -> bool:
    before, after = draft.before.boundaries.get(key), draft.state.boundaries[key]
    if before is None:
        return False
    replaced = paths.boundary(key) in draft.done.moved and len(after.entries) > len(before.entries)
    return replaced or _turned(before.review_state, after.review_state)


def _turned(before: str, after: str) -> bool:
    return before != after == ReviewState.NEEDS_REVIEW


def _authority_changed(old: View, new: View) -> bool:
    if new.disputed and not old.disputed:
        return True
    least = Certainty.SUPPORTED_INFERENCE.rank
    return old.says() != new.says() and max(old.status.rank, new.status.rank) >= least


def _review_changed(draft: Draft, ref: str) -> bool:
    if ref in draft.before.reviews:
        return False
    row = draft.state.reviews[ref]
    earlier = [each for each in draft.before.reviews.values() if each.proposal == row.proposal]
    return not earlier or max(earlier, key=lambda each: each.order).result != row.result


_CHANGED: dict[str, tuple[Trigger, Callable[[Draft, str], bool]]] = {
    "boundaries": (Trigger.BOUNDARY_CHANGED, _boundary_changed),
    "reviews": (Trigger.REVIEW_CHANGED, _review_changed),
}


def _change(draft: Draft, path: str) -> dict[str, Any]:
    return {
        "field": path,
        "before": shown(draft.before, path, draft.now),
        "after": shown(draft.state, path, draft.now),
    }


def _new_evidence(draft: Draft) -> str:
    told = [text for text in (draft.source.text, draft.source.reason, *draft.done.reasons) if text and text.strip()]
    for ref in dict.fromkeys(draft.done.evidence):
        item = draft.state.evidence[ref]
        told.append(f"{item.kind}: {item.quote or item.locator or ref}")
    return _cut("; ".join(told) or f"{draft.source.type} of {draft.source.occurred_at}")


def _prior_view(changes: list[dict[str, Any]]) -> str:
    return _cut("; ".join(f"{field_in_words(each['field'])}: {part_in_words(each['before'])}" for each in changes))


def _recommendation(draft: Draft) -> str:
    """The current recommendation, or `under review` with the computed verdicts."""
    row = None if draft.state.strategy is None else draft.state.judgements[draft.state.strategy]
    if row is not None and row.status == JudgementStatus.CURRENT and row.recommendation:
        return _cut(row.recommendation)
    verdicts = [
        f"{whose} offer {name}: {word(value)}"
        for side, whose in ((Side.COUNTERPART, "their"), (Side.OWN, "our"))
        for name, value in _verdicts(draft, side)
    ]
    return _cut("; ".join(["under review", *verdicts]))


def _verdicts(draft: Draft, side: str) -> Iterator[tuple[str, Any]]:
    found = shown(draft.state, f"derived/offers/{side}", draft.now)
    if found is not None:
        yield "against floors", found["overall"]["vsFloor"]
        yield "against BATNA", found["overall"]["vsBatna"]
        yield "acceptance", found["acceptance"]


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
