"""Only-where clauses as conditions of rules, where each of them is one comparison of a variable that is surely meant.

A name means the variable beside the rule's own, or else the only one in the whole tree whose path ends so; its type has
to be that of the other side. Nothing is guessed: what is not sure stays a sentence.

Source: users of rp.state, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from fabric_app.mesh.canonical import dumps
from sessions_app.importers.mvu_values import Branch, Tree
from sessions_app.importers.mvu_words import Comparison, comparison_of
from sessions_app.protocol.numbers import is_number
from sessions_app.protocol.pointer import Segments
from sessions_app.protocol.pointer import format as pointer_to
from sessions_app.protocol.text import WHITESPACE


class Variables:
    """The scalars of a tree, found by how a sentence names them."""

    def __init__(self, tree: Branch, namespace: str) -> None:
        self.tree = tree
        self.namespace = namespace

    def condition(self, clause: str, at: Segments) -> str | None:
        """Return the condition that a clause about the place `at` means, or None where that is not sure."""
        compared = comparison_of(clause)
        named = None if compared is None else self._named(compared.name, at)
        if compared is None or named is None or not _is_alike(compared, self.by_path[named]):
            return None
        value = compared.value if is_number(compared.value) else dumps(compared.value)
        return f"state({dumps(self.namespace)}, {dumps(pointer_to(named))}) {compared.sign} {value}"

    @cached_property
    def by_path(self) -> dict[Segments, Any]:
        return dict(_scalars(self.tree, ()))

    @cached_property
    def by_last(self) -> dict[str, list[Segments]]:
        found: dict[str, list[Segments]] = {}
        for path in self.by_path:
            found.setdefault(path[-1], []).append(path)
        return found

    def _named(self, name: str, at: Segments) -> Segments | None:
        steps = tuple(name.strip(WHITESPACE).replace("/", ".").split("."))
        beside = (*at[:-1], *steps)
        if beside in self.by_path:
            return beside
        found = [path for path in self.by_last.get(steps[-1], ()) if path[-len(steps) :] == steps]
        return found[0] if len(found) == 1 else None


def _scalars(tree: Tree, path: Segments) -> Iterator[tuple[Segments, Any]]:
    if isinstance(tree, Branch):
        for key, member in tree.members.items():
            yield from _scalars(member, (*path, key))
    elif path and not isinstance(tree.value, list):
        yield path, tree.value


def _is_alike(compared: Comparison, value: Any) -> bool:
    if is_number(compared.value):
        return is_number(value)
    return isinstance(value, str)
