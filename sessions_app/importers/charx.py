"""The card of a `.charx` file: a zip archive with `card.json`; the pictures in it are not unpacked.

Source: users of rp.state, "The files people bring", section 2.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from sessions_app.importers.errors import ArchiveUnreadable, ImportTooLarge, NotACard
from sessions_app.importers.limits import ImportLimits

CARD = "card.json"

_MEMBER_MARK = b"PK\x01\x02"
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_IS_ENCRYPTED = 0x1
# What the standard library raises for one damage or another.
_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)


def is_archive(content: bytes) -> bool:
    """Tell whether the content is a zip archive; other bytes may stand before it, as a picture."""
    try:
        return zipfile.is_zipfile(io.BytesIO(content))
    except _DAMAGES:
        return False


def card_member(content: bytes, limits: ImportLimits) -> bytes:
    """Return the text of the card. Raises ArchiveUnreadable, ImportTooLarge, NotACard."""
    if content.count(_MEMBER_MARK) > limits.archive_members:
        raise ImportTooLarge.at("", f"The archive has more than {limits.archive_members} files.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _unpacked(archive, limits)
    except _DAMAGES:
        raise ArchiveUnreadable.at("", "It is damaged; make it again.") from None


def _unpacked(archive: zipfile.ZipFile, limits: ImportLimits) -> bytes:
    member = archive.NameToInfo.get(CARD)
    if member is None:
        raise NotACard.at("", f"The archive has no {CARD}, which is where a card stands.")
    if member.flag_bits & _IS_ENCRYPTED:
        raise ArchiveUnreadable.at(f"/{CARD}", "It is encrypted; save it without a password.")
    if member.compress_type not in _PACKINGS:
        raise ArchiveUnreadable.at(f"/{CARD}", "It is packed in a way that is not read; use deflate.")
    with archive.open(member) as file:
        text = file.read(limits.text_bytes + 1)
    if len(text) > limits.text_bytes:
        raise ImportTooLarge.at(f"/{CARD}", f"It has more than {limits.text_bytes} bytes.")
    return text
