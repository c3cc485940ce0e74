"""What a session is made of where a test draws it: namespaces that lean on one another, and acts on them by name."""

from __future__ import annotations

from typing import Any

from tests.sessions.places import DEFINITION, VALUE, bootstrap, change

Json = dict[str, Any]

CLOCK = {
    "title": "Clock",
    "updateMode": "schema-only",
    "schema": {"type": "object", "properties": {"minute": {"type": "integer"}}, "additionalProperties": False},
    "rules": [
        {
            "id": "tick",
            "target": "/minute",
            "when": "each turn that has a side",
            "condition": 'exists("side", "/n")',
            "effect": {"op": "increment"},
            "cadence": "every-turn",
        }
    ],
}
SIDE = {
    "title": "Side",
    "updateMode": "schema-only",
    "schema": {
        "type": "object",
        "properties": {"n": {"type": "integer", "maximum": 3}, "items": {"type": "array", "maxItems": 3}},
        "required": ["n"],
    },
    "rules": [],
}
WIDE_SIDE = {**SIDE, "schema": {"type": "object"}}
WEAK_STORY = {**DEFINITION, "schema": {"type": "object", "properties": {"hp": {"type": "number", "maximum": 12}}}}
FREE_STORY = {**DEFINITION, "updateMode": "schema-only", "rules": []}

# Some can be carried out always, some never, and the rest as the state is by then.
CHANGES: list[tuple[str, Json]] = [
    ("story", change("increment", "/hp", "hp", by=-4)),
    ("story", change("increment", "/hp", "hp", by=7)),
    ("story", change("set", "/hp", "set-hp", value=50)),
    ("story", change("increment", "/好感度", "trust", by=5)),
    ("story", change("append", "/背包", "pick-up", value="灯")),
    ("story", change("append", "/背包", "pick-up", value=["灯", "剑"])),
    ("story", change("set", "/hp", "hp", value=1)),
    ("side", change("increment", "/n", by=1)),
    ("side", change("append", "/items", value="x")),
    ("side", change("remove", "/items/0")),
    ("side", change("set", "/more", value={"deep": [1, None]})),
    ("side", change("set", "/more/deep/0", value=2)),
    ("clock", change("increment", "/minute", "tick", by=1)),
    ("clock", change("increment", "/minute", by=1)),
]
# Without the revision, which the caller reads.
REQUESTS: list[Json] = [
    {"action": "create", "namespace": "side", "definition": SIDE, "initialValue": {"n": 1, "items": []}},
    {"action": "create", "namespace": "side", "definition": WIDE_SIDE, "initialValue": {"n": 0, "items": ["a"]}},
    {"action": "update", "namespace": "side", "definition": WIDE_SIDE},
    {"action": "update", "namespace": "side", "definition": SIDE, "value": {"n": 2, "items": []}},
    {"action": "update", "namespace": "story", "definition": WEAK_STORY},
    {"action": "update", "namespace": "story", "definition": FREE_STORY, "initialValue": {"hp": 3}},
    {"action": "update", "namespace": "story", "definition": DEFINITION, "value": VALUE},
    {"action": "reset", "namespace": "story"},
    {"action": "reset", "namespace": "side"},
    {"action": "delete", "namespace": "side"},
    {"action": "delete", "namespace": "story"},
]


def two_namespaces() -> Json:
    """Return a bootstrap of the story and its clock."""
    clock = bootstrap({"minute": 0}, CLOCK, "clock")["namespaces"]
    return {"version": 2, "namespaces": [*bootstrap()["namespaces"], *clock]}
