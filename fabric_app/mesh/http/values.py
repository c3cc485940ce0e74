"""Plain values that templates print: times, states, people, controls of forms. Built here, decided nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from fabric_app.mesh.clock import from_ms

LAST_MS = 253_402_300_799_000
TENTHS_BELOW_SECONDS = 10
KIB = 1024


@dataclass(frozen=True)
class Moment:
    """A time: for machines, exact for people, and short."""

    iso: str
    exact: str
    short: str
    ms: int


@dataclass(frozen=True)
class State:
    """A state as it is shown: a word, a look (colour) and a shape, never a colour alone."""

    word: str
    look: str
    shape: str


@dataclass(frozen=True)
class Who:
    """Who did something."""

    id: str
    name: str
    is_agent: bool = False


@dataclass(frozen=True)
class Field:
    """One control of a form, with what was typed and what is wrong with it."""

    name: str
    label: str
    value: Any = ""
    kind: str = "text"
    help: str = ""
    required: bool = False
    is_machine: bool = False
    rows: int = 3
    choices: tuple[tuple[str, str], ...] = ()
    errors: tuple[str, ...] = ()
    autocomplete: str = ""

    @property
    def id(self) -> str:
        return f"field-{self.name}"


@dataclass(frozen=True)
class Pager:
    """Addresses of the pages beside this one; empty where there is none."""

    newer: str = ""
    older: str = ""


@dataclass(frozen=True)
class Line:
    """One line of an audit trail."""

    at: Moment | None
    actor: Who
    kind: str
    name: str
    state: State
    reason: str = ""
    address: str = ""
    workspace: str = ""
    workspace_address: str = ""


@dataclass(frozen=True)
class Need:
    """One thing that needs a person: what, where, and what would help."""

    state: State
    title: str
    address: str
    detail: str
    at: Moment | None = None


@dataclass(frozen=True)
class Tab:
    """One tab of a workspace."""

    word: str
    address: str
    is_here: bool


@dataclass(frozen=True)
class Problem:
    """Why something was refused, in the words of the API."""

    sentence: str
    code: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


GOOD, WAIT, BAD, BUSY, IDLE, HALT = "good", "wait", "bad", "busy", "idle", "halt"


def moment(at: datetime | None) -> Moment | None:
    """Return an aware datetime as templates print it, or None."""
    if at is None:
        return None
    utc = at.astimezone(UTC)
    return Moment(
        iso=utc.isoformat(),
        exact=f"{utc:%Y-%m-%d %H:%M:%S}.{utc.microsecond // 1000:03d} UTC",
        short=f"{utc:%Y-%m-%d %H:%M:%S} UTC",
        ms=int(utc.timestamp() * 1000),
    )


def moment_of_ms(milliseconds: Any) -> Moment | None:
    """Return milliseconds since 1970 as templates print them; None where the value is no time."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    if not 0 <= milliseconds <= LAST_MS:
        return None
    return moment(from_ms(int(milliseconds)))


def who(actor: Any) -> Who:
    """Return the author of a log row; any JSON value is answered."""
    given = actor if isinstance(actor, dict) else {}
    return Who(
        id=str(given.get("id", "unknown")),
        name=str(given.get("name", "unknown")),
        is_agent=given.get("kind") == "agent",
    )


def span(seconds: float) -> str:
    """Return a length of time in words for people: 0.4 s, 12 s, 3 min 5 s, 2 h 4 min."""
    if seconds < TENTHS_BELOW_SECONDS:
        return f"{max(seconds, 0):.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {left} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def size(count: int) -> str:
    """Return a number of bytes for people: 512 B, 1.5 KiB, 3.2 MiB."""
    value, units = float(count), ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= KIB and len(units) > 1:
        value /= KIB
        units.pop(0)
    return f"{count} B" if units[0] == "B" else f"{value:.1f} {units[0]}"
