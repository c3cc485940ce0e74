"""The runner of the scenarios notices a wrong case: each kind of mistake, put into a copy, makes it fail."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from tests.conformance.scenario_matching import Mismatch
from tests.conformance.test_scenarios_state import OWN_VECTORS, carry_out

pytestmark = pytest.mark.django_db

Case = dict[str, Any]
CASES: dict[str, Case] = {
    case["name"]: case for case in json.loads((OWN_VECTORS / "fabric" / "scenarios_state.json").read_text("utf-8"))
}


def answer(case: Case, index: int) -> Any:
    return case["expected"]["returns"][index]["ok"]


def last_answer(case: Case) -> Any:
    return answer(case, -1)


def swap_digests(case: Case) -> None:
    """Claim that two runs with different results have equal digests."""
    text = json.dumps(case["expected"]).replace("<digest:3>", "<digest:2>")
    case["expected"] = json.loads(text)


WRONG: list[tuple[str, str, Callable[[Case], Any]]] = [
    ("another label", "first-transition", lambda case: last_answer(case)["transitions"][0].update(label="other")),
    ("a transition too few", "fold-legacy-and-proposals", lambda case: last_answer(case)["transitions"].pop()),
    ("labels in another order", "full-arguments", lambda case: last_answer(case)["labels"].reverse()),
    ("a member too many", "first-transition", lambda case: last_answer(case)["transitions"][0].update(certificate={})),
    ("a member too few", "full-arguments", lambda case: last_answer(case)["transitions"][0].pop("tags")),
    ("null for nothing", "first-transition", lambda case: answer(case, 0).update(goal={})),
    ("true for one", "complexity-last-net-delta", lambda case: answer(case, -1)["complexity"].update(files=True)),
    ("another version of the head", "chain-of-three", lambda case: case["expected"]["keys"][-1].update(version=5)),
    (
        "another id",
        "fold-legacy-and-proposals",
        lambda case: last_answer(case)["transitions"][0].update(transitionId="<event:3>"),
    ),
    ("an event too few", "first-transition", lambda case: case["expected"]["events"].pop()),
    ("equal digests", "reduction-pending-certified-violated", swap_digests),
    (
        "success for an error",
        "from-mismatch-appends-nothing",
        lambda case: case["expected"]["returns"].__setitem__(1, {"ok": None}),
    ),
    (
        "another error",
        "missing-required-arguments",
        lambda case: case["expected"]["returns"][0]["error"].update(code="FROM_MISMATCH"),
    ),
    (
        "another cause of a rejection",
        "contention-breaks-chain",
        lambda case: case["expected"]["returns"][2]["error"]["cause"].update(code="CONTENTION_RETRIES_EXHAUSTED"),
    ),
    (
        "another head after a fault",
        "contention-breaks-chain",
        lambda case: case["expected"]["keys"][0]["value"].update(to="two"),
    ),
    (
        "a certificate that outlives its window",
        "violation-then-window",
        lambda case: [
            each["ok"]["certification"].update(current={})
            for step, each in zip(case["input"]["steps"], case["expected"]["returns"], strict=True)
            if step["op"] == "get"
        ],
    ),
]


@pytest.mark.parametrize(("name", "change"), [(name, change) for _, name, change in WRONG], ids=[w[0] for w in WRONG])
def test_a_wrong_copy_fails(
    name: str, change: Callable[[Case], Any], tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = copy.deepcopy(CASES[name])
    change(case)
    assert json.dumps(case) != json.dumps(CASES[name])

    with pytest.raises(Mismatch):
        carry_out(case, tmp_path, settings, monkeypatch)
