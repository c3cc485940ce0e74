"""Comparing what a step did with what its scenario expects, member by member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.negotiation_player import Player, Reply

NOWHERE = object()


def compare(player: Player, step: dict[str, Any], reply: Reply, after: dict[str, Any]) -> list[str]:
    """List what differs from the step's expectations. `after` is the state document after the step."""
    expect = step["expect"]
    shown = Shown(player, step, reply, after)
    found = []
    for name, wanted in expect.items():
        differs = _COMPARE[name](shown, wanted)
        if differs is not None:
            found.append(f"{name}: expected {wanted!r}, {differs}")
    return found


class Shown:
    """A step's reply, and the state to look at: the one after it, or the earlier one that the step reads."""

    def __init__(self, player: Player, step: dict[str, Any], reply: Reply, after: dict[str, Any]) -> None:
        self.player, self.step, self.reply, self._after = player, step, reply, after

    @property
    def state(self) -> dict[str, Any]:
        read_version = self.step["body"].get("version") if self.step["op"] == "read_state" else None
        return self._after if read_version is None else self.player.state(self.step["at"], read_version)


def at(document: Any, pointer: str) -> Any:
    """Return what a JSON Pointer leads to, NOWHERE where it leads to nothing."""
    found = document
    for part in pointer.split("/")[1:]:
        segment = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and segment in found:
            found = found[segment]
        elif isinstance(found, list) and segment.isdecimal() and int(segment) < len(found):
            found = found[int(segment)]
        else:
            return NOWHERE
    return found


def alike(one: Any, other: Any) -> bool:
    """Compare as JSON: true is not 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def _equal(read: Callable[[Shown], Any]) -> Callable[[Shown, Any], str | None]:
    def compare_one(shown: Shown, wanted: Any) -> str | None:
        actual = read(shown)
        return None if alike(actual, wanted) else f"not {actual!r}"

    return compare_one


def _answer(name: str) -> Callable[[Shown, Any], str | None]:
    return _equal(lambda shown: shown.reply.says(name))


def _includes(name: str) -> Callable[[Shown, Any], str | None]:
    def compare_one(shown: Shown, wanted: list[str]) -> str | None:
        actual = shown.reply.says(name) or []
        missing = [each for each in wanted if each not in actual]
        return f"{missing} not in {actual}" if missing else None

    return compare_one


def _excludes(shown: Shown, unwanted: list[str]) -> str | None:
    found = [each for each in unwanted if each in shown.reply.says("recomputed")]
    return f"but {found} is there" if found else None


def _details(shown: Shown, wanted: dict[str, Any]) -> str | None:
    differing = {name: shown.reply.details.get(name) for name in wanted}
    return None if alike(differing, wanted) else f"not {differing}"


def _state(shown: Shown, wanted: dict[str, Any]) -> str | None:
    differing = {
        pointer: found for pointer, value in wanted.items() if not alike(found := at(shown.state, pointer), value)
    }
    return f"not {differing}" if differing else None


def _absent(shown: Shown, pointers: list[str]) -> str | None:
    found = [pointer for pointer in pointers if at(shown.state, pointer) is not NOWHERE]
    return f"but {found} is there" if found else None


def _triggers(shown: Shown) -> list[str]:
    return [trigger for each in shown.reply.says("notifications") for trigger in each["triggers"]]


_COMPARE: dict[str, Callable[[Shown, Any], str | None]] = {
    "outcome": _equal(lambda shown: shown.reply.outcome),
    "stateVersion": _equal(lambda shown: shown.player.version()),
    "code": _equal(lambda shown: shown.reply.code),
    "http": _equal(lambda shown: shown.reply.http),
    "details": _details,
    "changedFieldsInclude": _includes("changedFields"),
    "applicable": _answer("applicable"),
    "conflicting": _answer("conflicting"),
    "material": _answer("material"),
    "eventType": _equal(lambda shown: shown.reply.says("event")["type"]),
    "replayed": _answer("replayed"),
    "readVersion": _answer("readVersion"),
    "contradictionsOpened": _answer("contradictionsOpened"),
    "notifications": _equal(_triggers),
    "needsReview": lambda shown, wanted: _equal(lambda each: sorted(each.reply.says("needsReview")))(
        shown, sorted(wanted)
    ),
    "recomputedIncludes": _includes("recomputed"),
    "recomputedExcludes": _excludes,
    "warnings": _answer("warnings"),
    "artefact": _answer("artefact"),
    "reviewResult": _answer("reviewResult"),
    "patchStatus": _answer("patchStatus"),
    "operations": _answer("operations"),
    "ledger": _equal(lambda shown: shown.state["ledger"]),
    "state": _state,
    "absent": _absent,
}
