"""Events of a session's log as pages print them: what happened in words, who did it, when, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import BAD, GOOD, HALT, IDLE, Line, Moment, State, Who, moment_of_ms, who
from sessions_app.models import Session, SessionEvent
from sessions_app.pages.printing import cut
from sessions_app.pages.states import event_words
from sessions_app.protocol.events import EventKind
from sessions_app.queries_pages import events_before

Json = dict[str, Any]
AUDIT_LINES = 8
TEXT_CHARS = 240
DONE, HELD = State("done", GOOD, GOOD), State("quarantine", BAD, HALT)
BACK = State("taken back", IDLE, IDLE)


@dataclass(frozen=True)
class EventRow:
    """One event: what happened (`words`, `detail`), the reason that was given, and what it did to entities."""

    sequence: int
    kind: str
    words: str
    detail: str
    reason: str
    state: State
    by: Who
    at: Moment | None
    address: str

    @property
    def is_notable(self) -> bool:
        """Whether it moved entities, beside what its kind says."""
        return self.state is not DONE


def event_row(event: SessionEvent) -> EventRow:
    data = event.data if isinstance(event.data, dict) else {}
    return EventRow(
        sequence=event.sequence,
        kind=event.kind,
        words=event_words(event.kind),
        detail=cut(_detail(event.kind, data), TEXT_CHARS).shown,
        reason=cut(str(data.get("reason") or ""), TEXT_CHARS).shown,
        state=_state(data.get("entities") or {}),
        by=who(event.actor),
        at=moment_of_ms(event.created_at_ms),
        address=address("session-event", event.session_id, event.sequence),
    )


def audit_of(session: Session) -> Json:
    """Return the audit trail that ends a page of the session: one query."""
    rows = map(event_row, events_before(session, before=None, size=AUDIT_LINES))
    lines = [
        Line(
            at=row.at,
            actor=row.by,
            kind=row.words,
            name=row.detail or f"event {row.sequence}",
            state=row.state,
            reason=row.reason,
            address=row.address,
        )
        for row in rows
    ]
    return {"audit": lines, "audit_more": address("session-timeline", session.pk)}


def _state(entities: Json) -> State:
    if entities.get("quarantined"):
        return HELD
    return BACK if entities.get("retracted") else DONE


def _detail(kind: str, data: Json) -> str:
    tell = _DETAILS.get(kind)
    return "" if tell is None else tell(data)


def _message(data: Json) -> str:
    return f"{data.get('role')}: {data.get('text', '')}"


def _committed(data: Json) -> str:
    count = len(data.get("changed") or ())
    return f"turn {data.get('turn')}, message {data.get('message')}: {count} change{'' if count == 1 else 's'}"


def _begun(data: Json) -> str:
    if "message" in data:
        return f"variant {data.get('variant')} of message {data['message']}"
    return str(data.get("name", ""))


def _configured(data: Json) -> str:
    request = data.get("request") or {}
    return f"{request.get('action')} {request.get('namespace')}"


_DETAILS: Mapping[str, Callable[[Json], str]] = {
    EventKind.CREATED: lambda data: str(data.get("title", "")),
    EventKind.RENAMED: lambda data: str(data.get("title", "")),
    EventKind.BOOTSTRAPPED: lambda data: ", ".join(
        str(each.get("namespace")) for each in (data.get("bootstrap") or {}).get("namespaces", ())
    ),
    EventKind.MESSAGE_ADDED: _message,
    EventKind.MESSAGE_EDITED: lambda data: f"message {data.get('message')}: {data.get('text', '')}",
    EventKind.MESSAGES_DELETED: lambda data: f"messages {', '.join(map(str, data.get('messages', ())[:20]))}",
    EventKind.TURN_BEGUN: _begun,
    EventKind.TURN_CANCELLED: lambda data: f"turn {data.get('turn')}",
    EventKind.TURN_COMMITTED: _committed,
    EventKind.VARIANT_SELECTED: lambda data: f"variant {data.get('variant')} of message {data.get('message')}",
    EventKind.CONFIGURED: _configured,
    EventKind.RELEASED: lambda data: f"entity {data.get('sequence')}",
    EventKind.SKIPPED: lambda data: f"entity {data.get('sequence')}",
    EventKind.BOOK_ATTACHED: lambda data: str(data.get("book", "")),
    EventKind.BOOK_DETACHED: lambda data: str(data.get("book", "")),
}
