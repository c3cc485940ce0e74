"""Complexity: the decision points of one source file, and what a set of counts means beside the ledger.

Counted are the statement keywords `if`, `for`, `while` and `catch` wherever they stand, and `case` and
`default` inside a switch body. They are taken from the leaf tokens of tree-sitter's grammars, so strings,
template text, JSX text, regular expressions and comments never count, nor do properties, methods and
private names that are spelled alike. The tree itself is asked one thing only: whether a `case` or `default`
belongs to a switch.

Code that does not parse is counted all the same: a keyword outside any statement that could be recovered is
judged by the text around it, a `case` or `default` by the braces that are open before it.

Source: state layer, "Complexity rule" and "Keys state/complexity/<file>".
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from fabric_app.evidence.source_errors import ComplexityFileUnreadable

LANGUAGE = "typescript/javascript"

# Angle brackets open type assertions in .ts and elements in .tsx, so the two need grammars of their own.
GRAMMARS = {
    ".js": tree_sitter_javascript.language,
    ".jsx": tree_sitter_javascript.language,
    ".ts": tree_sitter_typescript.language_typescript,
    ".tsx": tree_sitter_typescript.language_tsx,
}
KEYWORDS = """
["if" "for" "while" "catch"] @keyword
(switch_case . "case" @keyword)
(switch_default . "default" @keyword)
"""
STRAYS = '(ERROR ["if" "for" "while" "catch"] @stray) (ERROR ["case" "default"] @stray_label)'
BRACES = '["switch" "(" ")" "{" "}" "${"] @brace'

MEMBER_ACCESS = re.compile(rb"(?:^|[^.])\.\s*\Z")
PROPERTY_KEY = re.compile(rb"\s*\??:")
LOOK_BEHIND_BYTES = 64


@dataclass(frozen=True)
class FileCount:
    """What was found in one file; `count` is None where the language is unsupported or the file missing."""

    file: str
    supported: bool
    count: int | None
    missing: bool = False


@dataclass(frozen=True)
class Grammar:
    """A language and the compiled queries on it."""

    language: Language
    keywords: Query
    strays: Query
    braces: Query


def suffix_of(file: str) -> str:
    """Return the last suffix of a file name in lower case, with its dot; "" for none, and for a name like `.ts`."""
    stem, dot, suffix = posixpath.basename(file).rpartition(".")
    return dot + suffix.lower() if stem else ""


def language_of(file: str) -> str | None:
    """Return `LANGUAGE` for a supported file name (last suffix, in any case), None for all others."""
    return LANGUAGE if suffix_of(file) in GRAMMARS else None


def count_decision_points(file: str, source: bytes) -> int:
    """Return the number of decision points in `source` (UTF-8), read as the suffix of `file` says.

    Any bytes have a count. A file of an unsupported language is the caller's mistake: KeyError.
    """
    grammar = _grammar(suffix_of(file))
    # The grammars take a NUL for the end of the source; in the language it is a character like any other.
    root = Parser(grammar.language).parse(source.replace(b"\0", b" ")).root_node
    keywords = _captured(grammar.keywords, root, "keyword")
    if not root.has_error:
        return len(keywords)
    # Recovery inserts tokens that nobody wrote; they have no width.
    written = sum(keyword.end_byte > keyword.start_byte for keyword in keywords)
    return written + _correction_for_strays(grammar, root, source)


def transition_record(counts: Sequence[FileCount], ledger: Mapping[str, int]) -> dict[str, Any]:
    """Return the `complexity` member of a transition: `{files: [...], netDelta}`.

    ledger: the recorded count of each file that has one. The first count of a file is a baseline, delta 0.
    A file that is gone counts 0 where it has a ledger; otherwise ComplexityFileUnreadable.
    """
    _require_known(counts, ledger)
    files = [_transition_entry(found, ledger.get(found.file)) for found in counts]
    return {"files": files, "netDelta": _net(files)}


def comparison(
    counts: Sequence[FileCount], ledger: Mapping[str, int], recorded_deltas: Mapping[str, int]
) -> dict[str, Any]:
    """Return the result of `state.complexity`: each count beside what is recorded, and the net difference.

    ledger, recorded_deltas: `count` and `lastDelta` of each file that has a ledger.
    Raises ComplexityFileUnreadable for files that are gone and have no ledger.
    """
    _require_known(counts, ledger)
    files = [_compared_entry(found, ledger, recorded_deltas) for found in counts]
    return {"files": files, "netDelta": _net(files)}


@cache
def _grammar(suffix: str) -> Grammar:
    language = Language(GRAMMARS[suffix]())
    return Grammar(
        language=language,
        keywords=Query(language, KEYWORDS),
        strays=Query(language, STRAYS),
        braces=Query(language, BRACES),
    )


def _captured(query: Query, root: Node, name: str) -> list[Node]:
    return QueryCursor(query).captures(root).get(name, [])


def _correction_for_strays(grammar: Grammar, root: Node, source: bytes) -> int:
    """Return what unparsed regions add: labels of a broken switch, less names that look like keywords."""
    strays = QueryCursor(grammar.strays).captures(root)
    names = sum(_is_name(node, source) for node in strays.get("stray", []))
    labels = [node for node in strays.get("stray_label", []) if not _is_name(node, source)]
    return _inside_switch_body(labels, _captured(grammar.braces, root, "brace")) - names


def _is_name(node: Node, source: bytes) -> bool:
    """Tell whether the text around an unparsed keyword makes it a property: `.for`, `if: 1`."""
    before = source[max(0, node.start_byte - LOOK_BEHIND_BYTES) : node.start_byte]
    if MEMBER_ACCESS.search(before):
        return True
    is_key = PROPERTY_KEY.match(source, node.end_byte) is not None
    return is_key != (node.type == "default")


def _inside_switch_body(labels: Iterable[Node], braces: Iterable[Node]) -> int:
    """Return how many labels have the body of a switch as the innermost brace that is open before them."""
    inside = 0
    open_braces: list[bool] = []  # True for each one that opened a switch body
    heads: list[int] = []  # open parentheses since each `switch` whose body has not begun
    for token in sorted([*labels, *braces], key=lambda node: node.start_byte):
        kind = token.type
        if kind in {"case", "default"}:
            inside += bool(open_braces and open_braces[-1])
        elif kind == "switch":
            heads.append(0)
        elif kind in {"(", ")"}:
            _count_parenthesis(heads, kind)
        elif kind == "}":
            del open_braces[-1:]
        else:
            body = kind == "{" and bool(heads) and heads[-1] == 0
            open_braces.append(body)
            del heads[len(heads) - body :]
    return inside


def _count_parenthesis(heads: list[int], kind: str) -> None:
    if heads:
        heads[-1] = max(0, heads[-1] + (1 if kind == "(" else -1))


def _require_known(counts: Iterable[FileCount], ledger: Mapping[str, int]) -> None:
    unknown = [found.file for found in counts if found.missing and found.file not in ledger]
    if unknown:
        raise ComplexityFileUnreadable([(file, "it does not exist") for file in unknown])


def _net(entries: Iterable[Mapping[str, Any]]) -> int:
    return sum(entry.get("delta", 0) for entry in entries)


def _transition_entry(found: FileCount, previous: int | None) -> dict[str, Any]:
    if not found.supported:
        return {"file": found.file, "supported": False}
    current = found.count or 0
    entry: dict[str, Any] = {"file": found.file, "supported": True, "language": LANGUAGE}
    if previous is not None:
        entry["previous"] = previous
    entry |= {"current": current, "delta": _delta(current, previous), "baseline": previous is None}
    return entry | _missing_member(found)


def _compared_entry(found: FileCount, ledger: Mapping[str, int], recorded_deltas: Mapping[str, int]) -> dict[str, Any]:
    if not found.supported:
        return {"file": found.file, "supported": False}
    current, recorded = found.count or 0, ledger.get(found.file)
    entry: dict[str, Any] = {"file": found.file, "supported": True, "language": LANGUAGE, "current": current}
    if recorded is not None:
        entry["recorded"] = recorded
    entry["delta"] = _delta(current, recorded)
    if found.file in recorded_deltas:
        entry["recordedDelta"] = recorded_deltas[found.file]
    return entry | _missing_member(found)


def _delta(current: int, previous: int | None) -> int:
    return 0 if previous is None else current - previous


def _missing_member(found: FileCount) -> dict[str, bool]:
    return {"missing": True} if found.missing else {}
