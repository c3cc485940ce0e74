"""Entities of the state as pages print them, and what an act does to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import State
from sessions_app.models import Entity
from sessions_app.pages.printing import INLINE_CHARS, cut
from sessions_app.pages.states import ENTITY_KINDS, entity_state
from sessions_app.protocol.events import EntityStatus
from sessions_app.protocol.replay import EntityKind

Json = dict[str, Any]
SHOWN = 200
_MOVES = (
    ("retracted", "Taken back: they no longer count"),
    ("reinstated", "Given back at their old place"),
    ("released", "Released from quarantine"),
    ("skipped", "Set aside for good"),
    ("quarantined", "Go into quarantine: they cannot be carried out any more"),
)


@dataclass(frozen=True)
class EntityRow:
    """One entity: what it is, whether it counts, and why not."""

    sequence: int
    words: str
    state: State
    address: str
    message: int | None
    counts: bool
    reason: str = ""
    code: str = ""


@dataclass(frozen=True)
class Moved:
    """Entities that an act moves the same way."""

    words: str
    rows: tuple[tuple[int, str, str], ...]
    left: int = 0


def entity_row(row: Entity) -> EntityRow:
    reason = row.reason if isinstance(row.reason, dict) else {}
    return EntityRow(
        sequence=row.sequence,
        words=_words(row),
        state=entity_state(row.status),
        address=address("session-event", row.session_id, row.sequence),
        message=row.message,
        counts=row.status == EntityStatus.EFFECTIVE,
        reason=cut(str(reason.get("message", "")), INLINE_CHARS).shown,
        code=str(reason.get("code", "")),
    )


def moves_of(session_id: UUID, entities: Json) -> list[Moved]:
    """Return which entities an act moves and how: `(sequence, address, reason)` each."""
    found = []
    for name, words in _MOVES:
        listed = entities.get(name, [])
        rows = tuple(_move(session_id, each) for each in listed[:SHOWN])
        if rows:
            found.append(Moved(words, rows, max(len(listed) - SHOWN, 0)))
    return found


def _move(session_id: UUID, told: Any) -> tuple[int, str, str]:
    sequence = told["sequence"] if isinstance(told, dict) else told
    reason = str(told["reason"].get("message", "")) if isinstance(told, dict) else ""
    return sequence, address("session-event", session_id, sequence), cut(reason, INLINE_CHARS).shown


def _words(row: Entity) -> str:
    kind = ENTITY_KINDS[EntityKind(row.kind)]
    if row.kind == EntityKind.CONFIGURATION and isinstance(row.body, dict):
        return f"{kind}: {row.body.get('action')} {row.body.get('namespace')}"
    return kind
