"""The schema that a tree of MVU variables gives: what the values are now, and what their hints allow.

- A scalar has its type, null any; numbers are bounded where their texts name one range and the value is within it.
- An object takes other members only where `$meta` says so, or where it begins empty. It requires the members that
  `$meta.required` names; without that all of them, or none where it takes others.
- An array takes items of its items' type, where they have one.
- Where the schema would have more nodes than the limits allow, the deepest levels are left open, with a remark.

Source: issue "Sessions", importers; dialect: rp.state, section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions_app.importers.mvu_remarks import Remark, RemarkCode, Severity
from sessions_app.importers.mvu_values import Branch, Leaf, Meta, Tree, tree_of
from sessions_app.importers.mvu_words import value_ranges
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.numbers import is_number
from sessions_app.protocol.pointer import below
from sessions_app.protocol.values import ARRAY, NULL, kind_of

Schema = dict[str, Any]
# Pointer -> sentences of rules about that place.
Sentences = Mapping[str, tuple[str, ...]]


def schema_of(tree: Branch, sentences: Sentences, limits: Limits, remarks: list[Remark]) -> Schema:
    """Return a schema that the tree's value fits. Its texts are not longer than `limits.text_chars`."""
    schema = _Making(sentences, limits, remarks).branch(tree, "", is_recursive=False)
    levels = _nodes_per_level(schema)
    depth = _depth_within(levels, limits)
    if depth == len(levels):
        return schema
    message = f"The schema says nothing of what stands deeper than {depth} levels, as it would be too large."
    remarks.append(Remark(RemarkCode.SCHEMA_CUT, message, Severity.WARNING))
    return _cut(schema, depth)


class _Making:
    """The making of one schema."""

    def __init__(self, sentences: Sentences, limits: Limits, remarks: list[Remark]) -> None:
        self.sentences = sentences
        self.limits = limits
        self.remarks = remarks

    def node(self, tree: Tree, path: str, *, is_recursive: bool) -> Schema:
        if isinstance(tree, Branch):
            return self.branch(tree, path, is_recursive=is_recursive)
        return self.leaf(tree, path)

    def branch(self, tree: Branch, path: str, *, is_recursive: bool) -> Schema:
        is_open = is_extensible(tree, is_recursive=is_recursive)
        inner = is_recursive or tree.meta.is_recursive
        properties = {key: self.node(each, below(path, key), is_recursive=inner) for key, each in tree.members.items()}
        required = self.required(tree, path, is_open=is_open)
        return {
            "type": "object",
            **self.described(tree.description, path),
            **({"properties": properties} if properties else {}),
            **({"required": required} if required else {}),
            "additionalProperties": self.additional(tree, path) if is_open else False,
        }

    def required(self, tree: Branch, path: str, *, is_open: bool) -> list[str]:
        if tree.meta.required is None:
            return [] if is_open else list(tree.members)
        known = [name for name in dict.fromkeys(tree.meta.required) if name in tree.members]
        if len(known) < len(set(tree.meta.required)):
            message = "$meta.required names members that are not there; these were left out."
            self.remarks.append(Remark(RemarkCode.HINT_LEFT_OUT, message, path=path))
        return known

    def additional(self, tree: Branch, path: str) -> Schema | bool:
        if not tree.members and tree.meta.extensible is None:
            message = "The object begins empty, so that it was made to take any member."
            self.remarks.append(Remark(RemarkCode.EMPTY_OBJECT_OPENED, message, path=path))
        template = tree.meta.template
        if not isinstance(template, dict):
            if template is not None:
                message = "$meta.template is no object, and was left out."
                self.remarks.append(Remark(RemarkCode.HINT_LEFT_OUT, message, path=path))
            return True
        message = "$meta.template gives the form of new members; it fills nothing in."
        self.remarks.append(Remark(RemarkCode.HINT_LEFT_OUT, message, path=path))
        form = tree_of(template, "", [])
        return self.branch(Branch(form.members, Meta(extensible=True, required=())), path, is_recursive=False)

    def leaf(self, tree: Leaf, path: str) -> Schema:
        kind = kind_of(tree.value)
        if kind == NULL:
            return self.described(tree.description, path)
        node = {"type": kind, **self.described(tree.description, path)}
        if kind == ARRAY:
            return node | _items(tree.value)
        return node | self.bounds(tree, path) if is_number(tree.value) else node

    def bounds(self, tree: Leaf, path: str) -> Schema:
        texts = ([tree.description] if tree.description else []) + list(self.sentences.get(path, ()))
        ranges = value_ranges(texts)
        if len(ranges) == 1 and ranges[0].has(tree.value):
            return {"minimum": ranges[0].minimum, "maximum": ranges[0].maximum}
        if ranges:
            why = "several ranges are named" if len(ranges) > 1 else "the value is outside of the range that is named"
            self.remarks.append(Remark(RemarkCode.RANGE_LEFT_OUT, f"The number is not bounded, as {why}.", path=path))
        return {}

    def described(self, description: str | None, path: str) -> Schema:
        if description is None:
            return {}
        if len(description) > self.limits.text_chars:
            message = f"The description was cut after {self.limits.text_chars} characters."
            self.remarks.append(Remark(RemarkCode.TEXT_LEFT_OUT, message, Severity.WARNING, path))
        return {"description": description[: self.limits.text_chars]}


def is_extensible(tree: Branch, *, is_recursive: bool) -> bool:
    """Tell whether an object takes members that it does not begin with."""
    if tree.meta.extensible is not None:
        return tree.meta.extensible
    return is_recursive or not tree.members


def _items(array: list[Any]) -> Schema:
    kinds = {kind_of(item) for item in array}
    return {"items": {"type": kinds.pop()}} if len(kinds) == 1 and NULL not in kinds else {}


def _children(schema: Schema) -> list[Schema]:
    named = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return [each for each in named if isinstance(each, dict)]


def _nodes_per_level(schema: Schema) -> list[int]:
    counts, level = [], [schema]
    while level:
        counts.append(len(level))
        level = [child for node in level for child in _children(node)]
    return counts


def _depth_within(levels: list[int], limits: Limits) -> int:
    """Return how many levels fit into the limits; the first one always does."""
    nodes = 0
    for depth, count in enumerate(levels[: limits.schema_depth]):
        nodes += count
        if nodes > limits.schema_nodes:
            return depth
    return min(len(levels), limits.schema_depth)


def _cut(schema: Schema, depth: int) -> Schema:
    """Return the schema with this many levels, those of the last one left open."""
    if depth <= 1:
        return {key: kept for key, kept in schema.items() if key in ("type", "description", "minimum", "maximum")}
    inner = dict(schema)
    if "properties" in schema:
        inner["properties"] = {name: _cut(node, depth - 1) for name, node in schema["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            inner[keyword] = _cut(schema[keyword], depth - 1)
    return inner
