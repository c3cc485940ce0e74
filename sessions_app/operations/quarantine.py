"""Quarantine: releasing an entity, setting it aside for good, and making the projection anew; each with a reason.

- Releasing tries the entity again at its old place. Where it is refused as before, nothing changes. What fails after it
  because of it goes into quarantine in turn, and is told beforehand.
- Skipping says that it will never count; it then needs nobody's attention.
- Rebuilding folds the log from its beginning and writes the projection; it decides nothing.

Source: rp.state, section 11; UI, "Quarantine".
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import NotFound
from sessions_app.errors import EntityStillFails, NotQuarantined
from sessions_app.models import Entity, Session
from sessions_app.operations.retractions import Plan, plan_moves
from sessions_app.operations.rows_from_log import rewrite_rows
from sessions_app.operations.texts import reason_of
from sessions_app.operations.writing import writing
from sessions_app.protocol.events import EntityStatus, EventKind
from sessions_app.protocol.reckoning import Moves

Json = dict[str, Any]


def preview_release(*, session: Session, sequence: int) -> Json:
    """Return what releasing would do: `Plan.answer`, with the version that it was decided on.

    Raises NotFound, NotQuarantined, EntityStillFails.
    """
    return {"version": session.version, **_release(session, sequence).answer()}


def release_from_quarantine(
    *,
    session_id: uuid.UUID,
    sequence: int,
    reason: str,
    actor: Actor,
    now: datetime,
    expected_version: int | None = None,
) -> Json:
    """Let a quarantined entity count again, at its old place. Returns `Plan.answer` with the event's `event`.

    Raises NotFound, NotQuarantined, EntityStillFails, VersionConflict, InvalidArguments.
    """
    why = reason_of(reason)
    with writing(session_id, actor=actor, now=now, expected_version=expected_version) as held:
        plan = _release(held.session, sequence)
        event = held.append(EventKind.RELEASED, {"sequence": sequence, "reason": why, **plan.event_members()})
        plan.carry_out(held, event)
    return {"event": event, **plan.answer()}


def preview_skip(*, session: Session, sequence: int) -> Json:
    """Return what skipping would do: `Plan.answer`, with the version. Raises NotFound, NotQuarantined."""
    return {"version": session.version, **_skip(session, sequence).answer()}


def skip_quarantined(
    *,
    session_id: uuid.UUID,
    sequence: int,
    reason: str,
    actor: Actor,
    now: datetime,
    expected_version: int | None = None,
) -> Json:
    """Set a quarantined entity aside for good. Returns `Plan.answer` with the event's `event`."""
    why = reason_of(reason)
    with writing(session_id, actor=actor, now=now, expected_version=expected_version) as held:
        plan = _skip(held.session, sequence)
        event = held.append(EventKind.SKIPPED, {"sequence": sequence, "reason": why, **plan.event_members()})
        plan.carry_out(held, event)
    return {"event": event, **plan.answer()}


def rebuild_projection(
    *, session_id: uuid.UUID, reason: str, actor: Actor, now: datetime, expected_version: int | None = None
) -> Json:
    """Write messages, turns, entities and projection anew from the log. Returns `{event, version}`."""
    why = reason_of(reason)
    with writing(session_id, actor=actor, now=now, expected_version=expected_version) as held:
        event = held.append(EventKind.REBUILT, {"reason": why})
        held.flush()
        rewrite_rows(held.session)
    return {"event": event, "version": held.session.version}


def _release(session: Session, sequence: int) -> Plan:
    _check_quarantined(session, sequence)
    plan = plan_moves(session, Moves(released=frozenset({sequence})))
    for failure in plan.found.quarantined:
        if failure.sequence == sequence:
            raise EntityStillFails(sequence=sequence, reason=dict(failure.reason))
    return plan


def _skip(session: Session, sequence: int) -> Plan:
    _check_quarantined(session, sequence)
    return plan_moves(session, Moves(skipped=frozenset({sequence})))


def _check_quarantined(session: Session, sequence: int) -> None:
    entity = Entity.objects.filter(session_id=session.pk, sequence=sequence).only("status").first()
    if entity is None:
        raise NotFound(what="entity", name=str(sequence))
    if entity.status != EntityStatus.QUARANTINED:
        raise NotQuarantined(sequence=sequence, state=entity.status)
