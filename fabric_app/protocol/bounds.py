"""How much of a text goes where. Cuts fall between characters and say how many bytes they left out.

- A report keeps more of a text than an event does; both keep a digest of the whole beside it.
- Limits are UTF-8 bytes. A text that JSON must escape grows on the way into an event (a control character takes six
  bytes), so an event is measured as JSON, and cut harder where the usual limits leave it too large (`fitted`).
- A lone surrogate counts as the three bytes that it would take in UTF-8.

Source: state layer, "state.verify"; exact limits in fabric 1.4, 7.1.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from fabric_app.mesh.texts import cut_text

KIB = 1024
OUTPUT_BYTES = 32 * KIB
RESULT_TEXT_BYTES = 8 * KIB
EVENT_TEXT_BYTES = KIB
EVENT_OUTPUT_BYTES = 4 * KIB
ERROR_BYTES = KIB

EVENT_RESULTS = 8
EVENT_REASONS = 8
TARGETS_PER_CHUNK = 16
DELETED_PER_CHUNK = 8
ROLLBACK_ERRORS = 8
RECENT_CERTIFICATES = 20
RECENT_LABEL_TRANSITIONS = 20
HEAD_ATTEMPTS = 8

MAX_TRANSITION_ID_CHARS = 200
MAX_EVENT_BYTES = 256 * KIB
DEFAULT_TIMEOUT_MS = 30_000

# What an event carries around its data: id, topic, kind, sender, a line of text, time, and digests of the log.
ENVELOPE_BYTES = 4 * KIB

Built = TypeVar("Built")


@dataclass(frozen=True)
class Cut:
    """A rule for the texts of one event: None keeps the documented bytes; n keeps an nth of them, as bytes of JSON."""

    shrink: int | None = None

    def text(self, value: str, limit: int = EVENT_TEXT_BYTES) -> tuple[str, int]:
        if self.shrink is None:
            return cut_text(value, limit)
        return cut_escaped(value, limit // self.shrink)

    def kept(self, value: str) -> str:
        return self.text(value)[0]


USUAL_CUT = Cut()
# First the documented limits as they are, then the same numbers as bytes of JSON, then halves of them.
CUTS = (USUAL_CUT, *(Cut(shrink=2**power) for power in range(11)))


def utf8_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def cut_escaped(text: str, limit_bytes: int) -> tuple[str, int]:
    """Return the longest prefix whose JSON form (without its quotes) fits, and the UTF-8 bytes left out."""
    prefix, _ = cut_text(text, limit_bytes)
    if escaped_length(prefix) > limit_bytes:
        prefix = prefix[: _fitting_characters(prefix, limit_bytes)]
    return prefix, utf8_length(text) - utf8_length(prefix)


def escaped_length(text: str) -> int:
    """Return how many bytes the text takes inside a JSON string."""
    encoded = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
    surrogates = sum(1 for character in text if "\ud800" <= character <= "\udfff")
    return len(encoded) - 2 + 3 * surrogates  # \udxxx is six bytes where surrogatepass gave three


def fitted(build: Callable[[Cut], Built], *, max_bytes: int, size: Callable[[Built], int]) -> Built:
    """Return what `build` makes with the mildest cut that keeps its JSON, with the envelope, within `max_bytes`.

    Returns the hardest cut where none fits: the log then refuses the event as too large, and says so.
    """
    budget = max_bytes - ENVELOPE_BYTES
    for cut in CUTS[:-1]:
        built = build(cut)
        if size(built) <= budget:
            return built
    return build(CUTS[-1])


def _fitting_characters(text: str, limit_bytes: int) -> int:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if escaped_length(text[:middle]) <= limit_bytes:
            low = middle
        else:
            high = middle - 1
    return low
