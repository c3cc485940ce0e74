"""The one way to write to a session: a transaction, its lock, its events, the swap of its row, then the wake-up."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import NotFound, VersionConflict
from fabric_app.mesh.log import chained_digest
from fabric_app.mesh.wakeups import wake_on_commit
from sessions_app.models import Session, SessionEvent

EVERY_SESSION = "sessions"
BATCH = 500


class Writing:
    """A session that the current transaction holds. Events are numbered and chained here, and stored by `close`."""

    def __init__(self, session: Session, *, actor: Actor, now: datetime) -> None:
        self.session = session
        self.actor = actor
        self.now = now
        self.now_ms = to_ms(now)
        self._events: list[SessionEvent] = []
        self._version = session.version
        self._has_stored = False

    @property
    def next_sequence(self) -> int:
        return self.session.log_sequence + 1

    def append(self, kind: str, data: dict[str, Any], *, at_ms: int | None = None, actor: Any = None) -> int:
        """Give an event its place in the log and return its sequence.

        at_ms, actor: what an event that is copied from another log says of itself; else now, and who writes.
        """
        session = self.session
        event = SessionEvent(
            session=session,
            sequence=session.log_sequence + 1,
            previous_digest=session.log_digest,
            kind=kind,
            data=data,
            actor=self.actor.as_json() if actor is None else actor,
            created_at_ms=self.now_ms if at_ms is None else at_ms,
        )
        event.digest = event_digest(event)
        session.log_sequence, session.log_digest = event.sequence, event.digest
        self._events.append(event)
        return event.sequence

    def flush(self) -> None:
        """Store the events so far, for what reads the log itself."""
        SessionEvent.objects.bulk_create(self._events, batch_size=BATCH)
        self._has_stored = self._has_stored or bool(self._events)
        self._events = []

    def close(self) -> None:
        """Store the events and move the row. Raises VersionConflict where somebody else moved it."""
        if not self._events and not self._has_stored:
            return
        session = self.session
        session.version, session.updated_at = self._version + 1, self.now
        moved = Session.objects.filter(pk=session.pk, version=self._version).update(
            title=session.title,
            version=session.version,
            revision=session.revision,
            epoch=session.epoch,
            tail_count=session.tail_count,
            log_sequence=session.log_sequence,
            log_digest=session.log_digest,
            updated_at=session.updated_at,
        )
        if moved != 1:
            raise VersionConflict(expected=self._version, current=session.version)
        self.flush()


@contextmanager
def writing(
    session_id: uuid.UUID, *, actor: Actor, now: datetime, expected_version: int | None = None
) -> Iterator[Writing]:
    """Lock the session and yield it; what is appended in the block is committed whole, or nothing is.

    expected_version: the version that the caller decided on, None where it decided on something else (a revision).
    Raises NotFound, VersionConflict.
    """
    with transaction.atomic(durable=True):
        session = Session.objects.select_for_update().filter(pk=session_id).first()
        if session is None:
            raise NotFound(what="session", name=str(session_id))
        check_version(session, expected_version)
        held = Writing(session, actor=actor, now=now)
        yield held
        held.close()
        wake_on_commit(f"session:{session_id}", EVERY_SESSION)


def check_version(session: Session, expected: int | None) -> None:
    """Raise VersionConflict where a version is named and the session has another one."""
    if expected is not None and expected != session.version:
        raise VersionConflict(expected=expected, current=session.version)


def event_digest(event: SessionEvent, *, data: str | None = None, actor: str | None = None) -> str:
    """Return the digest that chains an event to the one before it.

    data, actor: the text of the JSON columns as the database has it; None stands for what would be written now. The
    session's id is in the data of the first event, so that an imported log keeps its digests.
    """
    texts = dumps(event.data) if data is None else data, dumps(event.actor) if actor is None else actor
    return chained_digest(event.previous_digest, [event.sequence, event.kind, *texts, event.created_at_ms])
