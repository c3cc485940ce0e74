"""The digest vectors: canonical forms byte for byte, and the two digests of a verification."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fabric_app.protocol.digests import canonical, evidence_digest, result_digest
from fabric_app.protocol.records import TransitionRecord

OWN_VECTORS = Path(__file__).resolve().parents[1] / "vectors"
VECTORS = Path(os.environ.get("STATEHOUSE_VECTORS") or OWN_VECTORS)


def cases() -> list[dict[str, Any]]:
    """Return the cases; another set of vectors may lack the file."""
    file = VECTORS / "fabric" / "digests.json"
    if not file.exists() and VECTORS != OWN_VECTORS:
        return []
    told: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return told


CASES = cases()


def target(value: dict[str, Any]) -> TransitionRecord:
    return TransitionRecord(
        transition_id=value["transitionId"],
        sequence=1,
        label=value["label"],
        to=value["to"],
        evidence=tuple(value.get("evidence", ())),
    )


@pytest.mark.parametrize("case", CASES, ids=[f"fabric-digests-{case['name']}" for case in CASES])
def test_digests_are_those_of_the_canonical_forms(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    targets = [target(value) for value in given["targets"]]
    result_form = canonical({"results": given["results"], "failures": given["failures"]})

    assert evidence_digest(targets) == expected["evidenceDigest"]
    assert result_digest(given["results"], given["failures"]) == expected["resultDigest"]
    if "resultCanonical" in expected:
        assert result_form.decode("utf-8") == expected["resultCanonical"]
