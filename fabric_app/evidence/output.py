"""A bounded UTF-8 prefix of a byte stream, with exact accounting of what it leaves out.

- The text is at most `limit` bytes of UTF-8 and never splits a character.
- Bytes that are no UTF-8 become U+FFFD, one for each maximal ill-formed part; they are replaced, never dropped.
- A character that the limit cuts is left out whole; at the true end of the stream it is ill-formed and replaced.
- `omitted_bytes` are the raw bytes that the text does not represent; count and digest cover the whole stream.

How the stream was cut into chunks changes nothing. Source: state layer, "state.verify"; fabric, section 8.
"""

from __future__ import annotations

import codecs
import hashlib

REPLACEMENT = "\ufffd"
REPLACEMENT_BYTES = len(REPLACEMENT.encode())


class BoundedOutput:
    """Takes a stream chunk by chunk and keeps its first `limit` bytes, its length and its digest."""

    def __init__(self, limit: int = 32_768) -> None:
        self._limit = limit
        self._head = bytearray()
        self._total = 0
        self._hash = hashlib.sha256()

    def feed(self, chunk: bytes) -> None:
        self._hash.update(chunk)
        self._total += len(chunk)
        room = self._limit - len(self._head)
        if room > 0:
            self._head += chunk[:room]

    @property
    def total_bytes(self) -> int:
        return self._total

    @property
    def digest(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"

    @property
    def text(self) -> str:
        return self._represented()[0]

    @property
    def omitted_bytes(self) -> int:
        return self._total - self._represented()[1]

    def _represented(self) -> tuple[str, int]:
        # Text is never shorter than its raw bytes, so that `limit` raw bytes are always enough to fill it.
        raw = bytes(self._head)
        if self._total > len(raw):
            raw = raw[: _complete_length(raw)]
        return decode_bounded(raw, self._limit)


def decode_bounded(raw: bytes, limit: int) -> tuple[str, int]:
    """Return the longest text of at most `limit` bytes that stands for a prefix of `raw`, and the prefix's length."""
    parts: list[str] = []
    room = limit
    position = 0
    while position < len(raw):
        valid, bad_length = _next_parts(raw, position)
        kept = valid if len(valid) <= room else valid[: _complete_length(valid[:room])]
        parts.append(kept.decode())
        position += len(kept)
        room -= len(kept)
        if len(kept) < len(valid) or not bad_length or room < REPLACEMENT_BYTES:
            break
        parts.append(REPLACEMENT)
        position += bad_length
        room -= REPLACEMENT_BYTES
    return "".join(parts), position


def _next_parts(raw: bytes, start: int) -> tuple[bytes, int]:
    """Return the well-formed bytes from `start` on, and the length of the ill-formed part behind them (0: the end)."""
    rest = raw[start:]
    try:
        rest.decode()
    except UnicodeDecodeError as error:
        return rest[: error.start], error.end - error.start
    return rest, 0


def _complete_length(raw: bytes) -> int:
    """Return the length of `raw` without a character that only begins at its end."""
    return codecs.utf_8_decode(raw, "replace", False)[1]
