"""A schema as it is kept: every node checked, titles trimmed, numbers as doubles, keywords in one order.

Beyond the meta-schema, in each node:
- the values of `enum` are distinct (`1` and `1.0` are not, `1` and `true` are);
- no minimum is above its maximum;
- where there are `properties`, each required name is one of them; no name is an unsafe key.

Source: rp.state, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fabric_app.mesh.errors import Problem
from sessions_app.protocol.errors import SchemaInvalid, ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.meta_schema import KEYWORDS, Schema, node_problems
from sessions_app.protocol.names import UNSAFE_KEYS
from sessions_app.protocol.pointer import below
from sessions_app.protocol.text import shown, trimmed
from sessions_app.protocol.values import normalised, repeated

_BOUNDS = (("minItems", "maxItems"), ("minLength", "maxLength"), ("minimum", "maximum"))
_TEXTS = ("title", "description")


def normalised_schema(raw: Any, limits: Limits) -> Schema:
    """Return the normal form of a schema. Raises SchemaInvalid with every problem (at most `limits.issues`)."""
    reading = _Reading(limits)
    schema = reading.node(_as_json(raw, limits), "", 1)
    if reading.problems:
        raise SchemaInvalid(reading.problems[: limits.issues])
    return schema


def _as_json(raw: Any, limits: Limits) -> Any:
    """Return the schema as a normalised value: each of its nodes takes two levels, and values stand in the deepest."""
    room = replace(limits, depth=2 * limits.schema_depth + limits.depth)
    try:
        return normalised(raw, room)
    except ValueInvalid as error:
        found = [replace(problem, code=SchemaInvalid.code) for problem in error.problems]
        raise SchemaInvalid(found) from error


class _Reading:
    """One reading of one schema, node by node, and the problems on the way."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.problems: list[Problem] = []
        self.nodes = 0

    def node(self, raw: Any, path: str, depth: int) -> Schema:
        """Return the normal form of a node, as far as it can be read."""
        self.nodes += 1
        if depth > self.limits.schema_depth or self.nodes > self.limits.schema_nodes:
            self.refuse_size(path)
            return {}
        if self.is_full():
            return {}
        found = node_problems(raw)
        self.refuse(path, found)
        if "" in found:
            return {}
        refused = {place.split("/")[1] for place in found if not place.startswith("/properties/")}
        sound = {keyword: raw[keyword] for keyword in KEYWORDS if keyword in raw and keyword not in refused}
        self.refuse(path, dict(_contradictions(sound)))
        return {keyword: self.kept(keyword, value, below(path, keyword), depth) for keyword, value in sound.items()}

    def kept(self, keyword: str, value: Any, path: str, depth: int) -> Any:
        if keyword in _TEXTS:
            return self.text(value, path)
        if keyword == "properties":
            nodes = {name: node for name, node in value.items() if isinstance(node, dict)}
            return {name: self.node(node, below(path, name), depth + 1) for name, node in nodes.items()}
        if keyword == "items" or (keyword == "additionalProperties" and isinstance(value, dict)):
            return self.node(value, path, depth + 1)
        return value

    def text(self, value: str, path: str) -> str:
        if len(value) > self.limits.text_chars:
            self.refuse(path, {"": f"The text is longer than {self.limits.text_chars} characters; shorten it."})
        return trimmed(value)

    def refuse(self, path: str, found: dict[str, str]) -> None:
        self.problems += [Problem(path + place, SchemaInvalid.code, detail) for place, detail in found.items()]

    def refuse_size(self, path: str) -> None:
        if not self.is_full():
            most = f"{self.limits.schema_depth} levels and {self.limits.schema_nodes} parts"
            self.refuse(path, {"": f"A schema has at most {most}; make it smaller."})

    def is_full(self) -> bool:
        return len(self.problems) >= self.limits.issues


def _contradictions(node: Schema) -> Iterator[tuple[str, str]]:
    """Yield what keywords of the right form say against each other: pointer into the node, and what to do."""
    for index in repeated(node.get("enum", ())):
        yield f"/enum/{index}", "The value is in the list twice; leave one out."
    for least, most in _BOUNDS:
        if least in node and most in node and node[least] > node[most]:
            yield f"/{least}", f"{least} is above {most}; nothing would fit."
    for index, name in enumerate(node.get("required", ())):
        if name in UNSAFE_KEYS:
            yield f"/required/{index}", f"No key may be {name}; use another name."
        elif "properties" in node and name not in node["properties"]:
            yield f"/required/{index}", f"{shown(name)} is not among the properties; declare it there."
