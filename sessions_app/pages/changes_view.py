"""What an act did or would do to the state, as pages print it: namespace by namespace, path by path, cut to size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sessions_app.pages.printing import Text, inline

Json = dict[str, Any]
SHOWN_PATHS = 100
NOTHING = Text("nothing")


@dataclass(frozen=True)
class Row:
    """One place: what was there and what is, None where there was or is nothing."""

    path: str
    before: Text | None
    after: Text | None
    rule: str = ""
    reason: str = ""
    op: str = ""


@dataclass(frozen=True)
class Group:
    """What is different in one namespace; `words` say what happened to it, `left` how many places are not shown."""

    namespace: str
    words: str
    rows: tuple[Row, ...]
    left: int = 0
    notes: tuple[str, ...] = ()


def groups_of(differences: Iterable[Json]) -> list[Group]:
    """Return the items of `namespace_differences` as groups."""
    return [_group(each) for each in differences]


def group_of_values(namespace: str, differences: Iterable[Json], words: str) -> Group:
    """Return the items of `value_differences` as a group."""
    found = list(differences)
    return Group(namespace, words, tuple(map(_row, found[:SHOWN_PATHS])), max(len(found) - SHOWN_PATHS, 0))


def changed_rows(changed: Iterable[Json]) -> list[Row]:
    """Return the `changed` of a commit as rows, with rule and reason."""
    return [_row(each) for each in list(changed)[:SHOWN_PATHS]]


def _group(difference: Json) -> Group:
    values = difference["values"]
    notes = []
    if difference.get("definition"):
        notes.append("The definition is another.")
    if difference.get("initialValue"):
        notes.append("The initial value is another.")
    return Group(
        namespace=difference["namespace"],
        words=_words(difference),
        rows=tuple(map(_row, values[:SHOWN_PATHS])),
        left=max(len(values) - SHOWN_PATHS, 0),
        notes=tuple(notes),
    )


def _words(difference: Json) -> str:
    revision = difference["revision"]
    if difference["change"] == "created":
        return f"comes into being at revision {revision['after']}"
    if difference["change"] == "removed":
        return f"goes away; it was at revision {revision['before']}"
    if revision["before"] == revision["after"]:
        return f"stays at revision {revision['after']}"
    return f"revision {revision['before']} → {revision['after']}"


def _row(told: Json) -> Row:
    return Row(
        path=told["path"] or "/",
        before=inline(told["before"]) if "before" in told else None,
        after=inline(told["after"]) if "after" in told else None,
        rule=told.get("ruleId") or "",
        reason=told.get("reason") or "",
        op=told.get("op") or "",
    )
