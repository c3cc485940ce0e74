"""Texts in the form in which they are compared, and what the names of slots become. Source: sections 4 and 9."""

from __future__ import annotations

import unicodedata


def normal_text(text: str) -> str:
    """Return the text in NFC, trimmed, with single spaces, casefolded."""
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", text).split()).casefold())


def normal_name(name: str) -> str:
    """Return the name of a subject or attribute as slots know it: NFC, casefold, trimmed."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()


def slot_of(subject: str, attribute: str) -> str:
    return f"{normal_name(subject)}/{normal_name(attribute)}"
