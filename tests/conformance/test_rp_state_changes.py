"""One `state.update` on one namespace: what it leads to, or every issue with its place."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from sessions_app.protocol.change_errors import CommitRefused, Issue
from sessions_app.protocol.commit import commit
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import Namespace, Projection
from sessions_app.protocol.values import likeness, normalised, same
from tests.conformance.rp_state_vectors import cases

OPEN = {"title": "other", "updateMode": "schema-only", "schema": {}, "rules": []}
EFFECT = "/effects/0"


def namespace(definition: Any, value: Any, revision: int) -> Namespace:
    kept = normalised(value, DEFAULT_LIMITS)
    return replace(Namespace.new(definition_of(definition, DEFAULT_LIMITS), kept), revision=revision)


def projection(given: dict[str, Any]) -> Projection:
    others = {name: namespace(OPEN, value, 1) for name, value in given.get("others", {}).items()}
    own = namespace(given["definition"], given["value"], given["revision"])
    return Projection(1, {given["namespace"]: own, **others})


def answer(before: Projection, name: str, effect: dict[str, Any]) -> dict[str, Any]:
    try:
        committed = commit(before, [effect], DEFAULT_LIMITS)
    except CommitRefused as refused:
        return {"ok": False, "code": refused.code, "issues": in_any_order([told(issue) for issue in refused.issues])}
    after = committed.projection.namespaces[name]
    changes = [change.as_json() for change in committed.effects[0].changes]
    return {"ok": True, "changes": changes, "value": after.value, "revision": after.revision}


def told(issue: Issue) -> dict[str, Any]:
    assert issue.path.startswith(EFFECT)
    path = issue.path.removeprefix(EFFECT)
    return {"code": issue.code.value, "path": path, "changeIndex": issue.change_index, "ruleId": issue.rule_id}


def in_any_order(issues: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(issues, key=likeness)


@pytest.mark.parametrize("case", cases("changes"))
def test_changes_lead_to_what_is_told(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    name, before = given["namespace"], projection(given)
    effect = {
        "kind": "state.update",
        "namespace": name,
        "expectedRevision": given["revision"],
        "payload": {"changes": given["changes"]},
    }
    sent, untouched = copy.deepcopy(effect), copy.deepcopy(before.as_json())

    found = answer(before, name, effect)

    if "issues" in expected:
        expected = expected | {"issues": in_any_order(expected["issues"])}
    assert same(found, expected), found
    assert repr(effect) == repr(sent)
    assert before.as_json() == untouched
