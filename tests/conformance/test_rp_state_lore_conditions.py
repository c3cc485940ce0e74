"""Gates of world-book entries: open or closed by the state, and what is said where they cannot be decided."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.values import normalised
from sessions_app.protocol.world_book import gate_of
from tests.conformance.rp_state_vectors import cases


def answer(entry: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    condition = entry.get("stateCondition")
    if condition in (None, ""):
        return {"gated": False}
    gate = gate_of(condition, state)
    told = [{"reason": found.reason.value, "code": found.code} for found in gate.diagnostics]
    return {"gated": True, "active": gate.active, "diagnostics": [_present(each) for each in told]}


def _present(diagnostic: dict[str, str | None]) -> dict[str, str | None]:
    return {name: value for name, value in diagnostic.items() if value is not None}


@pytest.mark.parametrize("case", cases("lore-conditions"))
def test_entries_are_gated_as_told(case: dict[str, Any]) -> None:
    state = {namespace: normalised(value, DEFAULT_LIMITS) for namespace, value in case["input"]["state"].items()}

    found = {"entries": [answer(entry, state) for entry in case["input"]["entries"]]}

    assert found == case["expected"], found
