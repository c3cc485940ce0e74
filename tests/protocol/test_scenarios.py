"""The scenarios that need neither ledgers, nor races, nor a slow command, run through the protocol alone."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.ledgerless_server import Server

VECTORS = Path(os.environ.get("STATEHOUSE_VECTORS") or Path(__file__).parent.parent / "vectors")
OPERATIONS = {
    "transition",
    "history",
    "get",
    "verify",
    "goal",
    "write",
    "remove",
    "raw.publish",
    "raw.put",
    "raw.delete",
}
NOT_BINDING = {"peer-defect", "peer-quirk", "window", "fault-injection"}
NEEDS_MORE = re.compile(r"sleep|kill|complexity|abort|ifVersion|\"cwd\"|maxEventBytes")
TIMES = {"ts", "createdAt", "updatedAt", "updatedBy", "message", "summary_text"}
SAME_DIGEST = {"claimDigest", "commandDigest", "errorDigest", "labelDigest", "toDigest"}


def scenarios() -> list[dict[str, Any]]:
    file = VECTORS / "fabric" / "scenarios_state.json"
    cases = json.loads(file.read_text("utf-8")) if file.exists() else []
    return [case for case in cases if _is_pure(case)]


def _is_pure(case: dict[str, Any]) -> bool:
    steps = case["input"]["steps"]
    known = all(step["op"] in OPERATIONS for step in steps)
    return known and not NOT_BINDING & set(case.get("tags", ())) and not NEEDS_MORE.search(json.dumps(case["input"]))


class Run:
    """Runs the steps of one case, and writes down what they answered in the form of the vectors."""

    def __init__(self, root: Path) -> None:
        self.server, self.root = Server(root), root
        self.kept: dict[str, Any] = {}
        self.digests: dict[str, str] = {}

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        returned = self._do(step["op"], self._filled(step.get("args", {})), step)
        if "as" in step:
            self.kept[step["as"]] = returned.get("ok")
        return returned

    def normal(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.normal(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {name: self._member(name, item) for name, item in value.items() if name not in TIMES}

    def _do(self, operation: str, args: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
        if operation == "write":
            return {"ok": (self.root / step["path"]).write_text(step["content"]) and None}
        if operation == "remove":
            return {"ok": (self.root / step["path"]).unlink()}
        if operation == "raw.publish":
            return {"ok": self.server.publish(args["kind"], args.get("data"))}
        if operation == "raw.put":
            return {"ok": self.server.put(args["key"], args["value"])}
        if operation == "raw.delete":
            return {"ok": self.server.delete(args["key"])}
        return self.server.answer(operation, args)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if isinstance(value, dict) and "$repeat" in value:
            return value["$repeat"][0] * value["$repeat"][1]
        if isinstance(value, dict):
            return {name: self._filled(item) for name, item in value.items()}
        if isinstance(value, str) and value.startswith("$"):
            name, *path = value[1:].split(".")
            found = self.kept[name]
            for part in path:
                found = found[part]
            return found
        return value

    def _member(self, name: str, value: Any) -> Any:
        if name in {"evidenceDigest", "resultDigest"} and re.fullmatch("sha256:[0-9a-f]{64}", value):
            return self.digests.setdefault(value, f"<digest:{len(self.digests) + 1}>")
        if name in SAME_DIGEST:
            return "<digest>"
        return self.normal(value)


def without_times(value: Any) -> Any:
    if isinstance(value, list):
        return [without_times(item) for item in value]
    if isinstance(value, dict):
        return {name: without_times(item) for name, item in value.items() if name not in TIMES}
    return value


def comparable(returned: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Of an error only the members that the case names are compared."""
    if "error" in returned and "error" in expected:
        return {"error": {name: returned["error"].get(name) for name in expected["error"]}}
    return returned


@pytest.mark.parametrize("case", scenarios(), ids=lambda case: f"fabric-protocol-{case['name']}")
def test_the_protocol_answers_as_documented(case: dict[str, Any], tmp_path: Path) -> None:
    run, expected = Run(tmp_path), case["expected"]

    returns = [run.normal(run.step(step)) for step in case["input"]["steps"]]

    wanted = without_times(expected["returns"])
    assert [comparable(*pair) for pair in zip(returns, wanted, strict=True)] == wanted
    written = [{name: event[name] for name in ("sequence", "kind", "data")} for event in run.server.events]
    assert run.normal(written) == without_times(expected["events"])
    keys = {key: {"version": version, "value": value} for key, (value, version) in run.server.keys.items()}
    assert run.normal(keys) == {
        entry["key"]: {"version": entry["version"], "value": without_times(entry["value"])}
        for entry in expected["keys"]
    }
