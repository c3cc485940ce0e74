"""A schema compiled for one job: looking again only at what a change can have touched.

If a value was valid, and then changed at one place alone, it can be wrong only
- at or below that place;
- at an ancestor that has `enum` or `const`;
- at the array or object that the place stands in: its length, or that the place is gone and was required.

`violation_at` looks at these, in the order of a reading of the whole value, and so finds the same first violation.
Values are normalised ones (`values.normalised`).

Source: rp.state, section 2 and 6.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions_app.protocol.meta_schema import Schema
from sessions_app.protocol.pointer import Segments, index_in, is_index
from sessions_app.protocol.values import likeness
from sessions_app.protocol.violations import Violation

_INDEX = re.compile("0|[1-9][0-9]*")

# Of a normalised value an `int` is a safe integer, and a `float` is not one.
_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One node of a schema. None stands for a keyword that is not there; `additional` False forbids other members."""

    schema: Schema
    accepted: frozenset[type] | None
    allowed: frozenset[str] | None
    const: str | None
    members: dict[str, Node]
    additional: Node | bool
    required: frozenset[str]
    items: Node | None
    # Whether anything but `type` has to be looked at.
    is_plain: bool = field(default=False)

    def violation(self, value: Any) -> Violation | None:
        """Return the first violation in a value under this node, its place told from the node on."""
        if self.accepted is not None and type(value) not in self.accepted:
            return Violation((), "type", self.schema["type"])
        return None if self.is_plain else self._fixed(value) or self._within(value)

    def child(self, container: Any, segment: str) -> Node | bool:
        """Return the node of a member or item; True where anything may stand there, False where nothing may."""
        if isinstance(container, dict):
            return self.members.get(segment, self.additional)
        return self.items or True

    def part(self, segments: Sequence[str]) -> Node | None:
        """Return the node that speaks of a path whatever the value is, or None where none does.

        Looked for among `properties`, then a schema in `additionalProperties`, then `items` for an index.
        """
        node: Node | None = self
        for segment in segments:
            node = None if node is None else node.below(segment)
        return node

    def below(self, segment: str) -> Node | None:
        """Return the node that speaks of one segment below this one, or None where none does."""
        if segment in self.members:
            return self.members[segment]
        if isinstance(self.additional, Node):
            return self.additional
        return self.items if is_index(segment) else None

    def violation_at(self, value: Any, segments: Sequence[str]) -> Violation | None:
        """Return the first violation that a change at `segments` of a valid value can have brought about."""
        node, current = self, value
        for depth, segment in enumerate(segments):
            place = tuple(segments[:depth])
            found = node._fixed(current) or node._around(current, segment)
            if found is not None:
                return _moved(found, place)
            if not _has(current, segment):
                return None
            child = node.child(current, segment)
            if child is True:
                return None
            if child is False:
                return Violation((*place, segment), "additionalProperties", False)
            node, current = child, current[segment if isinstance(current, dict) else int(segment)]
        found = node.violation(current)
        return None if found is None else _moved(found, tuple(segments))

    def _fixed(self, value: Any) -> Violation | None:
        """Return what `enum` or `const` says of the whole value."""
        if self.allowed is None and self.const is None:
            return None
        text = likeness(value)
        if self.allowed is not None and text not in self.allowed:
            return Violation((), "enum", self.schema["enum"])
        if self.const is not None and text != self.const:
            return Violation((), "const", self.schema["const"])
        return None

    def _around(self, container: Any, segment: str) -> Violation | None:
        """Return what a container says of one of its places, the value there apart."""
        if isinstance(container, list):
            return self._outside(len(container), "minItems", "maxItems")
        if segment in self.required and segment not in container:
            return Violation((segment,), "required", segment)
        return None

    def _within(self, value: Any) -> Violation | None:
        if isinstance(value, dict):
            return self._in_object(value)
        if isinstance(value, list):
            return self._outside(len(value), "minItems", "maxItems") or self._in_array(value)
        if isinstance(value, str):
            return self._outside(len(value), "minLength", "maxLength")
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._outside(value, "minimum", "maximum")
        return None

    def _in_object(self, value: dict[str, Any]) -> Violation | None:
        if not self.required <= value.keys():
            missing = next(name for name in self.schema["required"] if name not in value)
            return Violation((missing,), "required", missing)
        for name, member in value.items():
            node = self.members.get(name, self.additional)
            if node is False:
                return Violation((name,), "additionalProperties", False)
            found = None if node is True else node.violation(member)
            if found is not None:
                return _moved(found, (name,))
        return None

    def _in_array(self, value: list[Any]) -> Violation | None:
        if self.items is None:
            return None
        for index, item in enumerate(value):
            found = self.items.violation(item)
            if found is not None:
                return _moved(found, (str(index),))
        return None

    def _outside(self, size: float, least: str, most: str) -> Violation | None:
        if least in self.schema and size < self.schema[least]:
            return Violation((), least, self.schema[least])
        if most in self.schema and size > self.schema[most]:
            return Violation((), most, self.schema[most])
        return None


def compiled_node(schema: Schema) -> Node:
    """Return the node of a normalised schema, with all below it."""
    additional = schema.get("additionalProperties", True)
    return Node(
        schema=schema,
        accepted=_accepted(schema),
        allowed=frozenset(map(likeness, schema["enum"])) if "enum" in schema else None,
        const=likeness(schema["const"]) if "const" in schema else None,
        members={name: compiled_node(node) for name, node in schema.get("properties", {}).items()},
        additional=compiled_node(additional) if isinstance(additional, dict) else additional,
        required=frozenset(schema.get("required", ())),
        items=compiled_node(schema["items"]) if "items" in schema else None,
        is_plain=schema.keys() <= {"type", "title", "description"},
    )


def _accepted(schema: Schema) -> frozenset[type] | None:
    if "type" not in schema:
        return None
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return frozenset(python_type for name in names for python_type in _PYTHON_TYPES[name])


def _has(container: Any, segment: str) -> bool:
    if isinstance(container, dict):
        return segment in container
    return isinstance(container, list) and index_in(container, segment) is not None


def _moved(found: Violation, place: Segments) -> Violation:
    """Return the violation as seen from above, `place` being the way down to where it was seen."""
    return Violation((*place, *found.segments), found.keyword, found.expected)
