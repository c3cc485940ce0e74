"""Restricted schemas: which are refused, their normal form, and which values fit."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.protocol.errors import SchemaInvalid, ValueInvalid
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.schema import compiled, fitting, normalised_schema
from sessions_app.protocol.values import same
from tests.conformance.rp_state_vectors import cases


def answer(given: dict[str, Any]) -> dict[str, Any]:
    try:
        schema = normalised_schema(given["schema"], DEFAULT_LIMITS)
        if given["op"] == "schema":
            return {"ok": True, "schema": schema}
        fitting(given["value"], compiled(schema), DEFAULT_LIMITS)
    except (SchemaInvalid, ValueInvalid) as error:
        return {"ok": False, "error": error.code, "path": error.problems[0].path}
    return {"ok": True}


@pytest.mark.parametrize("case", cases("schemas"))
def test_a_schema_or_value_is_answered_as_told(case: dict[str, Any]) -> None:
    expected = case["expected"]

    found = answer(case["input"])

    # A case that names no path leaves it open.
    told = {name: found[name] for name in found if name != "path" or "path" in expected}
    assert same(told, expected), found
