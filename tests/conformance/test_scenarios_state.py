"""The state layer's scenarios, step by step through the operations and queries, on real files and processes.

Cases come from `tests/vectors`, or from the folder that STATEHOUSE_VECTORS names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from tests.conformance.left_out import LEFT_OUT, is_binding
from tests.conformance.scenario_comparing import compare
from tests.conformance.scenario_world import World

OWN_VECTORS = Path(__file__).resolve().parents[1] / "vectors"
VECTORS = Path(os.environ.get("STATEHOUSE_VECTORS") or OWN_VECTORS)
SETTING = {"maxReadEvents": "MAX_READ_EVENTS", "maxEventBytes": "MAX_EVENT_BYTES"}


def cases(folder: Path = VECTORS) -> list[dict[str, Any]]:
    """Return the binding cases; a set of vectors without this file has none."""
    file = folder / "fabric" / "scenarios_state.json"
    found = json.loads(file.read_text("utf-8")) if file.exists() else []
    return [case for case in found if is_binding(case)]


def carry_out(case: dict[str, Any], folder: Path, settings: Settings, patch: pytest.MonkeyPatch) -> None:
    """Run a case and compare it. Raises Mismatch."""
    config = case["input"].get("config") or {}
    changed = {SETTING[name]: value for name, value in config.items()}
    settings.STATEHOUSE = {**settings.STATEHOUSE, **changed, "WORKSPACE_ROOTS": [folder]}
    root = folder / "project"
    root.mkdir()
    world = World(root, patch)
    for path, content in (case["input"].get("files") or {}).items():
        world.step({"op": "write", "path": path, "content": content})

    returns = [world.step(step) for step in case["input"]["steps"]]

    compare(case, returns=returns, events=world.events(), keys=world.keys())


def parameters() -> list[Any]:
    return [
        pytest.param(
            case,
            id=f"fabric-scenario-{case['name']}",
            marks=pytest.mark.django_db(transaction=is_cancelled_from_outside(case)),
        )
        for case in cases()
    ]


def is_cancelled_from_outside(case: dict[str, Any]) -> bool:
    return any(isinstance(step.get("abort"), int) for step in case["input"]["steps"])


@pytest.mark.parametrize("case", parameters())
def test_the_server_answers_as_documented(
    case: dict[str, Any], tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out(case, tmp_path, settings, monkeypatch)


def test_every_case_that_is_left_out_exists() -> None:
    names = {case["name"] for case in json.loads((OWN_VECTORS / "fabric" / "scenarios_state.json").read_text("utf-8"))}

    assert set(LEFT_OUT) <= names
