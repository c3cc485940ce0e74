"""What plays a scenario: a negotiation that takes steps and shows its state, in memory or behind the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Reply:
    """What came back for a step: an answer, or a refusal with its code, status and details."""

    answer: dict[str, Any] | None = None
    code: str | None = None
    http: int | None = None
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        return "accepted" if self.code is None else "rejected"

    def says(self, name: str) -> Any:
        """Return a member of the answer, or of the refusal's details."""
        return (self.answer or self.details).get(name)


class Player(Protocol):
    """A negotiation, and the accounts that take part in it."""

    def open(self, given: dict[str, Any]) -> None:
        """Create the negotiation of a scenario."""

    def play(self, step: dict[str, Any]) -> Reply:
        """Carry out one step as its actor, at its time."""

    def version(self) -> int:
        """Return the current state version."""

    def mark(self) -> object:
        """Return what is another value after anything was stored."""

    def state(self, at: str, version: int | None = None) -> dict[str, Any]:
        """Return the state document, with `at` as the clock; of an earlier version where one is named."""

    def check(self) -> None:
        """Fail where what is stored does not follow from the log."""
