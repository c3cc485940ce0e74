"""The JSON of a card in whatever file it comes: bare, in a picture's text chunks, in an archive.

Source: users of rp.state, "The files people bring", section 2.
"""

from __future__ import annotations

import binascii

from sessions_app.importers.charx import card_member, is_archive
from sessions_app.importers.errors import ImportTooLarge, NotACard, PictureUnreadable
from sessions_app.importers.limits import ImportLimits
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.importers.png import KEYWORDS, SIGNATURE, card_chunks
from sessions_app.importers.reading import Reading

_WHITESPACE = b" \t\r\n"


def card_text(content: bytes, reading: Reading) -> bytes:
    """Return the JSON text of a card. Raises PictureUnreadable, ArchiveUnreadable, ImportTooLarge, NotACard."""
    if content.startswith(SIGNATURE):
        return _text_in_picture(content, reading)
    if is_archive(content):
        return card_member(content, reading.limits)
    return content


def _text_in_picture(content: bytes, reading: Reading) -> bytes:
    """Return the first `ccv3`, or the first `chara` where there is none."""
    found: dict[str, bytes] = {}
    for keyword, text in card_chunks(content, reading.limits):
        if found.setdefault(keyword, text) != text:
            reading.tell(NoticeCode.CARD_TWICE, "", keyword)
    for keyword in KEYWORDS:
        if keyword in found:
            return _decoded(found[keyword], keyword, reading.limits)
    raise NotACard.at("", "The picture has no card in it; sites that make pictures smaller throw it away.")


def _decoded(text: bytes, keyword: str, limits: ImportLimits) -> bytes:
    encoded = text.translate(None, _WHITESPACE).rstrip(b"=")
    if len(encoded) * 3 // 4 > limits.text_bytes:
        raise ImportTooLarge.at("", f"The card in the picture has more than {limits.text_bytes} bytes.")
    try:
        return binascii.a2b_base64(encoded + b"=" * (-len(encoded) % 4), strict_mode=True)
    except binascii.Error:
        raise PictureUnreadable.at("", f"The text {keyword} in it is not base64; the card is damaged.") from None
