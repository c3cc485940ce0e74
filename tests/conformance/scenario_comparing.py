"""Which parts of a case are compared: all of it, or what its tags leave binding."""

from __future__ import annotations

from typing import Any

from tests.conformance.scenario_matching import Matching, Mismatch

Returned = dict[str, Any]
VERSIONS = frozenset({"version"})
RECENT_TRANSITIONS = 20


def compare(case: dict[str, Any], *, returns: list[Returned], events: list[Any], keys: list[Any]) -> None:
    """Raise Mismatch where the server's answers are not those of the case."""
    tags, expected = set(case.get("tags", ())), case["expected"]
    if len(returns) != len(expected["returns"]):
        raise Mismatch(f"{len(returns)} returns instead of {len(expected['returns'])}")
    steps = [step["op"] for step in case["input"]["steps"]]
    matching = Matching(ignored=VERSIONS if "fault-injection" in tags else frozenset())
    for index, (op, wanted, found) in enumerate(zip(steps, expected["returns"], returns, strict=True)):
        path = f"{case['name']}/returns/{index}"
        if "window" in tags:
            _compare_in_window(matching, op, wanted, found, path)
        else:
            recorded = sum(op in ("transition", "raw.publish") for op in steps[:index])
            _compare_step(matching, wanted, found, path, recorded=recorded)
    if "window" in tags:
        return
    matching.match(expected["keys"], keys, f"{case['name']}/keys")
    if "fault-injection" not in tags:
        matching.match(_with_data(expected["events"]), events, f"{case['name']}/events")


def _compare_step(matching: Matching, wanted: Returned, found: Returned, path: str, *, recorded: int) -> None:
    if recorded > RECENT_TRANSITIONS:
        wanted = _with_our_recent_labels(wanted, found)
    matching.match(_without_null_data(wanted), found, path)


def _compare_in_window(matching: Matching, op: str, wanted: Returned, found: Returned, path: str) -> None:
    if "error" in wanted:
        if wanted["error"]["code"] != found.get("error", {}).get("code"):
            raise Mismatch(f"{path}: {found} instead of {wanted}")
    elif "error" in found:
        raise Mismatch(f"{path}: {found} instead of an answer")
    elif op == "get":
        parts = ("head", "certification")
        shown = {name: found["ok"][name] for name in parts}
        current = {"head": wanted["ok"]["head"], "certification": {"current": wanted["ok"]["certification"]["current"]}}
        shown["certification"] = {"current": shown["certification"]["current"]}
        matching.match(current, shown, path)


def _with_our_recent_labels(wanted: Returned, found: Returned) -> Returned:
    """See RECENT_LABELS in the list of what is left out."""
    state, shown = wanted.get("ok"), found.get("ok")
    if not isinstance(state, dict) or not isinstance(shown, dict) or "recentLabels" not in state:
        return wanted
    return {"ok": {**state, "recentLabels": shown.get("recentLabels")}}


def _without_null_data(wanted: Returned) -> Returned:
    """See NULL_DATA in the list of what is left out."""
    event = wanted.get("ok")
    if isinstance(event, dict) and "topic" in event and event.get("data", 0) is None:
        return {"ok": {name: value for name, value in event.items() if name != "data"}}
    return wanted


def _with_data(events: list[Any]) -> list[Any]:
    return [{"data": None, **event} for event in events]
