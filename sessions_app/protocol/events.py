"""The events of a session's log: their kinds, and the members of each in wire form.

| kind | data |
|---|---|
| `session.created` | `title`, `sessionId`, and of a fork `forkedFrom` `{sessionId, message, digest}` |
| `session.renamed` | `title` |
| `state.bootstrapped` | `bootstrap` |
| `message.added` | `role`, `text`; where they say something `name`, `hidden`, `others` (later variants), `selected` |
| `message.edited` | `message`, `variant`, `version`, `text` |
| `messages.deleted` | `messages`, `entities`, `cancelledTurns`, and a `reason` |
| `turn.begun` | a new reply: `name`; a regenerated one: `message`, `variant`, `entities`, `cancelledTurns` |
| `turn.cancelled` | `turn`, `entities`, and the `text` that is kept of the reply |
| `turn.committed` | `turn`, `message`, `variant`, `effects`, `changed`, `diagnostics`, `fingerprints`, and a `text` |
| `variant.selected` | `message`, `variant`, `entities`, `cancelledTurns` |
| `state.configured` | `request`, `message`, `variant`, and the `turn` that asked for it |
| `quarantine.released`, `quarantine.skipped` | `sequence`, `reason`, `entities` |
| `projection.rebuilt` | `reason`, and of a fork the `entities` that are quarantined in it |
| `book.attached`, `book.detached` | `book` |

A message and a turn are named by the sequence of their event. `entities` says which entities have another status since
the event: `{retracted: [sequence], reinstated: [...], released: [...], skipped: [...], quarantined: [{sequence,
reason}]}`, empty lists left out.

Source: rp.state, section 11.
"""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    CREATED = "session.created"
    RENAMED = "session.renamed"
    BOOTSTRAPPED = "state.bootstrapped"
    MESSAGE_ADDED = "message.added"
    MESSAGE_EDITED = "message.edited"
    MESSAGES_DELETED = "messages.deleted"
    TURN_BEGUN = "turn.begun"
    TURN_CANCELLED = "turn.cancelled"
    TURN_COMMITTED = "turn.committed"
    VARIANT_SELECTED = "variant.selected"
    CONFIGURED = "state.configured"
    RELEASED = "quarantine.released"
    SKIPPED = "quarantine.skipped"
    REBUILT = "projection.rebuilt"
    BOOK_ATTACHED = "book.attached"
    BOOK_DETACHED = "book.detached"


class Role(StrEnum):
    """Who speaks. `host` is the program or person that runs the session."""

    USER = "user"
    ASSISTANT = "assistant"
    HOST = "host"


class TurnStatus(StrEnum):
    ACTIVE = "active"
    COMMITTED = "committed"
    CANCELLED = "cancelled"


class EntityStatus(StrEnum):
    """Whether an entity counts. `skipped` is what an operator set aside for good."""

    EFFECTIVE = "effective"
    RETRACTED = "retracted"
    QUARANTINED = "quarantined"
    SKIPPED = "skipped"
