"""Texts as ECMAScript reads them: what counts as blank, and how a text is shown in a sentence.

Python's own `strip` takes U+001C to U+001F and U+0085 too and leaves U+FEFF, so that clients in two languages would
disagree about what is blank.

Source: rp.state, section 1.
"""

from __future__ import annotations

import re

from fabric_app.mesh.canonical import dumps

_EN_QUAD_TO_HAIR_SPACE = "".join(map(chr, range(0x2000, 0x200B)))
WHITESPACE = f"\t\n\v\f\r \u00a0\u1680{_EN_QUAD_TO_HAIR_SPACE}\u2028\u2029\u202f\u205f\u3000\ufeff"
SHOWN_CHARS = 80

_SURROGATE = re.compile("[\ud800-\udfff]")


def trimmed(text: str) -> str:
    """Return the text without white space at its ends."""
    return text.strip(WHITESPACE)


def is_blank(text: str) -> bool:
    return trimmed(text) == ""


def has_surrogate(text: str) -> bool:
    """Tell whether the text has half of a surrogate pair, which no UTF-8 can carry."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def without_surrogates(text: str) -> str:
    """Return the text with each half of a surrogate pair written as its escape, so that it can be sent."""
    return text if text.isascii() else _SURROGATE.sub(_escaped, text)


def shown(text: str) -> str:
    """Return the text in JSON quotes, cut after `SHOWN_CHARS` characters."""
    return dumps(text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}...")


def _escaped(surrogate: re.Match[str]) -> str:
    return f"\\u{ord(surrogate[0]):04x}"
