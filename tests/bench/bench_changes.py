"""Applying five changes to a namespace of 200 keys with 20 rules: at least 20 times the rate of a plain copy and check.

The plain way is `copy.deepcopy` of the value, followed by a full `jsonschema` validation; it is not charged for the
changes themselves. With 2,000 keys a commit may take at most 1.5 times as long as with 200.
Run as `python tests/bench/bench_changes.py`; all sides are measured in turns, so that other load weighs on each.
"""

from __future__ import annotations

import copy
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from jsonschema import Draft202012Validator

from sessions_app.protocol.commit import commit
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import Namespace, Projection

ROUNDS = 9
COMMITS = 400
PLAIN = 4
FASTER = 20.0
SLOWER_WITH_TENFOLD_KEYS = 1.5

# A key's value and schema by its number modulo 4: a number, a text, a list, a person.
VALUES: list[Any] = [50, "calm", ["rope", "lamp"], {"trust": 3, "mood": "calm"}]
SCHEMAS: list[dict[str, Any]] = [
    {"type": "integer", "minimum": 0, "maximum": 100},
    {"type": "string", "maxLength": 40},
    {"type": "array", "items": {"type": "string"}, "maxItems": 40},
    {"type": "object", "properties": {"trust": {"type": "integer"}, "mood": {"type": "string"}}, "required": ["trust"]},
]


def projection(keys: int) -> Projection:
    """Return a session with one namespace of so many keys; half its rules have a condition, two are due each turn."""
    names = [f"key{number}" for number in range(keys)]
    schema = {
        "type": "object",
        "properties": {name: SCHEMAS[number % 4] for number, name in enumerate(names)},
        "required": names,
        "additionalProperties": False,
    }
    raw = {"title": "story", "updateMode": "rules-required", "schema": schema, "rules": [rule(n) for n in range(20)]}
    value = {name: copy.deepcopy(VALUES[number % 4]) for number, name in enumerate(names)}
    return Projection(1, {"story": Namespace.new(definition_of(raw, DEFAULT_LIMITS), value)})


def rule(number: int) -> dict[str, Any]:
    op = ("increment", "set", "append", "increment")[number % 4]
    target = f"/key{number}" if number % 4 != 3 else f"/key{number}/trust"
    bounds = {"minimum": -5, "maximum": 5} if op == "increment" else {}
    made = {"id": f"rule-{number}", "target": target, "when": "it happens", "effect": {"op": op, **bounds}}
    if number % 2:
        made["condition"] = 'state("story", "/key0") >= 10'
    return made | ({"cadence": "every-turn"} if number in (0, 1) else {})


def effects() -> list[dict[str, Any]]:
    changes = [
        {"op": "increment", "path": "/key0", "by": 2, "ruleId": "rule-0", "reason": "She told what she had hidden."},
        {"op": "set", "path": "/key1", "value": "glad", "ruleId": "rule-1", "reason": "The news is good."},
        {"op": "append", "path": "/key2", "value": "key", "ruleId": "rule-2", "reason": "He found the key."},
        {"op": "increment", "path": "/key7/trust", "by": 1, "ruleId": "rule-7", "reason": "A promise was kept."},
        {"op": "set", "path": "/key5", "value": "open", "ruleId": "rule-5", "reason": "The gate was opened."},
    ]
    return [{"kind": "state.update", "namespace": "story", "expectedRevision": 1, "payload": {"changes": changes}}]


def seconds_a_call(act: Callable[[], object], times: int) -> float:
    began = time.process_time()
    for _ in range(times):
        act()
    return (time.process_time() - began) / times


def measured() -> dict[str, float]:
    """Return the processor time in seconds of each way, from medians of interleaved rounds."""
    small, large, asked = projection(200), projection(2_000), effects()
    value = small.namespaces["story"].value
    validator = Draft202012Validator(small.namespaces["story"].definition.schema)
    ways: dict[str, tuple[Callable[[], object], int]] = {
        "plain, 200 keys": (lambda: validator.validate(copy.deepcopy(value)), PLAIN),
        "commit, 200 keys": (lambda: commit(small, asked, DEFAULT_LIMITS), COMMITS),
        "commit, 2000 keys": (lambda: commit(large, asked, DEFAULT_LIMITS), COMMITS),
    }
    rounds = [{name: seconds_a_call(*way) for name, way in ways.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(each[name] for each in rounds) for name in ways}


def main() -> int:
    times = measured()
    for name, seconds in times.items():
        print(f"{name}: {seconds * 1e6:.0f} us")
    faster = times["plain, 200 keys"] / times["commit, 200 keys"]
    slower = times["commit, 2000 keys"] / times["commit, 200 keys"]
    print(f"rate beside the plain way: {faster:.1f} (at least {FASTER})")
    print(f"time with tenfold keys: {slower:.2f} (at most {SLOWER_WITH_TENFOLD_KEYS})")
    return 0 if faster >= FASTER and slower <= SLOWER_WITH_TENFOLD_KEYS else 1


if __name__ == "__main__":
    sys.exit(main())
