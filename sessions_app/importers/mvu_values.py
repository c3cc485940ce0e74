"""The tree of an MVU document: values with their descriptions, without what is only meant for MVU.

A list of two items whose second is a text may be a cell of the old style, `[value, description]`:
- with a first item that is no text it is a cell;
- with two texts it is a cell where its document is in the old style, and else a list; a remark tells how it was read.
A document is in the old style where it has a cell of the first kind, and at least as many of them as members of objects
that are plain scalars.

`$meta` and the array marker are hints for a schema, and taken out of the data. In arrays nothing has a description.

Two trees merge as the documents did: objects deeply, in order, anything else as a whole.

Source: users of rp.state, section 3, and the fault "Two variables named alike in two books".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions_app.importers.mvu_remarks import Remark, RemarkCode
from sessions_app.protocol.pointer import below
from sessions_app.protocol.text import trimmed

META = "$meta"
ARRAY_MARKER = "$__META_EXTENSIBLE__$"
PAIR = 2


@dataclass(frozen=True)
class Meta:
    """What `$meta` says of an object; None where it says nothing of that."""

    extensible: bool | None = None
    is_recursive: bool = False
    required: tuple[str, ...] | None = None
    template: Any = None


@dataclass(frozen=True)
class Leaf:
    """A scalar or an array, as it is stored."""

    value: Any
    description: str | None = None


@dataclass(frozen=True)
class Branch:
    """An object with its members."""

    members: Mapping[str, Tree] = field(default_factory=dict)
    meta: Meta = Meta()
    description: str | None = None


Tree = Leaf | Branch


def tree_of(document: Mapping[str, Any], source: str, remarks: list[Remark]) -> Branch:
    """Return the tree of a document that is within the limits of values."""
    reading = _Reading(is_old_style(document), source, remarks)
    return reading.branch(document, "", None)


def is_old_style(document: Mapping[str, Any]) -> bool:
    """Tell whether cells are how this document writes its values."""
    cells = scalars = 0
    for value in _members(document):
        cells += _is_sure_cell(value)
        scalars += not isinstance(value, dict | list)
    return 0 < cells >= scalars


def merged(first: Branch, second: Branch) -> Branch:
    """Return the first tree with the second one laid over it."""
    members = dict(first.members)
    for key, over in second.members.items():
        under = members.get(key)
        members[key] = merged(under, over) if isinstance(under, Branch) and isinstance(over, Branch) else over
    meta = first.meta if second.meta == Meta() else second.meta
    return Branch(members, meta, second.description or first.description)


def plain(tree: Tree) -> Any:
    """Return the value of a tree."""
    if isinstance(tree, Leaf):
        return tree.value
    return {key: plain(member) for key, member in tree.members.items()}


def _members(document: Any) -> Iterator[Any]:
    """Yield the members of all objects in a document that stand in no array, cells apart; hints are passed over."""
    for key, value in document.items():
        if key == META:
            continue
        yield value
        inner = value[0] if _is_sure_cell(value) else value
        if isinstance(inner, dict):
            yield from _members(inner)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == PAIR and isinstance(value[1], str) and value[1] != ARRAY_MARKER


def _is_sure_cell(value: Any) -> bool:
    return _is_pair(value) and not isinstance(value[0], str)


class _Reading:
    """One reading of one document."""

    def __init__(self, is_old_style: bool, source: str, remarks: list[Remark]) -> None:
        self.is_old_style = is_old_style
        self.source = source
        self.remarks = remarks

    def tree(self, value: Any, path: str) -> Tree:
        description = None
        if self.is_cell(value, path):
            value, description = value[0], trimmed(value[1]) or None
        if isinstance(value, dict):
            return self.branch(value, path, description)
        return Leaf(self.stored(value, path), description)

    def is_cell(self, value: Any, path: str) -> bool:
        if not _is_pair(value):
            return False
        if not isinstance(value[0], str):
            return True
        read_as = "a value with its description" if self.is_old_style else "a list of two texts"
        self.remark(
            RemarkCode.PAIR_AMBIGUOUS, f"The two texts may be a value and its description; read as {read_as}.", path
        )
        return self.is_old_style

    def branch(self, value: Mapping[str, Any], path: str, description: str | None) -> Branch:
        members = {key: self.tree(item, below(path, key)) for key, item in value.items() if key != META}
        return Branch(members, self.meta(value.get(META), path), description)

    def meta(self, raw: Any, path: str) -> Meta:
        if not isinstance(raw, dict):
            if raw is not None:
                self.remark(RemarkCode.HINT_LEFT_OUT, "$meta is no object, and was left out.", path)
            return Meta()
        required = raw.get("required")
        is_recursive = raw.get("recursiveExtensible") is True
        extensible = raw.get("extensible")
        return Meta(
            extensible=extensible if isinstance(extensible, bool) else is_recursive or None,
            is_recursive=is_recursive,
            required=tuple(each for each in required if isinstance(each, str)) if isinstance(required, list) else None,
            template=raw.get("template"),
        )

    def stored(self, value: Any, path: str) -> Any:
        """Return a value as it is kept in an array: no hints, and of cells with a sure form the value alone."""
        if isinstance(value, list):
            items = [item for item in value if item != ARRAY_MARKER]
            return [self.stored_item(item, path) for item in items]
        if isinstance(value, dict):
            return {key: self.stored_item(item, path) for key, item in value.items() if key != META}
        return value

    def stored_item(self, value: Any, path: str) -> Any:
        if isinstance(value, list) and _is_sure_cell(value) and self.is_old_style:
            self.remark(RemarkCode.TEXT_LEFT_OUT, "A description inside an array was left out.", path)
            value = value[0]
        return self.stored(value, path)

    def remark(self, code: RemarkCode, message: str, path: str) -> None:
        self.remarks.append(Remark(code, message, path=path, source=self.source))
