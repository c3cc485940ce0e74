"""Erasing a session whole: its log, everything projected from it, and who was allowed on it.

What stays is a tombstone: who did it and why, how long the log was and its last digest. The database lets the rows of
the log go only because the tombstone stands (`mesh.triggers`). Forks and imports of it are sessions of their own, and
are named in the answer.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from guardian.models import GroupObjectPermission, UserObjectPermission

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.wakeups import wake_on_commit
from sessions_app.models import Session, SessionEvent, Tombstone
from sessions_app.operations.rows_from_log import delete_rows
from sessions_app.operations.texts import reason_of
from sessions_app.operations.writing import EVERY_SESSION, check_version
from sessions_app.protocol.events import EventKind

Json = dict[str, Any]


@transaction.atomic(durable=True)
def erase_session(
    *, session_id: uuid.UUID, reason: str, actor: Actor, now: datetime, expected_version: int | None = None
) -> Json:
    """Erase a session and return `{id, eventCount, logDigest, copies: [id]}`.

    Raises NotFound, VersionConflict, InvalidArguments.
    """
    why = reason_of(reason)
    session = Session.objects.select_for_update().filter(pk=session_id).first()
    if session is None:
        raise NotFound(what="session", name=str(session_id))
    check_version(session, expected_version)
    tombstone = Tombstone.objects.create(
        session_id=session_id,
        reason=why,
        actor=actor.as_json(),
        event_count=session.log_sequence,
        log_digest=session.log_digest,
        erased_at_ms=to_ms(now),
    )
    delete_rows(session)
    SessionEvent.objects.filter(session_id=session_id).delete()
    _delete_permissions(session)
    session.delete()
    wake_on_commit(f"session:{session_id}", EVERY_SESSION)
    told = {"id": str(session_id), "eventCount": tombstone.event_count, "logDigest": tombstone.log_digest}
    return {**told, "copies": copies_of(session_id)}


def copies_of(session_id: uuid.UUID) -> list[str]:
    """Return the ids of other sessions that were forked from one, or imported from its document."""
    name = str(session_id)
    # The column is JSON text, in which the id stands in quotes; so does the argument.
    events = SessionEvent.objects.filter(kind=EventKind.CREATED, sequence=1, data__contains=name)
    others = events.exclude(session_id=session_id).order_by("session_id")
    return [str(each) for each in others.values_list("session_id", flat=True)]


def _delete_permissions(session: Session) -> None:
    kind = ContentType.objects.get_for_model(Session)
    for model in (UserObjectPermission, GroupObjectPermission):
        model.objects.filter(content_type=kind, object_pk=str(session.pk)).delete()
