"""How much of everything a file may have that somebody brings.

Characters are Unicode code points. What an entry may have is what the protocol stores of one. An archive or a
compressed chunk is never unpacked beyond `text_bytes`, whatever it says of its own size.
"""

from __future__ import annotations

from dataclasses import dataclass

from sessions_app.protocol.world_book_reading import CONTENT_CHARS, KEY_CHARS, MOST_ENTRIES, MOST_KEYS

MIB = 1024 * 1024


@dataclass(frozen=True)
class ImportLimits:
    """Every bound of the importers; a value exactly at its bound is accepted."""

    # The file itself; a picture or an archive carries much beside its text.
    file_bytes: int = 64 * MIB
    text_bytes: int = 16 * MIB
    chunks: int = 100_000
    archive_members: int = 10_000

    # JSON.
    depth: int = 64
    nodes: int = 500_000

    # World books.
    entries: int = MOST_ENTRIES
    keys: int = MOST_KEYS
    key_chars: int = KEY_CHARS
    content_chars: int = CONTENT_CHARS

    # Cards.
    field_chars: int = 200_000
    listed: int = 256

    # Chats.
    messages: int = 200_000
    lines: int = 400_001
    message_chars: int = 200_000
    variants: int = 256

    problems: int = 64


DEFAULT_IMPORT_LIMITS = ImportLimits()
