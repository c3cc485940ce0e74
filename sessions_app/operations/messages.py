"""Messages: adding, editing the text, deleting, and choosing among the variants of a reply.

Editing leaves the state alone. Deleting and choosing take back or give back what a message owns (`retractions`); each
has a preview, and can name the version that was previewed.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem, VersionConflict
from fabric_app.mesh.idempotency import Idempotency, store_answer, stored_answer
from sessions_app.errors import SessionFull
from sessions_app.limits import stored_limits
from sessions_app.models import Message, Session, Variant
from sessions_app.operations.loading import message_of, reply_of
from sessions_app.operations.retractions import Plan, plan_removal, plan_selection
from sessions_app.operations.texts import line_of, message_text, reason_of
from sessions_app.operations.writing import Writing, writing
from sessions_app.protocol.events import EventKind, Role

Json = dict[str, Any]
MOST_AT_ONCE = 10_000


def add_message(
    *,
    session_id: uuid.UUID,
    role: Role,
    text: str,
    actor: Actor,
    now: datetime,
    name: str = "",
    is_hidden: bool = False,
    idempotency: Idempotency | None = None,
) -> Json:
    """Add a message at the end and return `{message, variant}`. Raises NotFound, InvalidArguments, SessionFull."""
    said, speaker = message_text(text), line_of(name, "/name", may_be_blank=True)
    with writing(session_id, actor=actor, now=now) as held:
        told = stored_answer(idempotency)
        if told is not None:
            return told
        number = insert_message(held, role=role, text=said, name=speaker, is_hidden=is_hidden)
        answer = {"message": number, "variant": 1}
        store_answer(idempotency, answer, now=now)
    return answer


def insert_message(
    held: Writing,
    *,
    role: Role,
    text: str,
    name: str = "",
    is_hidden: bool = False,
    others: Sequence[str] = (),
    selected: int = 1,
) -> int:
    """Append a message to a session that is held, and return its number.

    others: further variants, after `text`, which is the first. selected: the index of the one that counts.
    """
    check_room(held.session)
    optional: Json = ({"name": name} if name else {}) | ({"hidden": True} if is_hidden else {})
    varied: Json = {"others": list(others), "selected": selected} if others else {}
    number = held.append(EventKind.MESSAGE_ADDED, {"role": role.value, "text": text, **optional, **varied})
    message = insert_rows(held, number=number, role=role, text=text, name=name, is_hidden=is_hidden, selected=selected)
    Variant.objects.bulk_create(
        Variant(message=message, index=index, text=other, created_at_ms=held.now_ms)
        for index, other in enumerate(others, start=2)
    )
    return number


def insert_rows(
    held: Writing,
    *,
    number: int,
    role: Role,
    text: str,
    name: str = "",
    is_hidden: bool = False,
    selected: int = 1,
) -> Message:
    """Store a message with its first variant."""
    message = Message.objects.create(
        session=held.session, number=number, role=role, name=name, is_hidden=is_hidden, selected=selected
    )
    Variant.objects.create(message=message, index=1, text=text, created_at_ms=held.now_ms)
    return message


def check_room(session: Session) -> None:
    """Raise SessionFull where the session has as many messages as it may have."""
    limit = stored_limits().messages
    # A log holds at least an event for each message: most sessions need not be counted.
    if session.log_sequence >= limit and Message.objects.filter(session_id=session.pk).count() >= limit:
        raise SessionFull(limit=limit)


def edit_message(
    *, session_id: uuid.UUID, number: int, text: str, actor: Actor, now: datetime, expected_version: int | None = None
) -> Json:
    """Give the selected variant of a message another text; the state stays as it is. Returns `{message, version}`.

    expected_version: of the message. Raises NotFound, VersionConflict, InvalidArguments.
    """
    said = message_text(text)
    with writing(session_id, actor=actor, now=now) as held:
        message = message_of(held.session, number)
        _check_version(message, expected_version)
        version = message.version + 1
        held.append(
            EventKind.MESSAGE_EDITED,
            {"message": number, "variant": message.selected, "version": version, "text": said},
        )
        Message.objects.filter(pk=message.pk).update(version=version)
        Variant.objects.filter(message_id=message.pk, index=message.selected).update(text=said)
    return {"message": number, "version": version}


def preview_deletion(*, session: Session, numbers: Sequence[int]) -> Json:
    """Return what deleting these messages would do: `Plan.answer`, and the version that it was decided on."""
    return {"version": session.version, **_removal(session, numbers).answer()}


def delete_messages(
    *,
    session_id: uuid.UUID,
    numbers: Sequence[int],
    actor: Actor,
    now: datetime,
    reason: str = "",
    expected_version: int | None = None,
) -> Json:
    """Delete messages and retract what they own. Returns `Plan.answer` with the `sequence` of the event.

    expected_version: of the session, as a preview told it. Raises NotFound, VersionConflict, InvalidArguments.
    """
    why = {"reason": reason_of(reason)} if reason else {}
    with writing(session_id, actor=actor, now=now, expected_version=expected_version) as held:
        return _deleted(held, numbers, why)


def delete_message(
    *,
    session_id: uuid.UUID,
    number: int,
    actor: Actor,
    now: datetime,
    reason: str = "",
    expected_version: int | None = None,
) -> Json:
    """Delete one message and retract what it owns; the answer is that of `delete_messages`.

    expected_version: of the message. Raises NotFound, VersionConflict, InvalidArguments.
    """
    why = {"reason": reason_of(reason)} if reason else {}
    with writing(session_id, actor=actor, now=now) as held:
        _check_version(message_of(held.session, number), expected_version)
        return _deleted(held, [number], why)


def numbers_from(session: Session, first: int) -> list[int]:
    """Return the numbers of the messages from one on to the end. Raises NotFound."""
    message_of(session, first)
    rows = Message.objects.filter(session_id=session.pk, number__gte=first, is_deleted=False)
    return list(rows.order_by("number").values_list("number", flat=True))


def preview_selection(*, session: Session, number: int, variant: int) -> Json:
    """Return what choosing a variant would do: `Plan.answer`, and the version that it was decided on."""
    message = reply_of(session, number)
    return {"version": session.version, **_selection(session, message, variant).answer()}


def select_variant(
    *,
    session_id: uuid.UUID,
    number: int,
    variant: int,
    actor: Actor,
    now: datetime,
    expected_version: int | None = None,
) -> Json:
    """Let another variant of a reply count, with what it owned. Returns `Plan.answer` with the event's `sequence`.

    Raises NotFound, NotAReply, VersionConflict.
    """
    with writing(session_id, actor=actor, now=now, expected_version=expected_version) as held:
        message = reply_of(held.session, number)
        plan = _selection(held.session, message, variant)
        sequence = held.append(
            EventKind.VARIANT_SELECTED, {"message": number, "variant": variant, **plan.event_members()}
        )
        Message.objects.filter(pk=message.pk).update(selected=variant, version=message.version + 1)
        plan.carry_out(held, sequence)
    return {"sequence": sequence, **plan.answer()}


def _check_version(message: Message, expected: int | None) -> None:
    if expected is not None and expected != message.version:
        raise VersionConflict(expected=expected, current=message.version)


def _deleted(held: Writing, numbers: Sequence[int], why: Json) -> Json:
    plan = _removal(held.session, numbers)
    wanted = sorted(set(numbers))
    sequence = held.append(EventKind.MESSAGES_DELETED, {"messages": wanted, **why, **plan.event_members()})
    for start in range(0, len(wanted), 500):
        rows = Message.objects.filter(session_id=held.session.pk, number__in=wanted[start : start + 500])
        rows.update(is_deleted=True)
    plan.carry_out(held, sequence)
    return {"sequence": sequence, **plan.answer()}


def _removal(session: Session, numbers: Sequence[int]) -> Plan:
    wanted = set(numbers)
    if not wanted or len(wanted) > MOST_AT_ONCE:
        raise InvalidArguments([Problem("/messages", "wrong_length", f"Name 1 to {MOST_AT_ONCE} messages.")])
    present: set[int] = set()
    ordered = sorted(wanted)
    for start in range(0, len(ordered), 500):
        rows = Message.objects.filter(session_id=session.pk, number__in=ordered[start : start + 500], is_deleted=False)
        present.update(rows.values_list("number", flat=True))
    for missing in sorted(wanted - present)[:1]:
        raise NotFound(what="message", name=str(missing))
    return plan_removal(session, ordered)


def _selection(session: Session, message: Message, variant: int) -> Plan:
    if not Variant.objects.filter(message_id=message.pk, index=variant).exists():
        raise NotFound(what="variant", name=f"{message.number}.{variant}")
    return plan_selection(session, message, variant)
