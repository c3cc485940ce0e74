"""Values under a restricted schema: compiled once, then read whole or only where a change was made.

`normalised_schema` makes the normal form that everything here takes; `Checker` is what a caller holds on to.

Source: rp.state v2, "Restricted schema"; exact rules in rp.state, section 2.
"""

from __future__ import annotations

import json
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

    def check_places(self, value: Any, places: Iterable[Sequence[str]]) -> Violation | None:
        """Return what `check` would, for a value that was valid before it changed at these places and nowhere else."""
        if any(self.check_at(value, place) is not None for place in places):
            # The first of several violations is the first in reading order, whichever change was the first.
            return self.check(value)
        return None

    def check_part(self, value: Any, segments: Sequence[str]) -> Violation | None:
        """Return the first violation of a value that is meant for a path; its place is told from that value on.

        None also where no part of the schema speaks of the path, which only the whole value can tell more about.
        """
        node = self._root.part(segments)
        return None if node is None else node.violation(value)

    def check_item(self, value: Any, segments: Sequence[str]) -> Violation | None:
        """Return the same for a value that is meant as an item of the array at a path."""
        node = self._root.part(segments)
        return None if node is None or node.items is None else node.items.violation(value)

    def part_at(self, segments: Sequence[str]) -> Schema | None:
        """Return the part of the schema that speaks of a path, or None where none does."""
        node = self._root.part(segments)
        return None if node is None else node.schema


def compiled(schema: Schema) -> Checker:
    """Return the checker of a normalised schema; schemas of one text share one."""
    return _compiled(dumps(schema))


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
    """Return the answer of `Checker.part_at`. A caller with several questions holds the checker instead."""
    return compiled(schema).part_at(segments)


@lru_cache(maxsize=COMPILED_SCHEMAS)
def _compiled(text: str) -> Checker:
    # Read anew, so that nothing that a caller does to its schema reaches the shared checker.
    return Checker(json.loads(text), digest_bytes(text.encode()))
