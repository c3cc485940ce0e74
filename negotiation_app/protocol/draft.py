"""One write in the making: the state so far, the rows that led there, and what it did and why.

Operations put rows and say which fields changed; what follows from that (contradictions, recomputation, staleness,
notification, version) is worked out once, at the end. Source: canonical negotiation state, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.event_types import EventType
from negotiation_app.protocol.names import Step
from negotiation_app.protocol.requests import Context
from negotiation_app.protocol.rows import Row
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.times import stamp


@dataclass
class Source:
    """Where the event came from."""

    ref: str
    type: EventType
    occurred_at: str
    party: str | None = None
    locator: str | None = None
    text: str | None = None
    reason: str | None = None


@dataclass
class Effects:
    """What an operation did so far; kept apart so that one operation of a patch can be taken back."""

    state: Negotiation
    rows: list[Row] = field(default_factory=list)
    # Changed fields, in order; and of those the ones that dependents look at: True asks for review, not just staleness.
    fields: dict[str, None] = field(default_factory=dict)
    moved: dict[str, bool] = field(default_factory=dict)
    # Slots whose working view may differ; True where a correction or a dispute is behind it.
    slots: dict[str, bool] = field(default_factory=dict)
    # Propositions to compare with their slot, and contradictions to look at again.
    newly_known: list[str] = field(default_factory=list)
    shaken: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[tuple[Step, str]] = field(default_factory=list)
    # What was brought forward, for the notification.
    evidence: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def copy(self) -> Effects:
        return Effects(
            self.state,
            list(self.rows),
            dict(self.fields),
            dict(self.moved),
            dict(self.slots),
            list(self.newly_known),
            list(self.shaken),
            list(self.opened),
            list(self.warnings),
            list(self.notes),
            list(self.evidence),
            list(self.reasons),
        )


class Draft:
    """A write on top of `before`. Nothing of it counts until it is finished."""

    def __init__(self, before: Negotiation, context: Context, source: Source, surface: Mapping[str, str]) -> None:
        self.before = before
        self.context = context
        self.source = source
        self.surface = surface
        self.done = Effects(before)
        self.extra: dict[str, Any] = {}

    @property
    def state(self) -> Negotiation:
        return self.done.state

    @property
    def now(self) -> datetime:
        return self.context.at

    @property
    def at(self) -> str:
        return stamp(self.context.at)

    @property
    def order(self) -> int:
        """The place of the next row in the order of recording."""
        return self.state.made

    def put(self, row: Row) -> None:
        self.done.state = self.done.state.with_row(row)
        self.done.rows.append(row)

    def change(self, path: str) -> None:
        """Say that a field changed in a way that its dependents need not care about."""
        self.done.fields[path] = None

    def move(self, path: str, *, review: bool = False) -> None:
        """Say that a field changed in value, status, effectiveness or dispute."""
        self.change(path)
        self.done.moved[path] = self.done.moved.get(path, False) or review

    def touch(self, slot: str, *, review: bool = False) -> None:
        """Say that a slot has to be looked at again."""
        self.change(paths.fact(slot))
        self.done.slots[slot] = self.done.slots.get(slot, False) or review

    def note(self, step: Step, what: str) -> None:
        self.done.notes.append((step, what))

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Take back everything done inside if it ends in an error."""
        kept = self.done.copy()
        try:
            yield
        except Exception:
            self.done = kept
            raise
