"""The reason for what somebody does to a negotiation beside its protocol; it is kept with the name."""

from __future__ import annotations

from fabric_app.mesh.errors import InvalidArguments, Problem

REASON_CHARS = 4_096


def reason_of(text: str) -> str:
    """Return the reason without white space at its ends. Raises InvalidArguments where it cannot be kept."""
    why = text.strip()
    if not why or len(why) > REASON_CHARS or not _can_be_kept(why):
        raise InvalidArguments([Problem("/reason", "blank", f"Say why, in at most {REASON_CHARS} characters.")])
    return why


def _can_be_kept(text: str) -> bool:
    # No database has a form for NUL, and UTF-8 none for half of a surrogate pair.
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)
