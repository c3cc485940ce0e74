"""Corrections of a refused commit's draft: all patches or none."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.retry_patches import RetryPatchInvalid, patched
from sessions_app.protocol.values import same
from tests.conformance.rp_state_vectors import cases


def answer(given: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"ok": True, "draft": patched(given["draft"], given["patches"], DEFAULT_LIMITS)}
    except RetryPatchInvalid as refused:
        return {"ok": False, "error": refused.code}


@pytest.mark.parametrize("case", cases("retry-patches"))
def test_patches_lead_to_the_draft_that_is_told(case: dict[str, Any]) -> None:
    given = copy.deepcopy(case["input"])

    found = answer(case["input"])

    assert same(found, case["expected"]), found
    assert same(case["input"], given)
