"""The cases of the bounded output, each printed by a real command."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from fabric_app.evidence.limits import RunLimits
from fabric_app.evidence.runner import CommandOutcome, EvidenceRun
from fabric_app.mesh.texts import cut_text
from fabric_app.protocol.bounds import EVENT_OUTPUT_BYTES

OWN_VECTORS = Path(__file__).resolve().parents[1] / "vectors"
VECTORS = Path(os.environ.get("STATEHOUSE_VECTORS") or OWN_VECTORS)
# Answers for ill-formed UTF-8 that lose valid text or misstate what was omitted.
NOT_BINDING = "quirk"


def cases() -> list[Any]:
    """Return one parameter a case; a set of vectors without this file has none."""
    file = VECTORS / "fabric" / "bounded_output.json"
    if not file.exists() and VECTORS != OWN_VECTORS:
        return []
    return [
        pytest.param(case, id=f"fabric-bounded_output-{case['name']}", marks=marks(case))
        for case in json.loads(file.read_text(encoding="utf-8"))
    ]


def marks(case: dict[str, Any]) -> list[pytest.MarkDecorator]:
    if NOT_BINDING in case.get("note", ""):
        return [pytest.mark.xfail(reason=f"not binding: {case['note']}", strict=False)]
    return []


def described(text: str, omitted: int, like: dict[str, Any]) -> dict[str, Any]:
    """Return what a case says of a text; a long one is described by its tail, `like` says which."""
    raw = text.encode()
    answer: dict[str, Any] = {
        "outputLength": len(raw),
        "outputSha256": hashlib.sha256(raw).hexdigest(),
        "outputOmittedBytes": omitted,
    }
    if "output" in like:
        answer["output"] = text
    if "outputTail" in like:
        answer["outputTail"] = text[-len(like["outputTail"]) :]
    return answer


def answer(outcome: CommandOutcome, expected: dict[str, Any]) -> dict[str, Any]:
    found = described(outcome.output, outcome.output_omitted_bytes, expected) | {
        "status": outcome.status,
        "exitCode": outcome.exit_code,
        "outputBytes": outcome.output_bytes,
        "outputDigest": outcome.output_digest,
    }
    if "event" in expected:
        text, cut = cut_text(outcome.output, EVENT_OUTPUT_BYTES)
        found["event"] = described(text, outcome.output_omitted_bytes + cut, expected["event"])
    return found


@pytest.mark.parametrize("case", cases())
def test_bounded_output_of_one_command(case: dict[str, Any], tmp_path: Path) -> None:
    given = case["input"]
    payload = b"".join(base64.b64decode(part) * times for part, times in given["payload"])
    (tmp_path / "payload").write_bytes(payload)

    with EvidenceRun(cwd=tmp_path, limits=RunLimits()) as run:
        outcome = run.run(f"cat payload; exit {given['exit']}", timeout_ms=30_000)

    assert answer(outcome, case["expected"]) == case["expected"]
