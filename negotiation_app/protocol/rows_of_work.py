"""What the roles do: judgements, patches, simulations, decisions, notifications and history. Sections 2, 6, 11-15."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from negotiation_app.protocol.rows_base import Row


@dataclass(frozen=True)
class Judgement(Row):
    """An authored judgement; its text is never rewritten."""

    TABLE: ClassVar[str] = "judgements"
    ref: str
    order: int
    kind: str
    text: str
    recommendation: str | None
    depends_on: tuple[str, ...]
    supersedes: str | None
    status: str
    event: str


@dataclass(frozen=True)
class PatchRow(Row):
    """A specialist's proposal; `operations` are kept as they were sent."""

    TABLE: ClassVar[str] = "patches"
    ref: str
    order: int
    state_version: int
    operations: Any
    summary: str | None
    rerun_of: str | None
    submitted_by: str
    status: str
    outcomes: Any
    reason: str | None = None


@dataclass(frozen=True)
class Simulation(Row):
    """Role-play or red-team statements, apart from the evidence register."""

    TABLE: ClassVar[str] = "simulations"
    ref: str
    order: int
    kind: str
    statements: Any
    state_version: int
    recorded_by: str


@dataclass(frozen=True)
class Finding(Row):
    TABLE: ClassVar[str] = "findings"
    ref: str
    order: int
    simulation: str
    statements: tuple[str, ...]
    text: str
    dispositions: Any


@dataclass(frozen=True)
class Decision(Row):
    """What the principal decided about what he was shown; used once."""

    TABLE: ClassVar[str] = "decisions"
    ref: str
    order: int
    kind: str
    seen_version: int
    subject: str | None
    value: Any
    reason: str
    decided_by: str
    recorded_at: str
    status: str
    used_by: str | None = None
    revoked_because: str | None = None


@dataclass(frozen=True)
class Notification(Row):
    TABLE: ClassVar[str] = "notifications"
    ref: str
    order: int
    event: str
    triggers: tuple[str, ...]
    changes: Any
    alters_strategy: bool
    new_evidence: str
    prior_view: str
    changed_recommendation: str
    acknowledged_at: str | None = None
    acknowledged_by: str | None = None


@dataclass(frozen=True)
class HistoryEvent(Row):
    """One event: what happened, what of the state changed by it, and what each of the ten steps did."""

    TABLE: ClassVar[str] = "history"
    seq: int
    ref: str
    type: str
    material: bool
    state_version: int
    actor: str
    occurred_at: str
    recorded_at: str
    party: str | None
    locator: str | None
    text: str | None
    reason: str | None
    changes: Any
    steps: Any

    @property
    def key(self) -> str:
        return str(self.seq)
