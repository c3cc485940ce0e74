"""The text chunks of a PNG file that carry a card: `ccv3` and `chara`, as tEXt, zTXt or iTXt.

The picture itself is not looked at. The check sum of each chunk that is read has to be right. Compressed texts are
unpacked up to the limit and no further.

Source: users of rp.state, "The files people bring", section 2; PNG specification, sections 5 and 11.3.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from sessions_app.importers.errors import ImportTooLarge, PictureUnreadable
from sessions_app.importers.limits import ImportLimits

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORDS = ("ccv3", "chara")

_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt")
_KEYWORD_BYTES = 79
_AROUND_DATA = 12


def card_chunks(content: bytes, limits: ImportLimits) -> Iterator[tuple[str, bytes]]:
    """Yield the keyword, in lower case, and the text of each chunk with a card. Raises PictureUnreadable."""
    for kind, start, end in _chunks(content, limits):
        if kind not in _TEXT_CHUNKS:
            continue
        separator = content.find(b"\0", start, min(end, start + _KEYWORD_BYTES + 1))
        keyword = content[start : max(separator, start)].decode("latin-1").lower()
        if keyword in KEYWORDS:
            _check_sum(content, start, end)
            yield keyword, _text(kind, content[separator + 1 : end], limits)


def _chunks(content: bytes, limits: ImportLimits) -> Iterator[tuple[bytes, int, int]]:
    """Yield the kind of each chunk, and where its data begins and ends, up to IEND; what follows that is no chunk."""
    at = len(SIGNATURE)
    for _ in range(limits.chunks):
        if at == len(content):
            return
        end = at + _AROUND_DATA + int.from_bytes(content[at : at + 4], "big")
        if len(content) - at < _AROUND_DATA or end > len(content):
            raise PictureUnreadable.at("", f"It ends in the middle of the chunk at byte {at}; the file is cut off.")
        kind = content[at + 4 : at + 8]
        yield kind, at + 8, end - 4
        if kind == b"IEND":
            return
        at = end
    raise ImportTooLarge.at("", f"The picture has more than {limits.chunks} chunks.")


def _check_sum(content: bytes, start: int, end: int) -> None:
    if zlib.crc32(content[start - 4 : end]) != int.from_bytes(content[end : end + 4], "big"):
        raise PictureUnreadable.at("", f"The chunk at byte {start - 8} has a wrong check sum; the file is damaged.")


def _text(kind: bytes, data: bytes, limits: ImportLimits) -> bytes:
    """Return the text of a chunk, `data` being what follows the keyword."""
    if kind == b"tEXt":
        return data
    if kind == b"zTXt":
        return _unpacked(data[1:], data[:1], limits)
    flag, method, rest = data[:1], data[1:2], data[2:]
    parts = rest.split(b"\0", 2)  # language, translated keyword, text
    if len(parts) != 3 or flag not in (b"\0", b"\1"):  # noqa: PLR2004
        raise PictureUnreadable.at("", "An iTXt chunk with a card has not the form of one.")
    return _unpacked(parts[2], method, limits) if flag == b"\1" else parts[2]


def _unpacked(packed: bytes, method: bytes, limits: ImportLimits) -> bytes:
    most = _most_encoded(limits)
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(packed, most + 1)
    except zlib.error:
        raise PictureUnreadable.at("", "A compressed text in it cannot be unpacked.") from None
    if len(text) > most:
        raise ImportTooLarge.at("", f"A compressed text in it has more than {most} bytes.")
    if method != b"\0" or not unpacking.eof:
        raise PictureUnreadable.at("", "A compressed text in it cannot be unpacked.")
    return text


def _most_encoded(limits: ImportLimits) -> int:
    """Return how long the base64 text of the longest JSON text is."""
    return limits.text_bytes * 4 // 3 + 4
