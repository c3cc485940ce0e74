"""Conditions: which texts are some, and what they say of a state."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.protocol.condition import compile_condition
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.values import normalised
from tests.conformance.rp_state_vectors import cases


def answer(condition: Any, state: dict[str, Any]) -> dict[str, Any]:
    try:
        compiled = compile_condition(condition)
    except ConditionInvalid:
        return {"compiles": False}
    kept = {namespace: normalised(value, DEFAULT_LIMITS) for namespace, value in state.items()}
    outcome = compiled.evaluate(kept)
    codes = [outcome.diagnostic.code] if outcome.diagnostic else []
    return {"compiles": True, "value": outcome.active, "diagnostics": codes}


@pytest.mark.parametrize("case", cases("conditions"))
def test_a_condition_is_answered_as_told(case: dict[str, Any]) -> None:
    found = answer(case["input"]["condition"], case["input"]["state"])

    assert found == case["expected"], found
