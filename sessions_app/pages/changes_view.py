"""What an act did or would do to the state, as pages print it: namespace by namespace, path by path, cut to size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sessions_app.pages.printing import Text, cut, inline

Json = dict[str, Any]
# What the rows of one page may weigh, and what each does beside its texts.
ROOM_BYTES, ROW_BYTES = 60_000, 300
TEXT_CHARS = 240


@dataclass(frozen=True)
class Row:
    """One place: what was there and what is, None where there was or is nothing."""

    path: str
    before: Text | None
    after: Text | None
    rule: str = ""
    reason: str = ""

    @property
    def size_bytes(self) -> int:
        texts = (self.path, self.rule, self.reason, *(each.shown for each in (self.before, self.after) if each))
        return ROW_BYTES + sum(len(text.encode("utf-8", "replace")) for text in texts)


@dataclass(frozen=True)
class Group:
    """What is different in one namespace; `words` say what happened to it, `left` how many places are not shown."""

    namespace: str
    words: str
    rows: tuple[Row, ...]
    left: int = 0
    notes: tuple[str, ...] = ()


def groups_of(differences: Iterable[Json]) -> list[Group]:
    """Return the items of `namespace_differences` as groups; together they keep to what a page can bear."""
    room = [ROOM_BYTES]
    return [_group(each, room) for each in differences]


def changed_rows(changed: Iterable[Json]) -> list[Row]:
    """Return the `changed` of a commit as rows, with rule and reason, as many as a page can bear."""
    return _rows(changed, [ROOM_BYTES])


def _group(difference: Json, room: list[int]) -> Group:
    values = difference["values"]
    notes = []
    if difference.get("definition"):
        notes.append("The definition is another.")
    if difference.get("initialValue"):
        notes.append("The initial value is another.")
    rows = _rows(values, room)
    return Group(difference["namespace"], _words(difference), tuple(rows), len(values) - len(rows), tuple(notes))


def _rows(told: Iterable[Json], room: list[int]) -> list[Row]:
    """Return rows as long as there is room for them; `room` is what is left, and is made less."""
    rows = []
    for each in told:
        if room[0] <= 0:
            break
        row = _row(each)
        room[0] -= row.size_bytes
        rows.append(row)
    return rows


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
        path=told["path"][:TEXT_CHARS] or "/",
        before=inline(told["before"], TEXT_CHARS) if "before" in told else None,
        after=inline(told["after"], TEXT_CHARS) if "after" in told else None,
        rule=told.get("ruleId") or "",
        reason=cut(told.get("reason") or "", TEXT_CHARS).shown,
    )
