"""Configurations: `rp_state` calls of a reply, and what the host does to a living session.

- A reply's configuration is owned by the reply: the turn that is being written, or a reply that is there.
- The host's is owned by a visible host message that says why, so that it can be retracted like any other.
- Both take effect at once, and move the session's epoch.

Source: rp.state seed, "Explicit configuration"; rp.state, sections 10 and 11.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.idempotency import Idempotency, store_answer, stored_answer
from sessions_app.errors import OwnerRequired
from sessions_app.limits import protocol_limits
from sessions_app.models import Message, Session
from sessions_app.operations.entity_rows import add_entity
from sessions_app.operations.loading import turn_of
from sessions_app.operations.messages import insert_message
from sessions_app.operations.state_rows import check_sizes, store_projection
from sessions_app.operations.texts import reason_of
from sessions_app.operations.turns import check_active
from sessions_app.operations.writing import Writing, check_version, writing
from sessions_app.protocol.comparing import namespace_differences
from sessions_app.protocol.configuration import Configured, configure
from sessions_app.protocol.events import EventKind, Role
from sessions_app.protocol.projection import Projection
from sessions_app.protocol.replay import EntityKind
from sessions_app.stored_state import projections_around, stored_projection

Json = dict[str, Any]
_KEPT = ("sequence", "message", "epoch", "action", "namespace")


@dataclass(frozen=True)
class Owner:
    """Who owns a configuration: a turn that is being written, or a reply by its number. One of them is named."""

    turn: int | None = None
    message: int | None = None


def configure_state(
    *,
    session_id: uuid.UUID,
    owner: Owner,
    request: Any,
    actor: Actor,
    now: datetime,
    idempotency: Idempotency | None = None,
) -> Json:
    """Carry out an `rp_state` call of a reply.

    request: JSON as it came (rp.state, section 10). Returns `{sequence, message, action, namespace, changes, epoch,
    projection}`. Raises NotFound, OwnerRequired, TurnNotActive, NamespaceTooLarge, and what `configure` refuses.
    """
    with writing(session_id, actor=actor, now=now) as held:
        told = stored_answer(idempotency)
        if told is not None:
            return _first_answer(held.session, told)
        message, variant, turn = _owner(held.session, owner)
        answer = _configured(held, request, message=message, variant=variant, turn=turn)
        # The state itself is not kept a second time: the log has it.
        store_answer(idempotency, {name: answer[name] for name in _KEPT}, now=now)
    return answer


def correct_state(
    *,
    session_id: uuid.UUID,
    request: Any,
    reason: str,
    actor: Actor,
    now: datetime,
    expected_version: int | None = None,
    idempotency: Idempotency | None = None,
) -> Json:
    """Configure as the host: add a visible host message with the reason, which owns the configuration.

    The answer and the refusals are those of `configure_state`.
    """
    why = reason_of(reason)
    with writing(session_id, actor=actor, now=now) as held:
        told = stored_answer(idempotency)
        if told is not None:
            return _first_answer(held.session, told)
        check_version(held.session, expected_version)
        message = insert_message(held, role=Role.HOST, text=why)
        answer = _configured(held, request, message=message, variant=1, turn=None)
        # The state itself is not kept a second time: the log has it.
        store_answer(idempotency, {name: answer[name] for name in _KEPT}, now=now)
    return answer


def preview_configuration(*, session: Session, request: Any) -> Json:
    """Return what a configuration would answer, `dryRun` beside it; nothing is kept."""
    current = stored_projection(session)
    done = _decided(current, request)
    return {"dryRun": True, **_outcome(current, done)}


def configure_held(held: Writing, request: Any, *, message: int) -> Json:
    """Configure a session that is held, for a host message that was just added to it."""
    return _configured(held, request, message=message, variant=1, turn=None)


def _configured(held: Writing, request: Any, *, message: int, variant: int, turn: int | None) -> Json:
    current = stored_projection(held.session)
    done = _decided(current, request)
    body = dict(done.request)
    asked = {} if turn is None else {"turn": turn}
    sequence = held.append(EventKind.CONFIGURED, {"request": body, "message": message, "variant": variant, **asked})
    add_entity(
        held,
        sequence=sequence,
        kind=EntityKind.CONFIGURATION,
        body=body,
        after=done.projection,
        message=message,
        variant=variant,
        turn=turn,
    )
    store_projection(held.session, current, done.projection)
    held.session.epoch += 1
    return {"sequence": sequence, "message": message, "epoch": held.session.epoch, **_outcome(current, done)}


def _decided(current: Projection, request: Any) -> Configured:
    done = configure(current, request, protocol_limits())
    check_sizes(current, done.projection)
    return done


def _first_answer(session: Session, told: Json) -> Json:
    _, before, after = projections_around(session, told["sequence"])
    return told | {"changes": namespace_differences(before, after), "projection": after.as_json()}


def _outcome(before: Projection, done: Configured) -> Json:
    return {
        "action": done.action.value,
        "namespace": done.namespace,
        "changes": namespace_differences(before, done.projection),
        "projection": done.projection.as_json(),
    }


def _owner(session: Session, owner: Owner) -> tuple[int, int, int | None]:
    """Return the message, variant and turn that own a configuration."""
    if owner.turn is not None and owner.message is None:
        turn = turn_of(session, owner.turn)
        check_active(turn)
        return turn.message, turn.variant, turn.number
    if owner.message is None or owner.turn is not None:
        raise OwnerRequired(detail="name the turn that is being written, or one reply.")
    message = Message.objects.filter(session_id=session.pk, number=owner.message, is_deleted=False).first()
    if message is None or message.role != Role.ASSISTANT:
        raise OwnerRequired(detail=f"there is no reply {owner.message} of the assistant.")
    return message.number, message.selected, None
