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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from fabric_app.protocol.source_errors import ComplexityFileUnreadable

LANGUAGE = "typescript/javascript"

# Angle brackets open type assertions in .ts and elements in .tsx, so the two need grammars of their own.
GRAMMARS = {
    ".js": tree_sitter_javascript.language,
    ".jsx": tree_sitter_javascript.language,
    ".ts": tree_sitter_typescript.language_typescript,
    ".tsx": tree_sitter_typescript.language_tsx,
}
STATEMENT_WORDS = frozenset({"if", "for", "while", "catch"})
LABEL_WORDS = frozenset({"case", "default"})
SWITCH_LABELS = frozenset({"switch_case", "switch_default"})
KEYWORD = re.compile(rb"\b(?:if|for|while|catch|case|default)\b")
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
    language = _grammar(suffix_of(file))
    # The grammars take a NUL for the end of the source; in the language it is a character like any other.
    source = source.replace(b"\0", b" ")
    root = Parser(language).parse(source).root_node
    keywords = list(_keyword_tokens(root, source))
    if root.has_error:
        return _count_in_broken_code(language, root, source, keywords)
    return sum(token.type in STATEMENT_WORDS or _parent_type(token) in SWITCH_LABELS for token in keywords)


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
def _grammar(suffix: str) -> Language:
    return Language(GRAMMARS[suffix]())


def _keyword_tokens(root: Node, source: bytes) -> Iterator[Node]:
    """Yield each word that the grammar took for a keyword, in order.

    Looking up the few words that could be one costs half of a query, which visits every node; and the tokens that
    recovery makes up are passed over, since they have no text.
    """
    for word in KEYWORD.finditer(source):
        token = root.descendant_for_byte_range(*word.span())
        if token is not None and token.type == word[0].decode():
            yield token


def _parent_type(token: Node) -> str:
    return token.parent.type if token.parent is not None else "ERROR"


def _count_in_broken_code(language: Language, root: Node, source: bytes, keywords: Iterable[Node]) -> int:
    """Count tokens of recovered statements as ever, and those left over by the text and braces around them."""
    count = 0
    labels = []
    for token in keywords:
        parent = _parent_type(token)
        if parent == "ERROR" and _is_name(token, source):
            continue
        if parent == "ERROR" and token.type in LABEL_WORDS:
            labels.append(token)
        else:
            count += token.type in STATEMENT_WORDS or parent in SWITCH_LABELS
    return count + (_inside_switch_body(labels, _braces(language, root)) if labels else 0)


def _braces(language: Language, root: Node) -> list[Node]:
    return QueryCursor(Query(language, BRACES)).captures(root).get("brace", [])


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
