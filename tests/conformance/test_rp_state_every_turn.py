"""One commit over fresh namespaces: which rules it should have followed and did not."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.commit import commit
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import Namespace, Projection
from tests.conformance.rp_state_vectors import cases

SHORT = ("code", "ruleId", "path")


def fresh(namespaces: dict[str, Any]) -> Projection:
    return Projection(
        1,
        {
            name: Namespace.new(definition_of(given["definition"], DEFAULT_LIMITS), given["value"])
            for name, given in namespaces.items()
        },
    )


def answer(given: dict[str, Any]) -> dict[str, Any]:
    before = fresh(given["namespaces"])
    try:
        committed = commit(before, given["effects"], DEFAULT_LIMITS)
    except CommitRefused as refused:
        return {"ok": False, "error": refused.code}
    namespaces = committed.projection.namespaces
    return {
        "ok": True,
        "diagnostics": [
            {name: value for name, value in each.items() if name != "message"} for each in committed.diagnostics
        ],
        "lastCommit": {
            name: [{part: each[part] for part in SHORT} for each in namespace.last_commit]
            for name, namespace in namespaces.items()
        },
        "revisionBumped": committed.projection.revision != before.revision,
        "namespaceRevisions": {name: namespace.revision for name, namespace in namespaces.items()},
    }


@pytest.mark.parametrize("case", cases("every-turn"))
def test_a_commit_leaves_the_diagnostics_that_are_told(case: dict[str, Any]) -> None:
    assert answer(case["input"]) == case["expected"]
