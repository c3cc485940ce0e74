"""What is said, what carries it, and where it conflicts. Source: sections 3, 8 and 9."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from negotiation_app.protocol.names import Certainty, Lifecycle, ReviewState
from negotiation_app.protocol.rows_base import Row
from negotiation_app.protocol.values import Value


@dataclass(frozen=True)
class Evidence(Row):
    """An item as it was registered; how it was said is never changed."""

    TABLE: ClassVar[str] = "evidence"
    ref: str
    order: int
    kind: str
    locator: str | None
    quote: str | None
    stated_as: str
    event: str | None
    premises: tuple[str, ...]
    simulation: str | None
    tainted: bool
    recorded_at: str


@dataclass(frozen=True)
class Proposition(Row):
    """A statement; its content is fixed, its status moves."""

    TABLE: ClassVar[str] = "propositions"
    ref: str
    order: int
    subject: str
    attribute: str
    slot: str
    value: Value | None
    as_stated: Any
    as_of: Any
    party: str | None
    event: str | None
    rationale: str | None
    status: str
    origin: str
    evidence: tuple[str, ...]
    recorded_at: str
    lifecycle: str = Lifecycle.EFFECTIVE
    review_state: str = ReviewState.CURRENT
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    superseded_because: str | None = None

    @property
    def is_effective(self) -> bool:
        return self.lifecycle == Lifecycle.EFFECTIVE

    @property
    def certainty(self) -> Certainty:
        return Certainty(self.status)


@dataclass(frozen=True)
class Contradiction(Row):
    """Members are only added; it is resolved or dissolved once."""

    TABLE: ClassVar[str] = "contradictions"
    ref: str
    order: int
    kind: str
    members: tuple[str, ...]
    status: str
    reason: str | None = None
    resolution: Any = None
