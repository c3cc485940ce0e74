"""Turns: a reply of the assistant is begun, anew or as another variant, and committed at most once or cancelled.

Regenerating retracts what the reply owned before the new variant is begun. Cancelling retracts what the turn's variant
owns; the reply goes too, unless a text of it is kept or it has other variants. Committing stands in `commits`.

Source: rp.state, sections 10, 11 and 13; users of role-play state, "Two writers for one turn, or none after an abort".
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db.models import F

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.idempotency import Idempotency, store_answer, stored_answer
from sessions_app.errors import TurnNotActive
from sessions_app.models import Message, Session, Turn, Variant
from sessions_app.operations.loading import reply_of, turn_of
from sessions_app.operations.messages import check_room, insert_rows
from sessions_app.operations.retractions import answer_of_event, plan_cancel, plan_removal
from sessions_app.operations.texts import line_of, message_text, reason_of
from sessions_app.operations.writing import Writing, check_version, writing
from sessions_app.protocol.events import EventKind, Role, TurnStatus

Json = dict[str, Any]


def begin_turn(
    *,
    session_id: uuid.UUID,
    actor: Actor,
    now: datetime,
    name: str = "",
    idempotency: Idempotency | None = None,
) -> Json:
    """Begin a new reply at the end and return `{turn, message, variant, epoch, revision}`.

    Raises NotFound, InvalidArguments, SessionFull.
    """
    speaker = line_of(name, "/name", may_be_blank=True)
    with writing(session_id, actor=actor, now=now) as held:
        told = stored_answer(idempotency)
        if told is not None:
            return told
        check_room(held.session)
        number = held.append(EventKind.TURN_BEGUN, {"name": speaker} if speaker else {})
        insert_rows(held, number=number, role=Role.ASSISTANT, text="", name=speaker)
        answer = _begun(held, number, message=number, variant=1)
        store_answer(idempotency, answer, now=now)
    return answer


def preview_regeneration(*, session: Session, number: int) -> Json:
    """Return what regenerating a reply would take back: `Plan.answer`, and the version that it was decided on."""
    reply_of(session, number)
    return {"version": session.version, **plan_removal(session, [number]).answer()}


def regenerate(
    *,
    session_id: uuid.UUID,
    number: int,
    actor: Actor,
    now: datetime,
    expected_version: int | None = None,
    idempotency: Idempotency | None = None,
) -> Json:
    """Retract what a reply owns and begin its next variant. Returns `begin_turn`'s answer with `Plan.answer`.

    Raises NotFound, NotAReply, VersionConflict.
    """
    with writing(session_id, actor=actor, now=now) as held:
        told = stored_answer(idempotency)
        if told is not None:
            return told | answer_of_event(held.session, told["turn"])
        check_version(held.session, expected_version)
        message = reply_of(held.session, number)
        plan = plan_removal(held.session, [number])
        variant = message.variants.order_by("-index").values_list("index", flat=True)[0] + 1
        sequence = held.append(EventKind.TURN_BEGUN, {"message": number, "variant": variant, **plan.event_members()})
        Variant.objects.create(message=message, index=variant, text="", created_at_ms=held.now_ms)
        Message.objects.filter(pk=message.pk).update(selected=variant, version=message.version + 1)
        plan.carry_out(held, sequence)
        begun = _begun(held, sequence, message=number, variant=variant)
        # The state itself is not kept a second time: the log has it.
        store_answer(idempotency, begun, now=now)
    return begun | plan.answer()


def cancel_turn(
    *,
    session_id: uuid.UUID,
    number: int,
    actor: Actor,
    now: datetime,
    text: str | None = None,
    reason: str = "",
) -> Json:
    """End a turn without a commit and retract what it owns. Returns `Plan.answer` with the event's `sequence`.

    text: what is kept of the reply. Raises NotFound, TurnNotActive, InvalidArguments.
    """
    kept = {} if text is None else {"text": message_text(text)}
    why = {"reason": reason_of(reason)} if reason else {}
    with writing(session_id, actor=actor, now=now) as held:
        turn = turn_of(held.session, number)
        check_active(turn)
        plan = plan_cancel(held.session, turn)
        sequence = held.append(EventKind.TURN_CANCELLED, {"turn": number, **kept, **why, **plan.event_members()})
        Turn.objects.filter(pk=turn.pk).update(status=TurnStatus.CANCELLED)
        _leave_reply(turn, text)
        plan.carry_out(held, sequence)
    return {"sequence": sequence, **plan.answer()}


def check_active(turn: Turn) -> None:
    """Raise TurnNotActive where the turn has ended."""
    if turn.status != TurnStatus.ACTIVE:
        raise TurnNotActive(turn=turn.number, state=turn.status)


def _begun(held: Writing, number: int, *, message: int, variant: int) -> Json:
    Turn.objects.create(
        session=held.session,
        number=number,
        message=message,
        variant=variant,
        status=TurnStatus.ACTIVE,
        fingerprints=[],
        begun_at_ms=held.now_ms,
    )
    session = held.session
    told = {"turn": number, "message": message, "variant": variant}
    return told | {"epoch": session.epoch, "revision": session.revision}


def write_reply(turn: Turn, text: str) -> None:
    """Give the reply of a turn its text, which is another version of the message."""
    rows = Message.objects.filter(session_id=turn.session_id, number=turn.message)
    rows.update(version=F("version") + 1)
    Variant.objects.filter(message__in=rows, index=turn.variant).update(text=text)


def _leave_reply(turn: Turn, text: str | None) -> None:
    if text is not None:
        write_reply(turn, text)
        return
    message = Message.objects.get(session_id=turn.session_id, number=turn.message)
    if message.variants.count() == 1:
        Message.objects.filter(pk=message.pk).update(is_deleted=True)
