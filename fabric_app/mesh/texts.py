"""Cutting texts to a number of bytes, between characters."""

from __future__ import annotations

CONTINUATION_BYTES = range(0x80, 0xC0)


def cut_text(text: str, limit_bytes: int) -> tuple[str, int]:
    """Return the longest prefix of whole characters within `limit_bytes` of UTF-8, and the bytes left out."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= limit_bytes:
        return text, 0
    end = limit_bytes
    while end > 0 and _continues(raw[end]):
        end -= 1
    return raw[:end].decode("utf-8", "surrogatepass"), len(raw) - end


def _continues(byte: int) -> bool:
    """True for the second and later bytes of a UTF-8 character."""
    return byte in CONTINUATION_BYTES
