"""Sessions themselves: making one with its first namespaces, and naming it anew."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from guardian.shortcuts import assign_perm

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.idempotency import Idempotency, store_answer, stored_answer
from fabric_app.mesh.wakeups import wake_on_commit
from sessions_app.limits import protocol_limits
from sessions_app.models import Session
from sessions_app.operations.entity_rows import add_entity
from sessions_app.operations.state_rows import check_sizes, store_projection
from sessions_app.operations.texts import line_of
from sessions_app.operations.writing import EVERY_SESSION, Writing, writing
from sessions_app.protocol.bootstrap import Bootstrap, bootstrap_of
from sessions_app.protocol.events import EventKind
from sessions_app.protocol.projection import EMPTY
from sessions_app.protocol.replay import EntityKind, begun

Json = dict[str, Any]
# What an account may do with a session that it made.
OF_THE_MAKER = ("read_session", "write_session", "configure_session", "correct_session")


def create_session(
    *, title: str, bootstrap: Any, user: Any, actor: Actor, now: datetime, idempotency: Idempotency | None = None
) -> Json:
    """Make a session and return `{id}`; its maker may read, write, configure and correct it.

    bootstrap: JSON as it came (rp.state, section 8), or None for a session without namespaces. Raises InvalidArguments,
    IdempotencyKeyReused, and whatever is wrong with the bootstrap.
    """
    line = line_of(title, "/title")
    begins = None if bootstrap is None else bootstrap_of(bootstrap, protocol_limits())

    def fill(held: Writing) -> None:
        if begins is not None and begins.namespaces:
            add_bootstrap(held, begins)

    return made_once(
        idempotency, lambda: _created(line, fill, user=user, actor=actor, now=now, idempotency=idempotency)
    )


def rename_session(
    *, session_id: uuid.UUID, title: str, actor: Actor, now: datetime, expected_version: int | None = None
) -> int:
    """Give a session another title and return its version. Raises NotFound, VersionConflict, InvalidArguments."""
    line = line_of(title, "/title")
    with writing(session_id, actor=actor, now=now, expected_version=expected_version) as held:
        if line != held.session.title:
            held.session.title = line
            held.append(EventKind.RENAMED, {"title": line})
    return held.session.version


def made_once(idempotency: Idempotency | None, make: Callable[[], Json]) -> Json:
    """Return what `make` answers, which stores its answer itself; the stored one where another request was faster."""
    try:
        return make()
    except IntegrityError:
        told = stored_answer(idempotency)
        if told is None:
            raise
        return told


@transaction.atomic(durable=True)
def _created(
    title: str,
    fill: Callable[[Writing], None],
    *,
    user: Any,
    actor: Actor,
    now: datetime,
    idempotency: Idempotency | None,
) -> Json:
    told = stored_answer(idempotency)
    if told is not None:
        return told
    held = new_session(title=title, user=user, actor=actor, now=now)
    fill(held)
    held.close()
    wake_on_commit(EVERY_SESSION)
    answer = {"id": str(held.session.pk)}
    store_answer(idempotency, answer, now=now)
    return answer


def new_session(
    *,
    title: str,
    user: Any,
    actor: Actor,
    now: datetime,
    origin: Json | None = None,
    forked_from: Json | None = None,
) -> Writing:
    """Insert a session with its first event, granted to its maker, and return it to be filled and closed.

    Belongs in a transaction.
    """
    session = Session.objects.create(title=title, origin=origin, created_at=now, updated_at=now)
    grant_to_maker(user, session)
    held = Writing(session, actor=actor, now=now)
    forked = {} if forked_from is None else {"forkedFrom": forked_from}
    held.append(EventKind.CREATED, {"title": title, "sessionId": str(session.pk), **forked})
    return held


def grant_to_maker(user: Any, session: Session) -> None:
    """Let the maker of a session read, write, configure and correct it."""
    for permission in OF_THE_MAKER:
        assign_perm(permission, user, session)


def add_bootstrap(held: Writing, bootstrap: Bootstrap) -> None:
    """Begin the state of a session that was just made."""
    body = bootstrap.as_json()
    after = begun(EMPTY, bootstrap)
    check_sizes(EMPTY, after)
    sequence = held.append(EventKind.BOOTSTRAPPED, {"bootstrap": body})
    add_entity(held, sequence=sequence, kind=EntityKind.BOOTSTRAP, body=body, after=after)
    store_projection(held.session, EMPTY, after)
