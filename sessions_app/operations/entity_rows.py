"""Entities as rows: adding one at the end, and reckoning anew when some stop counting or count again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q

from fabric_app.mesh.canonical import dumps
from sessions_app.models import Entity, Session, Snapshot
from sessions_app.operations.state_rows import store_projection
from sessions_app.operations.writing import Writing
from sessions_app.protocol.events import EntityStatus
from sessions_app.protocol.projection import Projection
from sessions_app.protocol.reckoning import SNAPSHOT_EVERY, Failure, Moves, Reckoned, reckon
from sessions_app.protocol.replay import EntityKind
from sessions_app.stored_state import PAGE, logged, projection_before

Json = dict[str, Any]


def add_entity(
    held: Writing,
    *,
    sequence: int,
    kind: EntityKind,
    body: Any,
    after: Projection,
    message: int | None = None,
    variant: int | None = None,
    turn: int | None = None,
) -> None:
    """Store an entity that was carried out, and a snapshot where one is due."""
    Entity.objects.create(
        session=held.session,
        sequence=sequence,
        kind=kind,
        message=message,
        variant=variant,
        turn=turn,
        body=body,
        status=EntityStatus.EFFECTIVE,
        since=sequence,
    )
    held.session.tail_count += 1
    if held.session.tail_count >= SNAPSHOT_EVERY:
        Snapshot.objects.create(session=held.session, sequence=sequence, projection=after.as_json())
        held.session.tail_count = 0


def reckoned(session: Session, moves: Moves, current: Projection) -> Reckoned:
    """Return what the moves lead to, from the last snapshot before the first entity that they touch. Writes nothing."""
    if not moves:
        return Reckoned(current)
    first = min(moves.touched)
    start, after = projection_before(session, first)
    # What was given up before, as by regenerating often, is not read, unless it is to come back.
    given_up = Q(status__in=(EntityStatus.RETRACTED, EntityStatus.SKIPPED)) & ~Q(sequence__in=moves.reinstated)
    rows = Entity.objects.filter(session_id=session.pk, sequence__gt=after).exclude(given_up).order_by("sequence")
    return reckon(start, map(logged, rows.iterator(PAGE)), moves)


def store_reckoned(held: Writing, moves: Moves, found: Reckoned, current: Projection, *, event: int) -> None:
    """Write what was reckoned: statuses since the event, snapshots, namespaces, and the next epoch."""
    if not moves:
        return
    session = held.session
    _give(session, found.retracted, EntityStatus.RETRACTED, event)
    _give(session, (*found.reinstated, *found.released), EntityStatus.EFFECTIVE, event)
    _give(session, found.skipped, EntityStatus.SKIPPED, event)
    for failures in _alike(found.quarantined):
        sequences = [each.sequence for each in failures]
        _give(session, sequences, EntityStatus.QUARANTINED, event, dict(failures[0].reason))
    _replace_snapshots(session, min(moves.touched), found)
    store_projection(session, current, found.projection)
    session.epoch += 1


def _give(
    session: Session, sequences: Sequence[int], status: EntityStatus, event: int, reason: Json | None = None
) -> None:
    for start in range(0, len(sequences), PAGE):
        rows = Entity.objects.filter(session_id=session.pk, sequence__in=sequences[start : start + PAGE])
        rows.update(status=status, reason=reason, since=event)


def _alike(failures: Iterable[Failure]) -> list[list[Failure]]:
    """Return failures by their reason: what fails after one entity mostly fails in the same words."""
    by_reason: dict[str, list[Failure]] = {}
    for each in failures:
        by_reason.setdefault(dumps(each.reason), []).append(each)
    return list(by_reason.values())


def _replace_snapshots(session: Session, first: int, found: Reckoned) -> None:
    Snapshot.objects.filter(session_id=session.pk, sequence__gte=first).delete()
    made = [
        Snapshot(session=session, sequence=sequence, projection=projection.as_json())
        for sequence, projection in found.snapshots.items()
        if sequence >= first
    ]
    Snapshot.objects.bulk_create(made, batch_size=50)
    newest = Snapshot.objects.filter(session_id=session.pk).order_by("-sequence").values_list("sequence", flat=True)
    counting = Entity.objects.filter(session_id=session.pk, status=EntityStatus.EFFECTIVE)
    session.tail_count = counting.filter(sequence__gt=newest.first() or 0).count()
