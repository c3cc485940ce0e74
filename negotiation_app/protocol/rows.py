"""What a negotiation consists of: frozen rows, each under a key in the table of its kind.

A row is never edited; a newer one takes its place in the current state, and the log keeps both. Protected history
(boundaries, BATNAs, criteria, concessions) carries its earlier entries in the row itself. Times are texts as they were
stated or recorded. Source: canonical negotiation state, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from negotiation_app.protocol.names import Certainty, Lifecycle, ReviewState
from negotiation_app.protocol.values import Value


@dataclass(frozen=True)
class Row:
    """Base: `TABLE` is the kind, `key` the place in its table."""

    TABLE: ClassVar[str]

    @property
    def key(self) -> str:
        return self.ref  # type: ignore[attr-defined, no-any-return]


@dataclass(frozen=True)
class Frame(Row):
    """What the negotiation as a whole is; there is one."""

    TABLE: ClassVar[str] = "frame"
    ref: str
    title: str
    mode: str
    status: str
    expected_to_continue: bool
    counterpart: str
    deadline: str | None
    # Sequence numbers of the events that last changed the status, and that last reopened; 0 where none did.
    status_seq: int = 0
    reopened_seq: int = 0

    @property
    def key(self) -> str:
        return "frame"


@dataclass(frozen=True)
class Party(Row):
    TABLE: ClassVar[str] = "parties"
    ref: str
    order: int
    name: str
    side: str


@dataclass(frozen=True)
class Issue(Row):
    """`options` are best first; they belong to texts."""

    TABLE: ClassVar[str] = "issues"
    ref: str
    order: int
    label: str
    type: str
    direction: str
    options: tuple[str, ...] = ()
    weight: str | None = None


@dataclass(frozen=True)
class Attribute(Row):
    """`ref` is the name in normal form."""

    TABLE: ClassVar[str] = "attributes"
    ref: str
    order: int
    name: str
    multi_valued: bool


@dataclass(frozen=True)
class Basis:
    """What a protected position or a rate rests on."""

    reason: str
    evidence: tuple[str, ...] = ()
    propositions: tuple[str, ...] = ()
    decision: str | None = None


@dataclass(frozen=True)
class RateRow(Row):
    """1 `base` = `rate` `quote`."""

    TABLE: ClassVar[str] = "rates"
    order: int
    base: str
    quote: str
    rate: str
    as_of: str
    basis: Basis

    @property
    def key(self) -> str:
        return f"{self.base}/{self.quote}/{self.order}"


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


@dataclass(frozen=True)
class StatusEntry:
    """One appended status of a proposal or a concession."""

    status: str
    reason: str | None
    at: str
    event: str


@dataclass(frozen=True)
class Proposal(Row):
    """A whole package: `terms` has the taken-over ones too."""

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


@dataclass(frozen=True)
class Offer(Row):
    """The pointer to a side's current proposal; empty once that was withdrawn or expired."""

    TABLE: ClassVar[str] = "offers"
    ref: str
    proposal: str | None
    reconfirm: bool
    newest_made_at: str


@dataclass(frozen=True)
class BoundaryEntry:
    value: Value
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
    def value(self) -> Value:
        return self.entries[-1].value

    @property
    def basis(self) -> Basis:
        return self.entries[-1].basis


@dataclass(frozen=True)
class BatnaEntry:
    description: str
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


ROWS: tuple[type[Row], ...] = (
    Frame,
    Party,
    Issue,
    Attribute,
    RateRow,
    Evidence,
    Proposition,
    Contradiction,
    Proposal,
    Offer,
    Boundary,
    Batna,
    Criterion,
    Concession,
    Review,
    Override,
    Judgement,
    PatchRow,
    Simulation,
    Finding,
    Decision,
    Notification,
    HistoryEvent,
)
