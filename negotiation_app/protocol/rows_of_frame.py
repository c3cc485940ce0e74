"""The frame of a negotiation: itself, its parties, issues, attributes and rates. Source: sections 3 and 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from negotiation_app.protocol.rows_base import Basis, Row


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
