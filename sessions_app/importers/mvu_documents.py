"""Where MVU keeps initial variables and rules: entries by their title, blocks in other texts, perhaps in a code fence.

- An entry with `[initvar]` in its title, of any case, is a document; with `<initvar>` blocks in it, these are.
- `<initvar>…</initvar>` in any other text is a document, too.
- Where a text has code fences, what stands in them counts, and what stands around them is left out with a remark.
- The language is seen from the first sign: `{` is loose JSON, `[` as well unless it is a TOML heading, `name =` is
  TOML, everything else is YAML. A fence that says `yaml` or `toml` decides before that.

Source: users of rp.state, sections 3 and 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sessions_app.importers.loose_json import read_loose_json
from sessions_app.importers.toml_text import read_toml
from sessions_app.importers.unreadable import Unreadable
from sessions_app.importers.yaml_core import read_yaml
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.text import is_blank

DOCUMENT_CHARS = 262_144
INITVAR_TITLE = "[initvar]"
RULES_TITLE = "[mvu_update]"

_INITVAR_TAG = re.compile("<(/?)initvar>", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)")
_BLANK_OR_COMMENT = re.compile(r"(?:\s|//[^\n]*(?:\n|\Z)|/\*[\s\S]*?(?:\*/|\Z)|#[^\n]*(?:\n|\Z))*+")
_TOML_HEADING = re.compile(r"\[{1,2}[^\[\]{},:\n]+\]{1,2}[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_TOML_MEMBER = re.compile(r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:\.(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*+[ \t]*=""")


class Language(StrEnum):
    """What a document is written in."""

    YAML = "YAML"
    LOOSE_JSON = "JSON"
    TOML = "TOML"


_READERS: Mapping[Language, Callable[[str, Limits], Any]] = {
    Language.YAML: read_yaml,
    Language.LOOSE_JSON: read_loose_json,
    Language.TOML: read_toml,
}
_LABELS = {"yaml": Language.YAML, "yml": Language.YAML, "toml": Language.TOML}


@dataclass(frozen=True)
class Source:
    """A lorebook entry, or a field or greeting of a card, under the name that its reader knows it by."""

    title: str
    content: str


@dataclass(frozen=True)
class Block:
    """A text that is one document: its first line counted in the source, and the label of its fence."""

    text: str
    label: str = ""
    lines_before: int = 0


@dataclass(frozen=True)
class Found:
    """The blocks of one source, and whether there was text around them."""

    blocks: tuple[Block, ...]
    has_other_text: bool = False


def has_initial_values(source: Source) -> bool:
    return INITVAR_TITLE in source.title.lower() or next(_tagged(source.content), None) is not None


def is_rules(source: Source) -> bool:
    return RULES_TITLE in source.title.lower()


def initial_blocks(source: Source) -> Found:
    """Return the documents with initial values in a source; none where it has no mark of them."""
    tagged = list(_tagged(source.content))
    if not tagged and INITVAR_TITLE not in source.title.lower():
        return Found(())
    found = [_fenced(block) for block in tagged or [Block(source.content)]]
    return Found(
        tuple(block for each in found for block in each.blocks if not is_blank(block.text)),
        any(each.has_other_text for each in found),
    )


def rule_blocks(source: Source) -> Found:
    """Return the documents of an entry with rules."""
    return _fenced(Block(source.content))


def read_block(block: Block, limits: Limits) -> Any:
    """Return the value of a document. Raises Unreadable, the line counted in the source."""
    if len(block.text) > DOCUMENT_CHARS:
        raise Unreadable(f"The document has more than {DOCUMENT_CHARS} characters; split it.")
    try:
        return _READERS[_language(block)](block.text, limits)
    except Unreadable as refusal:
        line = None if refusal.line is None else refusal.line + block.lines_before
        raise Unreadable(refusal.detail, line, refusal.column) from None


def _language(block: Block) -> Language:
    if block.label.lower() in _LABELS:
        return _LABELS[block.label.lower()]
    start = _BLANK_OR_COMMENT.match(block.text)
    rest = block.text[start.end() :] if start else block.text
    if _TOML_MEMBER.match(rest) or _TOML_HEADING.match(rest):
        return Language.TOML
    return Language.LOOSE_JSON if rest[:1] in ("{", "[") else Language.YAML


def _tagged(content: str) -> Iterator[Block]:
    """Yield what stands between each opening tag and the closing one after it."""
    start: int | None = None
    lines = seen = 0
    for tag in _INITVAR_TAG.finditer(content):
        if not tag[1] and start is None:
            start = tag.end()
            lines += content.count("\n", seen, start)
            seen = start
        elif tag[1] and start is not None:
            yield Block(content[start : tag.start()], lines_before=lines)
            start = None


def _fenced(block: Block) -> Found:
    """Return what stands in code fences, or the whole block where there are none."""
    inside: list[str] | None = None
    mark = label = ""
    begun = 0
    blocks: list[Block] = []
    outside: list[str] = []
    for number, line in enumerate(block.text.splitlines(keepends=True), start=1):
        fence = _FENCE.match(line)
        if inside is None and fence:
            inside, mark, label, begun = [], fence[1], fence[2], number
        elif inside is not None and fence and fence[1].startswith(mark) and is_blank(line[fence.end(1) :]):
            blocks.append(Block("".join(inside), label, block.lines_before + begun))
            inside = None
        else:
            (outside if inside is None else inside).append(line)
    if inside is not None:
        blocks.append(Block("".join(inside), label, block.lines_before + begun))
    return Found(tuple(blocks), not is_blank("".join(outside))) if blocks else Found((block,))
