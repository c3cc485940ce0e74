"""A session's rows from its log: comparing them with what the log says, and writing them anew.

Source: architecture, "log, projection".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabric_app.mesh.errors import StatehouseError
from sessions_app.models import Attachment, Entity, Message, Namespace, Session, SessionEvent, Snapshot, Turn, Variant
from sessions_app.operations.state_rows import store_projection
from sessions_app.protocol.history import SessionState, state_after
from sessions_app.protocol.projection import EMPTY, Projection
from sessions_app.protocol.reckoning import SNAPSHOT_EVERY
from sessions_app.protocol.replay import Entity as Replayed
from sessions_app.protocol.replay import after_entity
from sessions_app.stored_state import logged_events, stored_projection

Json = dict[str, Any]
PAGE = 500


def state_of_log(session: Session) -> SessionState:
    """Return what the stored log says. Raises BrokenHistory."""
    return state_after(logged_events(session))


def rewrite_rows(session: Session) -> None:
    """Delete every row that is projected from the log, and write them from it; the session's own columns too.

    Belongs in a transaction that holds the session. Raises BrokenHistory, and what a recorded entity is refused for.
    """
    state = state_of_log(session)
    times = dict(SessionEvent.objects.filter(session_id=session.pk).values_list("sequence", "created_at_ms"))
    delete_rows(session)
    session.title, session.epoch = state.title, state.epoch
    _write_messages(session, state, times)
    _write_turns(session, state, times)
    _write_entities(session, state)
    _write_projection(session, state)
    _write_books(session, state)


def differences(session: Session) -> Iterator[tuple[str, str, str]]:
    """Yield `(table, row, problem)` for each way in which rows are not what the log says. Raises BrokenHistory."""
    state = state_of_log(session)
    folded = state.folded()
    for failed in folded.quarantined:
        yield (
            Entity._meta.db_table,
            str(failed.entity.key),
            f"counts, and cannot be carried out: {failed.reason['code']}",
        )
    yield from _column_differences(session, state, folded.projection)
    yield from _compared(Message._meta.db_table, _message_rows(session), _messages_said(state))
    yield from _compared(Variant._meta.db_table, _variant_rows(session), _variants_said(state))
    yield from _compared(Turn._meta.db_table, _turn_rows(session), _turns_said(state))
    yield from _compared(Entity._meta.db_table, _entity_rows(session), _entities_said(state))
    said = folded.projection.as_json()["namespaces"]
    stored = stored_projection(session)
    yield from _compared(Namespace._meta.db_table, stored.as_json()["namespaces"], said)
    if list(stored.namespaces) != list(said):
        yield Namespace._meta.db_table, "position", "namespaces are in another order"
    yield from _snapshot_differences(session, state)
    attached = Attachment.objects.filter(session_id=session.pk).order_by("position").values_list("book_id", flat=True)
    if [str(each) for each in attached] != state.books:
        yield Attachment._meta.db_table, str(session.pk), "lists other world books"


def _column_differences(
    session: Session, state: SessionState, projection: Projection
) -> Iterator[tuple[str, str, str]]:
    said = {"title": state.title, "epoch": state.epoch, "revision": projection.revision}
    for name, value in said.items():
        if getattr(session, name) != value:
            yield Session._meta.db_table, f"{session.pk} {name}", f"is {getattr(session, name)!r}, and not {value!r}"


def _compared(table: str, rows: dict[Any, Any], said: dict[Any, Any]) -> Iterator[tuple[str, str, str]]:
    for key in said.keys() - rows.keys():
        yield table, str(key), "is missing"
    for key in rows.keys() - said.keys():
        yield table, str(key), "is in no event"
    for key in rows.keys() & said.keys():
        if rows[key] != said[key]:
            yield table, str(key), "is not what the log says"


def _snapshot_differences(session: Session, state: SessionState) -> Iterator[tuple[str, str, str]]:
    stored = {
        row.sequence: row.projection for row in Snapshot.objects.filter(session_id=session.pk).order_by("sequence")
    }
    table, projection = Snapshot._meta.db_table, EMPTY
    for entity in state.effective():
        try:
            projection = after_entity(projection, Replayed(entity.sequence, entity.kind, entity.body))
        except StatehouseError:  # told above, by its entity
            continue
        found = stored.pop(entity.sequence, None)
        if found is not None and found != projection.as_json():
            yield table, str(entity.sequence), "is not the projection at its place"
    for sequence in stored:
        yield table, str(sequence), "stands after no entity that counts"


def _message_rows(session: Session) -> dict[int, Json]:
    rows = Message.objects.filter(session_id=session.pk)
    return {row["number"]: row for row in rows.values(*_MESSAGE)}


def _variant_rows(session: Session) -> dict[Any, str]:
    rows = Variant.objects.filter(message__session_id=session.pk)
    return {(number, index): text for number, index, text in rows.values_list("message__number", "index", "text")}


def _turn_rows(session: Session) -> dict[int, Json]:
    return {row["number"]: row for row in Turn.objects.filter(session_id=session.pk).values(*_TURN)}


def _entity_rows(session: Session) -> dict[int, Json]:
    return {row["sequence"]: row for row in Entity.objects.filter(session_id=session.pk).values(*_ENTITY)}


_MESSAGE = ("number", "role", "name", "is_hidden", "is_deleted", "version", "selected")
_TURN = ("number", "message", "variant", "status", "fingerprints", "committed_sequence")
_ENTITY = ("sequence", "kind", "message", "variant", "turn", "body", "status", "reason", "since")


def _messages_said(state: SessionState) -> dict[int, Json]:
    return {number: _picked(each, _MESSAGE) for number, each in state.messages.items()}


def _variants_said(state: SessionState) -> dict[Any, str]:
    return {(number, index): text for number, each in state.messages.items() for index, text in each.variants.items()}


def _turns_said(state: SessionState) -> dict[int, Json]:
    return {number: _picked(each, _TURN) for number, each in state.turns.items()}


def _entities_said(state: SessionState) -> dict[int, Json]:
    return {sequence: _picked(each, _ENTITY) for sequence, each in state.entities.items()}


def _picked(source: Any, names: tuple[str, ...]) -> Json:
    return {name: getattr(source, name) for name in names}


def delete_rows(session: Session) -> None:
    """Delete every row that is projected from the log of a session. Belongs in a transaction that holds it."""
    for model in (Attachment, Snapshot, Namespace, Entity, Turn):
        model._default_manager.filter(session_id=session.pk).delete()
    Message.objects.filter(session_id=session.pk).delete()


def _write_messages(session: Session, state: SessionState, times: dict[int, int]) -> None:
    rows = [Message(session=session, **values) for values in _messages_said(state).values()]
    made = {row.number: row for row in Message.objects.bulk_create(rows, batch_size=PAGE)}
    # A variant that a turn writes is as old as the turn; any other came with its message.
    begun = {(turn.message, turn.variant): number for number, turn in state.turns.items()}
    variants = [
        Variant(
            message=made[number],
            index=index,
            text=text,
            created_at_ms=times.get(begun.get((number, index), number), 0),
        )
        for (number, index), text in _variants_said(state).items()
    ]
    Variant.objects.bulk_create(variants, batch_size=PAGE)


def _write_turns(session: Session, state: SessionState, times: dict[int, int]) -> None:
    rows = [
        Turn(session=session, begun_at_ms=times.get(number, 0), **values)
        for number, values in _turns_said(state).items()
    ]
    Turn.objects.bulk_create(rows, batch_size=PAGE)


def _write_entities(session: Session, state: SessionState) -> None:
    rows = [Entity(session=session, **values) for values in _entities_said(state).values()]
    Entity.objects.bulk_create(rows, batch_size=PAGE)


def _write_projection(session: Session, state: SessionState) -> None:
    projection, snapshots, tail = EMPTY, [], 0
    for entity in state.effective():
        projection = after_entity(projection, Replayed(entity.sequence, entity.kind, entity.body))
        tail += 1
        if tail == SNAPSHOT_EVERY:
            snapshots.append(Snapshot(session=session, sequence=entity.sequence, projection=projection.as_json()))
            tail = 0
    Snapshot.objects.bulk_create(snapshots, batch_size=50)
    session.tail_count = tail
    store_projection(session, EMPTY, projection)


def _write_books(session: Session, state: SessionState) -> None:
    rows = [Attachment(session=session, book_id=book, position=place) for place, book in enumerate(state.books)]
    Attachment.objects.bulk_create(rows)
