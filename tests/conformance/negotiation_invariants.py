"""What has to hold after every step of every scenario, whatever it expects. Source: the vectors' README, last part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

STEPS = [
    "SOURCE",
    "PROPOSITIONS",
    "STATUS",
    "CONTRADICTIONS",
    "RECONCILE",
    "APPLY",
    "VERSION",
    "HISTORY",
    "RECOMPUTE",
    "SURFACE",
]


def broken_by_answer(answer: dict[str, Any]) -> list[str]:
    """List what is wrong with the answer of an accepted write."""
    steps = answer.get("steps")
    if steps is None:
        return []
    names = [step["name"] for step in steps]
    said = all(isinstance(step["result"], str) and step["result"] for step in steps)
    return [] if names == STEPS and said else [f"the ten steps are {steps}"]


def broken_by_state(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """List what is wrong with a state, and with the way from the one before."""
    found = []
    history = after["history"]
    if [row["seq"] for row in history] != list(range(1, len(history) + 1)):
        found.append("history has gaps")
    if after["negotiation"]["stateVersion"] != sum(row["material"] for row in history):
        found.append("the version is not the number of material events")
    if history[: len(before["history"])] != before["history"]:
        found.append("history was rewritten")
    if after["ledger"][: len(before["ledger"])] != before["ledger"]:
        found.append("the ledger lost rows")
    found += _lost(before, after)
    return found


def _lost(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        f"{table}/{ref} was rewritten"
        for table, is_kept in _KEPT.items()
        for ref, row in before[table].items()
        if not is_kept(row, after[table][ref])
    ]


def _same(*names: str) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    return lambda row, now: all(now[name] == row[name] for name in names)


def _longer(name: str) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    return lambda row, now: now[name][: len(row[name])] == row[name]


def _filled_at_most(row: dict[str, Any], now: dict[str, Any]) -> bool:
    """A proposition says what it said; only a value that it lacked may be filled in."""
    names = ("value", "attribute", "subject", "asOf", "party", "origin")
    return all(now[name] == row[name] for name in names if row[name] is not None)


def _ledger_row(row: dict[str, Any], now: dict[str, Any]) -> bool:
    return _same("side", "issue", "from", "to")(row, now) and _longer("statusEvents")(row, now)


_KEPT: dict[str, Callable[[dict[str, Any], dict[str, Any]], bool]] = {
    "concessions": _ledger_row,
    "proposals": _same("side", "terms", "madeAt"),
    "criteria": _longer("revisions"),
    "reviews": _same("proposal", "results", "result"),
    "propositions": _filled_at_most,
    "evidence": _same("kind", "locator", "quote", "statedAs", "event"),
}
