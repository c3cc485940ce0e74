"""Messages as pages print them: the text cut to size, what each owns, and what can be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import Moment, moment_of_ms
from sessions_app.models import Session
from sessions_app.pages.entity_rows import EntityRow, entity_row
from sessions_app.pages.printing import Text, cut
from sessions_app.protocol.events import Role
from sessions_app.queries import message_page
from sessions_app.queries_pages import entities_of

Json = dict[str, Any]
PAGE_MESSAGES = 20
MESSAGE_CHARS = 2_500


@dataclass(frozen=True)
class MessageRow:
    """One message. `turn_address` leads to the turn that is writing it, where one is."""

    number: int
    role: str
    name: str
    text: Text
    at: Moment | None
    is_hidden: bool
    is_reply: bool
    variant: int
    variants: int
    entities: tuple[EntityRow, ...]
    turn_address: str
    address: str
    edit_address: str
    delete_address: str
    regenerate_address: str
    variants_address: str
    fork_address: str


def message_rows(session: Session, *, before: int | None, size: int) -> list[MessageRow]:
    """Return messages before one (None: the last ones) in their order: four queries, however many they are."""
    told = message_page(session, after=before, limit=size, newest_first=True)
    owned: dict[int | None, list[EntityRow]] = {}
    for entity in entities_of(session, [each["message"] for each in told]):
        owned.setdefault(entity.message, []).append(entity_row(entity))
    return [_row(session, each, owned.get(each["message"], [])) for each in reversed(told)]


def _row(session: Session, told: Json, entities: list[EntityRow]) -> MessageRow:
    number = told["message"]
    turn = told.get("activeTurn")
    return MessageRow(
        number=number,
        role=told["role"],
        name=told["name"],
        text=cut(told["text"], MESSAGE_CHARS),
        at=moment_of_ms(told["createdAtMs"]),
        is_hidden=told["hidden"],
        is_reply=told["role"] == Role.ASSISTANT,
        variant=told["variant"],
        variants=told["variants"],
        entities=tuple(entities),
        turn_address=address("turn", session.pk, turn) if turn is not None else "",
        address=address("message", session.pk, number),
        edit_address=address("message-edit", session.pk, number),
        delete_address=address("message-delete", session.pk, number),
        regenerate_address=address("message-regenerate", session.pk, number),
        variants_address=address("message-variants", session.pk, number),
        fork_address=address("session-fork", session.pk, message=number),
    )
