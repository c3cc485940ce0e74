"""The cases of the counting rule, from `tests/vectors` or the folder that STATEHOUSE_VECTORS names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fabric_app.protocol.complexity import count_decision_points, language_of

OWN_VECTORS = Path(__file__).resolve().parents[1] / "vectors"
VECTORS = Path(os.environ.get("STATEHOUSE_VECTORS") or OWN_VECTORS)
NOT_BINDING = "seed silent"


def cases() -> list[Any]:
    """Return one parameter a case; a set of vectors without this file has none."""
    file = VECTORS / "fabric" / "complexity.json"
    if not file.exists() and VECTORS != OWN_VECTORS:
        return []
    return [
        pytest.param(case, id=f"fabric-complexity-{case['name']}", marks=marks(case))
        for case in json.loads(file.read_text(encoding="utf-8"))
    ]


def marks(case: dict[str, Any]) -> list[pytest.MarkDecorator]:
    if NOT_BINDING in case.get("note", ""):
        return [pytest.mark.xfail(reason=f"not binding: {case['note']}", strict=False)]
    return []


def answer(file: str, source: str) -> dict[str, Any]:
    language = language_of(file)
    if language is None:
        return {"supported": False}
    count = count_decision_points(file, source.encode("utf-8", "surrogatepass"))
    return {"supported": True, "language": language, "count": count}


@pytest.mark.parametrize("case", cases())
def test_complexity_of_one_source(case: dict[str, Any]) -> None:
    given = case["input"]

    found = answer(given["file"], given["source"])

    assert found == case["expected"]
