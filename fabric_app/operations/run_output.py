"""Cutting a run's output into pieces to store: bounded in all, and between characters, so that each shows alone."""

from __future__ import annotations

import codecs

PIECE_BYTES = 64 * 1024


class StoredOutput:
    """Takes bytes as they come and gives back pieces to store, at most `limit` bytes over the whole run.

    total_bytes: everything that came. is_cut: something was left out.
    """

    def __init__(self, limit: int) -> None:
        self.total_bytes = 0
        self.is_cut = False
        self._room = limit
        self._pending = bytearray()

    @property
    def pending_bytes(self) -> int:
        return len(self._pending)

    def feed(self, chunk: bytes) -> None:
        self.total_bytes += len(chunk)
        if self.is_cut:
            return
        kept = chunk if len(chunk) <= self._room else chunk[: self._room]
        self._pending += kept
        self._room -= len(kept)
        self.is_cut = len(kept) < len(chunk)

    def pieces(self, *, is_end: bool) -> list[bytes]:
        """Return what can be stored now; but at the end of a command, an unfinished character waits for its rest."""
        found = []
        while self._pending:
            piece = bytes(self._pending[:PIECE_BYTES])
            is_rest = len(piece) == len(self._pending)
            length = len(piece) if is_rest and is_end else complete_length(piece)
            if length == 0:
                break
            found.append(piece[:length])
            del self._pending[:length]
        return found


def complete_length(raw: bytes) -> int:
    """Return the length of `raw` without a UTF-8 character that only begins at its end."""
    return codecs.utf_8_decode(raw, "replace", False)[1]
