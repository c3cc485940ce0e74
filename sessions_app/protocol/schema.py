"""Values under a restricted schema: compiled once, then read whole or only where a change was made.

`normalised_schema` makes the normal form that everything here takes; `Checker` is what a caller holds on to.

Source: rp.state v2, "Restricted schema"; exact rules in rp.state, section 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from fabric_app.mesh.canonical import digest_bytes, dumps
from sessions_app.protocol.errors import ValueInvalid
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.meta_schema import Schema
from sessions_app.protocol.schema_dialect import Dialect, violations
from sessions_app.protocol.schema_form import normalised_schema
from sessions_app.protocol.schema_nodes import compiled_node
from sessions_app.protocol.values import normalised
from sessions_app.protocol.violations import Violation

__all__ = ["Checker", "Schema", "Violation", "check_at", "compiled", "fitting", "node_at", "normalised_schema"]

COMPILED_SCHEMAS = 512

_INDEX = re.compile("0|[1-9][0-9]*")


class Checker:
    """A compiled schema. Values are normalised ones; a violation is told from the value's root on."""

    def __init__(self, schema: Schema, digest: str) -> None:
        self.schema = schema
        self.digest = digest
        self._validator = Dialect(schema)
        self._root = compiled_node(schema)

    def check(self, value: Any) -> Violation | None:
        """Return the first violation in a whole value."""
        return next(violations(self._validator, value), None)

    def all_violations(self, value: Any, limit: int) -> list[Violation]:
        """Return the violations in a whole value in reading order, at most `limit` of them."""
        return list(islice(violations(self._validator, value), limit))

    def check_at(self, value: Any, segments: Sequence[str]) -> Violation | None:
        """Return what `check` would, for a value that was valid before it changed at `segments` and nowhere else.

        The place is told as it is now: where a member was removed it is gone; where an array lost an item, so that
        others moved, it is the array or any index in it.
        """
        return self._root.violation_at(value, segments)

    def check_part(self, value: Any, segments: Sequence[str]) -> Violation | None:
        """Return the first violation in a value that is to stand at a path, by the node that speaks of it, if one does.

        The violation is told from the value on.
        """
        node = self._root.part(segments)
        return None if node is None else node.violation(value)

    def check_item(self, value: Any, segments: Sequence[str]) -> Violation | None:
        """Return the first violation in a value that is to be an item of the array at a path, as `check_part` does."""
        node = self._root.part(segments)
        return None if node is None or node.items is None else node.items.violation(value)

    def check_places(self, value: Any, places: Iterable[Sequence[str]]) -> Violation | None:
        """Return what `check` would, for a value that was valid before it changed at these places and nowhere else."""
        if any(self.check_at(value, place) is not None for place in places):
            # The first of several violations is the first in reading order, whichever change was the first.
            return self.check(value)
        return None


def compiled(schema: Schema) -> Checker:
    """Return the checker of a normalised schema; equal schemas share one. Its digest is computed at each call."""
    text = dumps(schema)
    return _compiled(digest_bytes(text.encode()), _Held(schema))


def check_at(schema: Schema, value: Any, segments: Sequence[str]) -> Violation | None:
    """Return the answer of `Checker.check_at`. A caller with several questions holds the checker instead."""
    return compiled(schema).check_at(value, segments)


def fitting(raw: Any, checker: Checker, limits: Limits) -> Any:
    """Return the normal form of a value that fits the schema. Raises ValueInvalid with every problem."""
    value = normalised(raw, limits)
    found = checker.all_violations(value, limits.issues)
    if found:
        raise ValueInvalid([violation.problem() for violation in found])
    return value


def node_at(schema: Schema, segments: Sequence[str]) -> Schema | None:
    """Return the part of a normalised schema that speaks of a path, or None where none does.

    Looked for among `properties`, then a schema in `additionalProperties`, then `items` for an index.
    """
    node: Schema | None = schema
    for segment in segments:
        if node is None:
            return None
        node = _below(node, segment)
    return node


def _below(schema: Schema, segment: str) -> Schema | None:
    if segment in schema.get("properties", {}):
        found: Schema = schema["properties"][segment]
        return found
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict):
        return additional
    return schema.get("items") if _INDEX.fullmatch(segment) else None


class _Held:
    """A schema on its way past the cache, whose key is the digest alone."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=COMPILED_SCHEMAS)
def _compiled(digest: str, held: _Held) -> Checker:
    return Checker(held.schema, digest)
