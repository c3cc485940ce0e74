"""Transitions in view, read from indexed rows: the archive boundary, the label filter, pages and the newest.

The same answers as the pure `protocol.reads` gives from a whole log, at a cost that does not grow with it.
Source: state layer, "state.history"; fabric 5.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db.models import QuerySet

from fabric_app.models import TransitionState
from fabric_app.protocol.records import TRANSITION, TransitionRecord, record_from_event, record_from_head
from fabric_app.protocol.views import View
from fabric_app.stored_heads import HeadReading, transition_state

IDS_A_QUERY = 500
CERTIFIED, VIOLATED = "certified", "violated"


@dataclass(frozen=True)
class Scope:
    """What is in view. Nothing before `first_sequence` is; `hidden_from` is the boundary whose `from` is archived.

    head: the stored head. head_row: what the log says of its transition. kept: the record that an accepted head keeps
    of a transition which the log does not show, if it is in view.
    """

    workspace_id: uuid.UUID
    head: HeadReading
    head_row: TransitionState | None
    kept: TransitionRecord | None
    first_sequence: int = 0
    hidden_from: str | None = None


@dataclass(frozen=True)
class Shown:
    """A record in view. `certified_by`: sequence of the event that is its latest outcome, where that certified it."""

    record: TransitionRecord
    certified_by: int | None = None


def text_key(text: str | None) -> str:
    """Return the hex digest by which a label is indexed; empty where there is none."""
    return "" if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def scope_of(workspace_id: uuid.UUID, head: HeadReading, *, include_archived: bool) -> Scope:
    """Return the view of a workspace: from its last representation transition on, or all of it."""
    identity = head.identity
    head_row = transition_state(workspace_id, identity.transition_id) if identity else None
    kept = record_from_head(head.value) if identity and not (head_row and head_row.is_visible) else None
    whole = Scope(workspace_id, head, head_row, kept)
    boundary = None if include_archived else _boundary(whole)
    if boundary is None or not _is_archiving(whole, boundary):
        return whole
    in_view = kept if kept and kept.sequence >= boundary.sequence else None
    return Scope(workspace_id, head, head_row, in_view, boundary.sequence, boundary.transition_id)


def page_of(scope: Scope, *, label: str | None, after: int, size: int) -> tuple[list[Shown], bool]:
    """Return the oldest `size` records in view after a sequence, and whether more follow."""
    rows = _visible(scope, after=after)
    found = [row for matching in _matching(scope, rows, label) for row in matching.order_by("sequence")[: size + 1]]
    shown = _merged(scope, found, label=label, after=after)
    return shown[:size], len(shown) > size


def newest_of(scope: Scope, size: int) -> list[Shown]:
    """Return the newest `size` records in view, in rising order."""
    rows = _visible(scope).order_by("-sequence")[:size]
    return _merged(scope, rows)[-size:]


def named_by(scope: Scope, labels: Iterable[str]) -> list[TransitionRecord]:
    """Return the records that any of the labels names, each once, in sequence order; blank labels name none."""
    wanted = dict.fromkeys(label for label in labels if label.strip() != "")
    found = [
        shown.record
        for label in wanted
        for shown in _merged(
            scope, [row for rows in _matching(scope, _visible(scope), label) for row in rows], label=label
        )
    ]
    return sorted({record.transition_id: record for record in found}.values(), key=lambda record: record.sequence)


def head_record(scope: Scope) -> TransitionRecord | None:
    """Return the record of the accepted head, if it is in view."""
    row = scope.head_row
    if row is not None and row.is_visible and (row.sequence or 0) >= scope.first_sequence:
        return _shown(row).record
    return scope.kept


def last_with_delta(scope: Scope) -> TransitionRecord | None:
    """Return the newest record in view that counted complexity."""
    row = _visible(scope).filter(net_delta__isnull=False).order_by("-sequence").first()
    found = _shown(row).record if row else None
    kept = scope.kept
    if kept is None or kept.complexity is None or (found and found.sequence > kept.sequence):
        return found
    return kept


def ids_in_view(scope: Scope, ids: Iterable[str]) -> set[str]:
    """Return those of the transition ids that are in view."""
    wanted = list(dict.fromkeys(ids))
    found = {scope.kept.transition_id} & set(wanted) if scope.kept else set()
    for start in range(0, len(wanted), IDS_A_QUERY):
        part = wanted[start : start + IDS_A_QUERY]
        found |= set(_visible(scope).filter(transition_id__in=part).values_list("transition_id", flat=True))
    return found


def _visible(scope: Scope, *, after: int = 0) -> QuerySet[TransitionState]:
    # One lower bound: of two, SQLite may walk its index from the lesser.
    first = max(scope.first_sequence, after + 1)
    return TransitionState.objects.filter(workspace_id=scope.workspace_id, is_visible=True, sequence__gte=first)


def _boundary(scope: Scope) -> TransitionRecord | None:
    row = _visible(scope).filter(is_representation=True).order_by("-sequence").first()
    stored = _shown(row).record if row else None
    kept = scope.kept if scope.kept and scope.kept.is_boundary else None
    if stored is None or kept is None:
        return stored or kept
    return max(stored, kept, key=lambda record: record.sequence)


def _is_archiving(scope: Scope, boundary: TransitionRecord) -> bool:
    if scope.kept is not None and scope.kept.sequence < boundary.sequence:
        return True
    return _visible(scope).filter(sequence__lt=boundary.sequence).exists()


def _matching(scope: Scope, rows: QuerySet[TransitionState], label: str | None) -> Sequence[QuerySet[TransitionState]]:
    """Return the queries that together find what a label names: one an index, since OR would use none of them."""
    if not label:
        return (rows,)
    key = text_key(label)
    named_as_origin = rows.filter(from_key=key)
    if scope.hidden_from is not None:
        named_as_origin = named_as_origin.exclude(transition_id=scope.hidden_from)
    return rows.filter(label_key=key), rows.filter(to_key=key), named_as_origin


def _merged(scope: Scope, rows: Iterable[TransitionState], *, label: str | None = None, after: int = 0) -> list[Shown]:
    by_id = {row.transition_id: _shown(row) for row in rows}
    kept = scope.kept
    if kept and kept.sequence > after and View((kept,), hidden_from=scope.hidden_from).matching(label):
        by_id[kept.transition_id] = Shown(kept, _certified_by(scope.head_row))
    return sorted(by_id.values(), key=lambda shown: shown.record.sequence)


def _shown(row: TransitionState) -> Shown:
    record = record_from_event(
        {"id": row.transition_id, "sequence": row.sequence, "kind": TRANSITION, "data": row.record}
    )
    if record is None:
        raise RuntimeError(f"Transition {row.transition_id} is visible and has no record: rebuild the projection.")
    return Shown(record, _certified_by(row))


def _certified_by(row: TransitionState | None) -> int | None:
    return row.outcome_sequence if row is not None and row.outcome == CERTIFIED else None
