"""How the states of sessions look, and what their words mean to people."""

from __future__ import annotations

from fabric_app.mesh.http.values import BAD, BUSY, GOOD, HALT, IDLE, WAIT, State
from sessions_app.protocol.definition import UpdateMode
from sessions_app.protocol.events import EntityStatus, EventKind
from sessions_app.protocol.replay import EntityKind

QUARANTINED = State("quarantined", BAD, HALT)
WRITING = State("being written", BUSY, BUSY)
ACTIVE_ENTRY, INACTIVE_ENTRY = State("active", GOOD, GOOD), State("not active", IDLE, IDLE)
HOLDS, FAILS, UNDECIDED = State("holds", GOOD, GOOD), State("does not hold", IDLE, IDLE), State("undecided", WAIT, WAIT)

_ENTITIES = {
    EntityStatus.EFFECTIVE: State("effective", GOOD, GOOD),
    EntityStatus.RETRACTED: State("retracted", IDLE, IDLE),
    EntityStatus.QUARANTINED: QUARANTINED,
    EntityStatus.SKIPPED: State("skipped", IDLE, HALT),
}
_SEVERITIES = {
    "info": State("info", IDLE, IDLE),
    "warning": State("warning", WAIT, WAIT),
    "error": State("error", BAD, BAD),
}
ENTITY_KINDS = {
    EntityKind.BOOTSTRAP: "bootstrap",
    EntityKind.CONFIGURATION: "configuration",
    EntityKind.TURN_COMMIT: "turn commit",
}
MODES = {
    UpdateMode.RULES_REQUIRED: "Turns change it by its rules alone.",
    UpdateMode.SCHEMA_ONLY: "Turns change it freely within its schema.",
    UpdateMode.DISABLED: "No turn changes it; only a configuration does.",
}
EVENT_WORDS = {
    EventKind.CREATED: "session created",
    EventKind.RENAMED: "session renamed",
    EventKind.BOOTSTRAPPED: "state begun",
    EventKind.MESSAGE_ADDED: "message added",
    EventKind.MESSAGE_EDITED: "text edited",
    EventKind.MESSAGES_DELETED: "messages deleted",
    EventKind.TURN_BEGUN: "turn begun",
    EventKind.TURN_CANCELLED: "turn cancelled",
    EventKind.TURN_COMMITTED: "turn committed",
    EventKind.VARIANT_SELECTED: "variant chosen",
    EventKind.CONFIGURED: "state configured",
    EventKind.RELEASED: "released from quarantine",
    EventKind.SKIPPED: "skipped for good",
    EventKind.REBUILT: "projection rebuilt",
    EventKind.BOOK_ATTACHED: "world book attached",
    EventKind.BOOK_DETACHED: "world book detached",
}


def entity_state(status: str) -> State:
    return _ENTITIES[EntityStatus(status)]


def severity_state(severity: str) -> State:
    return _SEVERITIES.get(severity, State(severity, IDLE, IDLE))


def event_words(kind: str) -> str:
    """Return what an event is called; a kind that is not known keeps its own name."""
    return EVENT_WORDS.get(EventKind(kind), kind) if kind in set(EventKind) else kind
