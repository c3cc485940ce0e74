"""History: what a session's log says of its messages, turns and entities.

`SessionState.apply` takes one event after the other, as `protocol.events` describes them. It does not run entities: the
log says of each event who counts since, and `projection` folds those that do. So log and projection can be held
against each other at any place. A log that contradicts itself raises BrokenHistory.

Source: rp.state, section 11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabric_app.mesh.errors import StatehouseError
from sessions_app.protocol.events import EntityStatus, EventKind, Role, TurnStatus
from sessions_app.protocol.projection import Projection
from sessions_app.protocol.reckoning import LoggedEntity
from sessions_app.protocol.replay import Entity, EntityKind, Folded, fold

Json = Mapping[str, Any]


class BrokenHistory(StatehouseError):
    """A log does not tell one story: an event names what is not there, or lacks a member."""

    code, status = "BROKEN_HISTORY", 422
    message = "Event {sequence} ({kind}) cannot be followed: {detail}"


@dataclass(frozen=True)
class LoggedEvent:
    """One event: its place, kind and data, and when it was stored (ms since 1970)."""

    sequence: int
    kind: str
    data: Json
    created_at_ms: int = 0


@dataclass
class MessageState:
    """A message: who speaks, whether it is there, its variants by index, and the version of the text that is chosen."""

    number: int
    role: Role
    name: str = ""
    is_hidden: bool = False
    is_deleted: bool = False
    version: int = 1
    selected: int = 1
    variants: dict[int, str] = field(default_factory=dict)


@dataclass
class TurnState:
    """A turn: the reply that it writes, and how it ended."""

    number: int
    message: int
    variant: int
    status: TurnStatus = TurnStatus.ACTIVE
    fingerprints: list[str] = field(default_factory=list)
    committed_sequence: int | None = None


@dataclass(frozen=True)
class Owner:
    """The variant of a message that owns a configuration, and the `number` of the turn that asked for it."""

    message: int
    variant: int
    number: int | None


@dataclass
class SessionState:
    """Everything that a log says, up to its last event that was applied."""

    title: str = ""
    epoch: int = 0
    sequence: int = 0
    messages: dict[int, MessageState] = field(default_factory=dict)
    turns: dict[int, TurnState] = field(default_factory=dict)
    entities: dict[int, LoggedEntity] = field(default_factory=dict)
    books: list[str] = field(default_factory=list)

    def apply(self, event: LoggedEvent) -> None:
        """Follow one event. Raises BrokenHistory."""
        follow = _FOLLOW.get(event.kind)
        if follow is None or (event.kind == EventKind.CREATED) != (event.sequence == 1):
            raise _broken(event, "it is of no kind that can stand here")
        if event.sequence != self.sequence + 1:
            raise _broken(event, f"the event before it is {self.sequence}")
        try:
            follow(self, event)
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise _broken(event, f"what it names is not there or has another form ({fault})") from fault
        self.sequence = event.sequence

    def effective(self) -> list[LoggedEntity]:
        """Return the entities that count, in order."""
        return [each for _, each in sorted(self.entities.items()) if each.status is EntityStatus.EFFECTIVE]

    def folded(self) -> Folded:
        """Return the projection that the effective entities lead to; where the log is true, none of them fails."""
        return fold(Entity(each.sequence, each.kind, each.body) for each in self.effective())

    def projection(self) -> Projection:
        return self.folded().projection


def state_after(events: Iterable[LoggedEvent]) -> SessionState:
    """Return what a log says. Raises BrokenHistory."""
    state = SessionState()
    for event in events:
        state.apply(event)
    return state


def _broken(event: LoggedEvent, detail: str) -> BrokenHistory:
    return BrokenHistory(sequence=event.sequence, kind=str(event.kind), detail=detail)


def _titled(state: SessionState, event: LoggedEvent) -> None:
    state.title = _text(event.data["title"])


def _bootstrapped(state: SessionState, event: LoggedEvent) -> None:
    _add(state, event, EntityKind.BOOTSTRAP, event.data["bootstrap"])


def _message_added(state: SessionState, event: LoggedEvent) -> None:
    data = event.data
    message = MessageState(
        number=event.sequence,
        role=Role(data["role"]),
        name=_text(data.get("name", "")),
        is_hidden=bool(data.get("hidden", False)),
        selected=_whole(data.get("selected", 1)),
        variants={index: _text(text) for index, text in enumerate([data["text"], *data.get("others", ())], start=1)},
    )
    _existing(message, message.selected)
    state.messages[event.sequence] = message


def _message_edited(state: SessionState, event: LoggedEvent) -> None:
    message = _present(state, event.data["message"])
    _existing(message, event.data["variant"])
    message.variants[event.data["variant"]] = _text(event.data["text"])
    message.version = _whole(event.data["version"])


def _messages_deleted(state: SessionState, event: LoggedEvent) -> None:
    for number in event.data["messages"]:
        _present(state, number).is_deleted = True
    _reckoned(state, event)


def _turn_begun(state: SessionState, event: LoggedEvent) -> None:
    data = event.data
    if "message" in data:
        message = _present(state, data["message"])
        message.selected = _whole(data["variant"])
        if message.selected != max(message.variants) + 1:
            raise ValueError("a variant is numbered after the last one")
        message.version += 1
    else:
        message = MessageState(number=event.sequence, role=Role.ASSISTANT, name=_text(data.get("name", "")))
        state.messages[message.number] = message
    message.variants[message.selected] = ""
    state.turns[event.sequence] = TurnState(event.sequence, message.number, message.selected)
    _reckoned(state, event)


def _turn_cancelled(state: SessionState, event: LoggedEvent) -> None:
    turn = _active(state, event.data["turn"])
    turn.status = TurnStatus.CANCELLED
    message = state.messages[turn.message]
    if "text" in event.data:
        _write(message, turn.variant, event.data["text"])
    elif len(message.variants) == 1:
        message.is_deleted = True
    _reckoned(state, event)


def _turn_committed(state: SessionState, event: LoggedEvent) -> None:
    data = event.data
    turn = _active(state, data["turn"])
    turn.status, turn.committed_sequence = TurnStatus.COMMITTED, event.sequence
    turn.fingerprints = [_text(each) for each in data["fingerprints"]]
    if "text" in data:
        _write(state.messages[turn.message], turn.variant, data["text"])
    _add(state, event, EntityKind.TURN_COMMIT, data["effects"], owner=turn)


def _variant_selected(state: SessionState, event: LoggedEvent) -> None:
    message = _present(state, event.data["message"])
    _existing(message, event.data["variant"])
    message.selected = event.data["variant"]
    message.version += 1
    _reckoned(state, event)


def _configured(state: SessionState, event: LoggedEvent) -> None:
    data = event.data
    _existing(state.messages[data["message"]], data["variant"])
    owner = Owner(data["message"], data["variant"], data.get("turn"))
    _add(state, event, EntityKind.CONFIGURATION, data["request"], owner=owner)
    state.epoch += 1


def _set_aside(state: SessionState, event: LoggedEvent) -> None:
    _reckoned(state, event)


def _rebuilt(state: SessionState, event: LoggedEvent) -> None:
    if not event.data.get("entities"):
        state.epoch += 1
    _reckoned(state, event)


def _book_attached(state: SessionState, event: LoggedEvent) -> None:
    state.books.append(_text(event.data["book"]))


def _book_detached(state: SessionState, event: LoggedEvent) -> None:
    state.books.remove(event.data["book"])


_FOLLOW: Mapping[str, Callable[[SessionState, LoggedEvent], None]] = {
    EventKind.CREATED: _titled,
    EventKind.RENAMED: _titled,
    EventKind.BOOTSTRAPPED: _bootstrapped,
    EventKind.MESSAGE_ADDED: _message_added,
    EventKind.MESSAGE_EDITED: _message_edited,
    EventKind.MESSAGES_DELETED: _messages_deleted,
    EventKind.TURN_BEGUN: _turn_begun,
    EventKind.TURN_CANCELLED: _turn_cancelled,
    EventKind.TURN_COMMITTED: _turn_committed,
    EventKind.VARIANT_SELECTED: _variant_selected,
    EventKind.CONFIGURED: _configured,
    EventKind.RELEASED: _set_aside,
    EventKind.SKIPPED: _set_aside,
    EventKind.REBUILT: _rebuilt,
    EventKind.BOOK_ATTACHED: _book_attached,
    EventKind.BOOK_DETACHED: _book_detached,
}

_STATUS_AFTER = {
    "retracted": EntityStatus.RETRACTED,
    "reinstated": EntityStatus.EFFECTIVE,
    "released": EntityStatus.EFFECTIVE,
    "skipped": EntityStatus.SKIPPED,
}


def _reckoned(state: SessionState, event: LoggedEvent) -> None:
    """Follow the members `entities` and `cancelledTurns` of an event."""
    for number in event.data.get("cancelledTurns", ()):
        _active(state, number).status = TurnStatus.CANCELLED
    entities = event.data.get("entities")
    if not entities:
        return
    for name, status in _STATUS_AFTER.items():
        for sequence in entities.get(name, ()):
            _give(state, sequence, status, event.sequence, None)
    for failure in entities.get("quarantined", ()):
        _give(state, failure["sequence"], EntityStatus.QUARANTINED, event.sequence, failure["reason"])
    state.epoch += 1


def _give(state: SessionState, sequence: int, status: EntityStatus, since: int, reason: Json | None) -> None:
    state.entities[sequence] = replace(state.entities[sequence], status=status, since=since, reason=reason)


def _add(
    state: SessionState, event: LoggedEvent, kind: EntityKind, body: Any, *, owner: TurnState | Owner | None = None
) -> None:
    message, variant, turn = (None, None, None) if owner is None else (owner.message, owner.variant, owner.number)
    state.entities[event.sequence] = LoggedEntity(
        event.sequence, kind, body, message, variant, EntityStatus.EFFECTIVE, event.sequence, turn
    )


def _present(state: SessionState, number: int) -> MessageState:
    message = state.messages[number]
    if message.is_deleted:
        raise ValueError(f"message {number} was deleted")
    return message


def _write(message: MessageState, variant: int, text: Any) -> None:
    message.variants[variant] = _text(text)
    message.version += 1


def _existing(message: MessageState, variant: int) -> None:
    if variant not in message.variants:
        raise ValueError(f"message {message.number} has no variant {variant}")


def _active(state: SessionState, number: int) -> TurnState:
    turn = state.turns[number]
    if turn.status is not TurnStatus.ACTIVE:
        raise ValueError(f"turn {number} is {turn.status.value}")
    return turn


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("a whole number is expected")
    return value
