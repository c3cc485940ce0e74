"""The timeline for people: committed transitions in falling order, filtered, a page at a time by sequence.

The same records, boundary and certificates as `history`, read from the other end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from fabric_app.certificate_rows import certificates_of
from fabric_app.mesh.models import Workspace
from fabric_app.models import TransitionState
from fabric_app.protocol.reads import Reading
from fabric_app.protocol.records import TRANSITION, record_from_event, record_json
from fabric_app.protocol.views import View
from fabric_app.stored_heads import read_head
from fabric_app.transition_rows import CERTIFIED, VIOLATED, Scope, Shown, scope_of, text_key

Json = dict[str, Any]


@dataclass(frozen=True)
class TimelineFilter:
    """What to show. labels, without: texts that name a transition as label, destination or origin, or must not.

    kinds, without_kinds: `state`, `representation`, `certified`, `violated`, `reduction`.
    """

    labels: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    without_kinds: tuple[str, ...] = ()
    include_archived: bool = False

    @property
    def is_narrow(self) -> bool:
        return bool(self.labels or self.without or self.kinds or self.without_kinds)


KINDS = {
    "state": Q(is_representation=False),
    "representation": Q(is_representation=True),
    "certified": Q(outcome=CERTIFIED),
    "violated": Q(outcome=VIOLATED),
    "reduction": Q(net_delta__lt=0),
}


def timeline(workspace: Workspace, wanted: TimelineFilter, *, before: int | None = None, size: int) -> Json:
    """Return `{transitions, next, boundary, refuted}`: the newest `size` that fit, older than `before` if given.

    next: the sequence to go on before, null where nothing is older. boundary: id of the transition that archived
    everything before it, null where nothing is archived. refuted: ids whose latest verification failed.
    """
    head = read_head(workspace.id)
    active = scope_of(workspace.id, head, include_archived=False)
    scope = scope_of(workspace.id, head, include_archived=True) if wanted.include_archived else active
    rows = _fitting(scope, wanted)
    if before is not None:
        rows = rows.filter(sequence__lt=before)
    newest = list(rows.order_by("-sequence")[: size + 1])
    found = [_shown(row) for row in newest]
    if scope.kept is not None and not wanted.is_narrow and (before is None or scope.kept.sequence < before):
        found = sorted([Shown(scope.kept), *found], key=lambda each: -each.record.sequence)
    shown = found[:size]
    listed = certificates_of(scope, shown, limit=size)
    by_sequence = {each.certificate.sequence: each.certificate.certificate_id for each in listed}
    certifying = {
        each.record.transition_id: by_sequence[each.certified_by] for each in shown if each.certified_by in by_sequence
    }
    view = View(tuple(each.record for each in shown), hidden_from=scope.hidden_from)
    read = Reading(view, scope.head.identity, listed, certifying)
    return {
        "transitions": [record_json(each.record, read.overlay(each.record)) for each in shown],
        "next": shown[-1].record.sequence if len(found) > size else None,
        "boundary": active.hidden_from,
        "refuted": [row.transition_id for row in newest if row.outcome == VIOLATED],
    }


def _fitting(scope: Scope, wanted: TimelineFilter) -> QuerySet[TransitionState]:
    rows = TransitionState.objects.filter(
        workspace_id=scope.workspace_id, is_visible=True, sequence__gte=scope.first_sequence
    )
    for label in wanted.labels:
        rows = rows.filter(_named(scope, label))
    for label in wanted.without:
        rows = rows.exclude(_named(scope, label))
    for kind in wanted.kinds:
        rows = rows.filter(KINDS.get(kind, Q(pk__isnull=True)))
    for kind in wanted.without_kinds:
        # `outcome` may be absent: "not certified" includes what was never verified.
        rows = rows.exclude(pk__in=rows.filter(KINDS.get(kind, Q(pk__isnull=True))).values("pk"))
    return rows


def _named(scope: Scope, label: str) -> Q:
    key = text_key(label)
    origin = Q(from_key=key)
    if scope.hidden_from is not None:
        origin &= ~Q(transition_id=scope.hidden_from)
    return Q(label_key=key) | Q(to_key=key) | origin


def _shown(row: TransitionState) -> Shown:
    event = {"id": row.transition_id, "sequence": row.sequence, "kind": TRANSITION, "data": row.record}
    record = record_from_event(event)
    if record is None:
        raise RuntimeError(f"Transition {row.transition_id} is visible and has no record: rebuild the projection.")
    return Shown(record, row.outcome_sequence if row.outcome == CERTIFIED else None)
