"""What comes into the protocol, and what it answers. Source: canonical negotiation state, sections 1, 5 and 7."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from negotiation_app.protocol.names import ArtefactForm, Role
from negotiation_app.protocol.row_json import row_from_json, row_json
from negotiation_app.protocol.rows import HistoryEvent, Row
from negotiation_app.protocol.state import Negotiation


@dataclass(frozen=True)
class Operation:
    """One request: the operation's name, and its body as it was sent."""

    name: str
    body: Any


@dataclass(frozen=True)
class Context:
    """Who asks, in which of his roles, and when; `artefact_max_bytes` None means no limit."""

    roles: frozenset[Role]
    actor: str
    at: datetime
    artefact_max_bytes: int | None = None


@dataclass(frozen=True)
class Entry:
    """One accepted write, as the log keeps it: the rows that it wrote, in order, each whole.

    `rows` includes the history event, if there is one. Folding entries gives the state at every point. An entry without
    rows changes nothing there: a snapshot, or a repair, which has its `reason` beside them.
    """

    operation: str
    actor: str
    recorded_at: str
    rows: tuple[Row, ...]
    reason: str | None = None

    @property
    def event(self) -> HistoryEvent | None:
        return next((row for row in self.rows if isinstance(row, HistoryEvent)), None)

    def as_json(self) -> dict[str, Any]:
        told = {
            "operation": self.operation,
            "actor": self.actor,
            "recordedAt": self.recorded_at,
            "rows": [{"table": row.TABLE, "row": row_json(row)} for row in self.rows],
        }
        return told if self.reason is None else {**told, "reason": self.reason}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Entry:
        rows = tuple(row_from_json(each["table"], each["row"]) for each in raw["rows"])
        return cls(raw["operation"], raw["actor"], raw["recordedAt"], rows, raw.get("reason"))


@dataclass(frozen=True)
class Artefact:
    """The state written out beside the rows; without `text` and `digest` it is rendered from the log on demand."""

    form: ArtefactForm
    state_version: int
    text: str | None = None
    digest: str | None = None
    reason: str | None = None


NO_ARTEFACT = Artefact(ArtefactForm.NONE, 0)


@dataclass(frozen=True)
class Decided:
    """What an operation does. `entry` None: it stores nothing. `artefact` is to be stored unless its form is NONE."""

    state: Negotiation
    entry: Entry | None
    answer: dict[str, Any]
    artefact: Artefact = NO_ARTEFACT
