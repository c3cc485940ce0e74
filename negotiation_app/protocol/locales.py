"""Amounts as people write them in their country, read strictly by its separators into a plain decimal.

Digits of any script count. Groups must have the right length; nothing is guessed. Source: section 4.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_SPACES = " \u00a0\u202f"
_MOST_CHARS = 100
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_DIGITS = re.compile("[0-9]+")
_WHOLE = re.compile("[1-9][0-9]*")
_THOUSANDS = re.compile("[1-9][0-9]{0,2}(,[0-9]{3})+")
_INDIAN_GROUPS = re.compile("[1-9][0-9]?(,[0-9]{2})*,[0-9]{3}")


@dataclass(frozen=True)
class _Style:
    """The marks between groups, the decimal mark, and how groups are cut: by thousands, or as in India."""

    groups: str
    decimal: str
    is_indian: bool = False


_POINT = _Style(",", ".")
_INDIAN = _Style(",", ".", is_indian=True)
_COMMA = _Style(".", ",")
_SPACED = _Style(_SPACES, ",")
_ARABIC = _Style("\u066c", "\u066b")
_BY_TAG = {"en-in": _INDIAN, "de-ch": _Style("\u2019'", ".")}
_BY_LANGUAGE = {
    **dict.fromkeys(("en", "zh", "ja"), _POINT),
    "hi": _INDIAN,
    **dict.fromkeys(("de", "es", "it", "nl", "pt", "da", "tr", "id"), _COMMA),
    **dict.fromkeys(("fr", "pl", "ru", "uk", "cs", "sv", "nb", "fi"), _SPACED),
    **dict.fromkeys(("ar", "fa"), _ARABIC),
}


def amount_in(text: str, locale: str) -> str | None:
    """Return the plain decimal that a text writes in a locale; None where it does not, or the locale is not known."""
    style = _style(locale)
    if style is None or len(text) > _MOST_CHARS:
        return None
    digits = "".join(_digit(mark) for mark in text.strip())
    sign, body = ("-", digits[1:]) if digits[:1] in {"-", "\u2212"} else ("", digits)
    whole, mark, decimals = body.partition(style.decimal)
    plain = _ungrouped(whole, style)
    if plain is None or (mark and not _DIGITS.fullmatch(decimals)):
        return None
    return f"{sign}{plain}{f'.{decimals}' if mark else ''}"


def _style(locale: str) -> _Style | None:
    if not _TAG.fullmatch(locale):
        return None
    tag = locale.lower()
    return _BY_TAG.get("-".join(tag.split("-")[:2])) or _BY_LANGUAGE.get(tag.split("-")[0])


def _digit(mark: str) -> str:
    """Return a decimal digit of any script in ASCII; other marks as they are."""
    return mark if unicodedata.category(mark) != "Nd" else str(unicodedata.decimal(mark))


def _ungrouped(whole: str, style: _Style) -> str | None:
    """Return the digits of a whole number without the marks between its groups; None where they are cut otherwise."""
    if whole == "0" or _WHOLE.fullmatch(whole):
        return whole
    marks = set(whole) - set("0123456789")
    if len(marks) != 1 or not marks <= set(style.groups):
        return None
    mark = marks.pop()
    form = _INDIAN_GROUPS if style.is_indian else _THOUSANDS
    return whole.replace(mark, "") if form.fullmatch(whole.replace(mark, ",")) else None
