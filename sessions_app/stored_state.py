"""The stored state of a session: its projection as it is now, and as it was at any place in its log."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import starmap
from typing import Any

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import NotFound
from sessions_app.models import Entity, Session, SessionEvent, Snapshot
from sessions_app.models import Namespace as Row
from sessions_app.protocol.definition import stored_definition
from sessions_app.protocol.events import EntityStatus
from sessions_app.protocol.history import LoggedEvent, state_after
from sessions_app.protocol.projection import EMPTY, Namespace, Projection
from sessions_app.protocol.reckoning import LoggedEntity
from sessions_app.protocol.replay import Entity as Replayed
from sessions_app.protocol.replay import EntityKind, fold
from sessions_app.protocol.rulebook import Rulebook

Json = dict[str, Any]
PAGE = 500


def stored_projection(session: Session) -> Projection:
    """Return the projection of a session as its rows have it."""
    rows = Row.objects.filter(session_id=session.pk).order_by("position")
    return Projection(session.revision, {row.name: namespace_of(row) for row in rows})


def namespace_of(row: Row) -> Namespace:
    definition = stored_definition(row.definition)
    return Namespace(
        revision=row.revision,
        initial_value=row.initial_value,
        value=row.value,
        definition=definition,
        rules=Rulebook.of(definition),
        setup=tuple(row.setup),
        last_commit=tuple(row.last_commit),
    )


def projection_from_json(wire: dict[str, Any]) -> Projection:
    """Return a projection from its stored wire form; nothing is checked again."""
    return Projection(
        wire["revision"],
        {
            name: Namespace.from_json(each, stored_definition(dumps(each["definition"])))
            for name, each in wire["namespaces"].items()
        },
    )


def logged(row: Entity) -> LoggedEntity:
    return LoggedEntity(
        sequence=row.sequence,
        kind=EntityKind(row.kind),
        body=row.body,
        message=row.message,
        variant=row.variant,
        status=EntityStatus(row.status),
        since=row.since,
        turn=row.turn,
        reason=row.reason,
    )


def projection_before(session: Session, sequence: int) -> tuple[Projection, int]:
    """Return the projection of the last snapshot before a place in the log, and the sequence that it stands after."""
    snapshot = Snapshot.objects.filter(session_id=session.pk, sequence__lt=sequence).order_by("-sequence").first()
    if snapshot is None:
        return EMPTY, 0
    return projection_from_json(snapshot.projection), snapshot.sequence


def projection_at(session: Session, sequence: int) -> tuple[Json, Projection]:
    """Return the data of an event, and the projection as it was right after it. Raises NotFound."""
    event = SessionEvent.objects.filter(session_id=session.pk, sequence=sequence).first()
    if event is None:
        raise NotFound(what="event", name=str(sequence))
    rows = Entity.objects.filter(session_id=session.pk, sequence__lte=sequence)
    if rows.filter(since__gt=sequence).exists():
        return event.data, _from_the_log(session, sequence)
    start, after = projection_before(session, sequence + 1)
    tail = rows.filter(sequence__gt=after, status=EntityStatus.EFFECTIVE).order_by("sequence")
    return event.data, fold((_replayed(row) for row in tail.iterator(PAGE)), start).projection


def projections_around(session: Session, sequence: int) -> tuple[Json, Projection, Projection]:
    """Return the data of an event, and the projections right before and after it. Raises NotFound."""
    data, after = projection_at(session, sequence)
    before = projection_at(session, sequence - 1)[1] if sequence > 1 else EMPTY
    return data, before, after


def _from_the_log(session: Session, sequence: int) -> Projection:
    """Fold what counted at a place, where some of it was retracted or reinstated since."""
    return state_after(logged_events(session, upto=sequence)).projection()


def logged_events(session: Session, *, upto: int | None = None) -> Iterator[LoggedEvent]:
    """Yield the log of a session in order, as its history is followed. upto: the last sequence, inclusive."""
    events = SessionEvent.objects.filter(session_id=session.pk).order_by("sequence")
    if upto is not None:
        events = events.filter(sequence__lte=upto)
    # Columns and not rows: who wrote an event, and its digests, are not read for this.
    return starmap(LoggedEvent, events.values_list("sequence", "kind", "data", "created_at_ms").iterator(PAGE))


def _replayed(row: Entity) -> Replayed:
    entity = logged(row)
    return Replayed(entity.sequence, entity.kind, entity.body)
