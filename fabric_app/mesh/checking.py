"""What `manage.py check_state` proves, kind by kind: each app registers the kinds of things whose state it keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection

from fabric_app.mesh import triggers


@dataclass(frozen=True)
class BadRow:
    """A row that is not what it has to be: its table, its name there, and what is wrong with it."""

    table: str
    row: str
    problem: str

    def __str__(self) -> str:
        return f"{self.table} {self.row}: {self.problem}"


@dataclass(frozen=True)
class StateCheck:
    """One kind of things with a log. `names` lists them; `check` and `repair` (of its projection) take one name."""

    name: str
    names: Callable[[], list[str]]
    check: Callable[[str], list[BadRow]]
    repair: Callable[[str], None]


_checks: dict[str, StateCheck] = {}


def register(check: StateCheck) -> None:
    """Let `check_state` prove this kind as well; called when its app is ready."""
    _checks[check.name] = check


def registered() -> list[StateCheck]:
    return list(_checks.values())


def check_database() -> list[BadRow]:
    """Return a bad row for each append-only trigger that is not there."""
    return [BadRow("trigger", name, "is missing") for name in triggers.missing_triggers(connection)]
