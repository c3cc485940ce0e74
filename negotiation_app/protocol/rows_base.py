"""What all rows have, and what several of them are made of. Source: section 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Row:
    """Base: `TABLE` is the kind, `key` the place in its table."""

    TABLE: ClassVar[str]

    @property
    def key(self) -> str:
        return self.ref  # type: ignore[attr-defined, no-any-return]


@dataclass(frozen=True)
class Basis:
    """What a protected position or a rate rests on."""

    reason: str
    evidence: tuple[str, ...] = ()
    propositions: tuple[str, ...] = ()
    decision: str | None = None


@dataclass(frozen=True)
class StatusEntry:
    """One appended status of a proposal or a concession."""

    status: str
    reason: str | None
    at: str
    event: str
