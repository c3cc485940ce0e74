"""The state of a negotiation: persistent tables of rows, and indexes over them, so that one event costs little.

`with_row` is the only way to another state. It shares everything that the row does not concern, and keeps the
indexes; a state therefore follows from its rows alone, in whatever order they come, and `rows()` gives them all.

Source: canonical negotiation state, sections 3 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from rpds import HashTrieMap, HashTrieSet

from negotiation_app.protocol import paths
from negotiation_app.protocol.indexes import indexed
from negotiation_app.protocol.names import BoundaryKind
from negotiation_app.protocol.rows import (
    Attribute,
    Batna,
    Boundary,
    Concession,
    Contradiction,
    Criterion,
    Decision,
    Evidence,
    Finding,
    Frame,
    HistoryEvent,
    Issue,
    Judgement,
    Notification,
    Offer,
    Override,
    Party,
    PatchRow,
    Proposal,
    Proposition,
    RateRow,
    Review,
    Row,
    Simulation,
)

R = TypeVar("R", bound=Row)
Refs = tuple[str, ...]
if TYPE_CHECKING:
    Table = HashTrieMap[str, R]


def _empty() -> Any:
    return HashTrieMap()


@dataclass(frozen=True)
class Negotiation:
    """One aggregate; treat it as frozen through and through."""

    frame: Table[Frame] = field(default_factory=_empty)
    parties: Table[Party] = field(default_factory=_empty)
    issues: Table[Issue] = field(default_factory=_empty)
    attributes: Table[Attribute] = field(default_factory=_empty)
    rates: Table[RateRow] = field(default_factory=_empty)
    evidence: Table[Evidence] = field(default_factory=_empty)
    propositions: Table[Proposition] = field(default_factory=_empty)
    contradictions: Table[Contradiction] = field(default_factory=_empty)
    proposals: Table[Proposal] = field(default_factory=_empty)
    offers: Table[Offer] = field(default_factory=_empty)
    boundaries: Table[Boundary] = field(default_factory=_empty)
    batnas: Table[Batna] = field(default_factory=_empty)
    criteria: Table[Criterion] = field(default_factory=_empty)
    concessions: Table[Concession] = field(default_factory=_empty)
    reviews: Table[Review] = field(default_factory=_empty)
    overrides: Table[Override] = field(default_factory=_empty)
    judgements: Table[Judgement] = field(default_factory=_empty)
    patches: Table[PatchRow] = field(default_factory=_empty)
    simulations: Table[Simulation] = field(default_factory=_empty)
    findings: Table[Finding] = field(default_factory=_empty)
    decisions: Table[Decision] = field(default_factory=_empty)
    notifications: Table[Notification] = field(default_factory=_empty)
    history: Table[HistoryEvent] = field(default_factory=_empty)

    # How many rows were ever made, which gives each its place in the order of recording.
    made: int = 0
    version: int = 0
    strategy: str | None = None
    # slot -> propositions in order of recording
    slots: HashTrieMap[str, Refs] = field(default_factory=_empty)
    # path -> what depends on it, as paths; may name what does not depend on it any more
    dependents: HashTrieMap[str, HashTrieSet[str]] = field(default_factory=_empty)
    # proposition -> open contradictions that it is in
    disputes: HashTrieMap[str, Refs] = field(default_factory=_empty)
    # "a b" -> the contradiction whose resolution lets the two stand side by side
    exempt: HashTrieMap[str, str] = field(default_factory=_empty)
    # side -> its proposals by the time they were made, without those recorded in error
    by_side: HashTrieMap[str, tuple[Proposal, ...]] = field(default_factory=_empty)
    # event ref -> sequence number; version -> sequence number of the event that made it
    event_seqs: HashTrieMap[str, int] = field(default_factory=_empty)
    version_seqs: HashTrieMap[int, int] = field(default_factory=_empty)
    # path -> version of its last change; and the same for everything at or below a path
    changed_at: HashTrieMap[str, int] = field(default_factory=_empty)
    changed_below: HashTrieMap[str, int] = field(default_factory=_empty)

    @property
    def own(self) -> Frame:
        return self.frame["frame"]

    @property
    def seq(self) -> int:
        return len(self.history)

    @property
    def batna(self) -> Batna | None:
        """The BATNA in force."""
        row = self.batnas.get("batna")
        return None if row is None or row.is_retired else row

    def boundary(self, issue: str, kind: BoundaryKind) -> Boundary | None:
        """Return the target or floor in force."""
        row = self.boundaries.get(f"{issue}/{kind}")
        return None if row is None or row.is_retired else row

    def current_offer(self, side: str) -> Proposal | None:
        offer = self.offers.get(side)
        return self.proposals[offer.proposal] if offer is not None and offer.proposal is not None else None

    def event(self, ref: str) -> HistoryEvent:
        return self.history[str(self.event_seqs[ref])]

    def in_slot(self, slot: str) -> Iterator[Proposition]:
        return (self.propositions[ref] for ref in self.slots.get(slot, ()))

    def is_disputed(self, ref: str) -> bool:
        return ref in self.disputes

    def is_multi_valued(self, slot: str) -> bool:
        _, _, name = slot.partition("/")
        attribute = self.attributes.get(name)
        return attribute is not None and attribute.multi_valued

    def changed_since(self, path: str, version: int) -> bool:
        """Tell whether the path, or what covers it or lies below it, changed after `version`."""
        if self.changed_below.get(path, 0) > version:
            return True
        return any(self.changed_at.get(above, 0) > version for above in paths.upwards(path))

    def fields_changed_since(self, version: int, within: Iterable[str] | None = None) -> list[str]:
        """List the fields that changed after `version`, in order; of `within` where that is given."""
        wanted = None if within is None else tuple(within)
        found: dict[str, None] = {}
        for each in range(version + 1, self.version + 1):
            for change in self.history[str(self.version_seqs[each])].changes:
                path = change["field"]
                if wanted is None or any(paths.meet(path, want) for want in wanted):
                    found[path] = None
        return list(found)

    def with_row(self, row: Row) -> Negotiation:
        """Return the state in which `row` stands at its key."""
        table = getattr(self, row.TABLE)
        updates: dict[str, Any] = {row.TABLE: table.insert(row.key, row)}
        if row.key not in table:
            updates["made"] = self.made + 1
        return replace(self, **updates, **indexed(self, row))

    def rows(self) -> Iterator[Row]:
        """Yield every current row."""
        for name in TABLES:
            yield from getattr(self, name).values()


TABLES = (
    "frame",
    "parties",
    "issues",
    "attributes",
    "rates",
    "evidence",
    "propositions",
    "contradictions",
    "proposals",
    "offers",
    "boundaries",
    "batnas",
    "criteria",
    "concessions",
    "reviews",
    "overrides",
    "judgements",
    "patches",
    "simulations",
    "findings",
    "decisions",
    "notifications",
    "history",
)


def from_rows(rows: Iterable[Row]) -> Negotiation:
    """Return the state that consists of these current rows, as they were stored."""
    state = Negotiation()
    for row in sorted(rows, key=_stored_order):
        state = state.with_row(row)
    return state


def in_order(table: Table[R]) -> list[R]:
    """List a table's rows in order of recording."""
    return sorted(table.values(), key=lambda row: row.order)  # type: ignore[attr-defined]


def issue_refs(state: Negotiation) -> list[str]:
    """List the refs of the issues in order of recording: what follows from them reads the same in every process."""
    return [row.ref for row in in_order(state.issues)]


def _stored_order(row: Row) -> tuple[int, int]:
    return TABLES.index(row.TABLE), getattr(row, "order", getattr(row, "seq", 0))
