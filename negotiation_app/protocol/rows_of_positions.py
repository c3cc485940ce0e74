"""Protected history: proposals, boundaries, the BATNA, criteria, concessions and reviews. Source: section 12."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from negotiation_app.protocol.rows_base import Basis, Row, StatusEntry
from negotiation_app.protocol.values import Value


@dataclass(frozen=True)
class Proposal(Row):
    """A whole package: `terms` has the taken-over ones too. `corrected_by` belongs to one recorded in error."""

    TABLE: ClassVar[str] = "proposals"
    ref: str
    order: int
    side: str
    terms: dict[str, Value]
    amends: str | None
    made_at: str
    valid_until: str | None
    conditions: tuple[str, ...]
    locator: str | None
    late: bool
    event: str
    status: str
    entries: tuple[StatusEntry, ...]
    corrected_by: str | None = None


@dataclass(frozen=True)
class Offer(Row):
    """The pointer to a side's current proposal; empty once that was withdrawn, expired, or recorded in error.

    `newest_made_at` is the time of the side's newest proposal, None where all of them were recorded in error.
    """

    TABLE: ClassVar[str] = "offers"
    ref: str
    proposal: str | None
    reconfirm: bool
    newest_made_at: str | None


@dataclass(frozen=True)
class BoundaryEntry:
    """What a target or floor was set to, and on what; without a value it was retired."""

    value: Value | None
    basis: Basis
    recorded_at: str
    event: str


@dataclass(frozen=True)
class Boundary(Row):
    """A target or floor; the last entry is the current one."""

    TABLE: ClassVar[str] = "boundaries"
    issue: str
    kind: str
    review_state: str
    entries: tuple[BoundaryEntry, ...]

    @property
    def key(self) -> str:
        return f"{self.issue}/{self.kind}"

    @property
    def is_retired(self) -> bool:
        return self.entries[-1].value is None

    @property
    def value(self) -> Value:
        """What is in force; a retired one has no value to ask for."""
        value = self.entries[-1].value
        if value is None:
            raise LookupError(self.key)
        return value

    @property
    def basis(self) -> Basis:
        return self.entries[-1].basis


@dataclass(frozen=True)
class BatnaEntry:
    """What the best alternative was, and on what; without a description it was retired."""

    description: str | None
    terms: dict[str, Value]
    valid_until: str | None
    basis: Basis
    confidence: str
    recorded_at: str
    event: str


@dataclass(frozen=True)
class Batna(Row):
    """The best alternative; the last entry is the current one."""

    TABLE: ClassVar[str] = "batnas"
    review_state: str
    entries: tuple[BatnaEntry, ...]

    @property
    def key(self) -> str:
        return "batna"

    @property
    def is_retired(self) -> bool:
        return self.current.description is None

    @property
    def current(self) -> BatnaEntry:
        return self.entries[-1]


@dataclass(frozen=True)
class Revision:
    """One value of a criterion. Several values belong to ONE_OF; no new ones mean that it was retired."""

    revision: int
    previous: tuple[Value, ...] | None
    new: tuple[Value, ...] | None
    evidence: tuple[str, ...]
    reason: str | None
    decision: str
    recorded_at: str
    order: int


@dataclass(frozen=True)
class Criterion(Row):
    """A pre-commitment; `values` are those of the last revision that had any."""

    TABLE: ClassVar[str] = "criteria"
    ref: str
    order: int
    label: str
    issue: str | None
    fact: str | None
    comparator: str
    values: tuple[Value, ...]
    mandatory: bool
    retired: bool
    revisions: tuple[Revision, ...]


@dataclass(frozen=True)
class Concession(Row):
    """A ledger row. `granted` orders the grants; it is None before there was one."""

    TABLE: ClassVar[str] = "concessions"
    ref: str
    order: int
    side: str
    issue: str
    from_value: Value
    to_value: Value
    state: str
    in_exchange_for: tuple[str, ...]
    proposal: str | None
    condition: str | None
    locator: str | None
    event: str
    entries: tuple[StatusEntry, ...]
    granted: int | None = None
    corrected_by: str | None = None


@dataclass(frozen=True)
class Review(Row):
    """A deal review; immutable, whatever is decided later."""

    TABLE: ClassVar[str] = "reviews"
    ref: str
    order: int
    proposal: str
    state_version: int
    seq: int
    results: dict[str, str]
    result: str
    manual: Any
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Override(Row):
    TABLE: ClassVar[str] = "overrides"
    ref: str
    order: int
    review: str
    decision: str
    reason: str
