"""JSON of files that people bring: strict, and as the world writes it (a byte-order mark is accepted)."""

from __future__ import annotations

import codecs
import re
from typing import Any

from fabric_app.mesh.errors import Problem
from fabric_app.mesh.strict_json import InvalidJSON, loads
from sessions_app.importers.errors import ImportTooLarge, JSONUnreadable
from sessions_app.importers.limits import ImportLimits

# Possessive, so that no text makes the scan go back.
_STRING_OR_SEPARATOR = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[,\[{]', re.DOTALL)


def read_json(content: bytes, limits: ImportLimits) -> Any:
    """Return the value that the content describes. Raises JSONUnreadable, ImportTooLarge."""
    text = content.removeprefix(codecs.BOM_UTF8)
    if len(text) > limits.text_bytes:
        raise ImportTooLarge.at("", f"At most {limits.text_bytes} bytes of JSON are read.")
    if _has_more_nodes(text, limits.nodes):
        raise ImportTooLarge.at("", f"At most {limits.nodes} values are read.")
    try:
        return loads(text, max_depth=limits.depth)
    except InvalidJSON as refused:
        raise JSONUnreadable([_sentence(problem) for problem in refused.problems]) from None


def check_size(content: bytes, limits: ImportLimits) -> None:
    """Raise ImportTooLarge where the file has more bytes than are read."""
    if len(content) > limits.file_bytes:
        raise ImportTooLarge.at("", f"The file has {len(content)} bytes; at most {limits.file_bytes} are read.")


def _has_more_nodes(text: bytes, most: int) -> bool:
    """Tell whether there are more values than `most`, before any of them takes memory."""
    if sum(map(text.count, (b",", b"[", b"{"))) <= most:
        return False
    found = (match for match in _STRING_OR_SEPARATOR.finditer(text) if text[match.start()] != ord('"'))
    return any(count > most for count, _ in enumerate(found, start=1))


def _sentence(problem: Problem) -> Problem:
    detail = f"{problem.detail[:1].upper()}{problem.detail[1:]}"
    return Problem(problem.path, problem.code, detail if detail.endswith(".") else f"{detail}.")
