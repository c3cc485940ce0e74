"""Readings of untrusted JSON values: each takes any value, and never raises.

Numbers are read by `fabric_app.mesh.numbers`.
"""

from __future__ import annotations

import re
from typing import Any, TypeGuard

from fabric_app.mesh.numbers import whole_number
from fabric_app.protocol.bounds import MAX_TRANSITION_ID_CHARS

_UNSEARCHABLE = re.compile("[\0\ud800-\udfff]")


def as_object(value: Any) -> dict[str, Any]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def is_text(value: Any) -> TypeGuard[str]:
    """True for a text with at least one character."""
    return isinstance(value, str) and value != ""


def is_transition_id(value: Any) -> TypeGuard[str]:
    """True for a text that can be looked up: not empty, not too long, without NUL and lone surrogates."""
    return is_text(value) and len(value) <= MAX_TRANSITION_ID_CHARS and not _UNSEARCHABLE.search(value)


def sequence_number(value: Any) -> int | None:
    """Return the log sequence (a safe integer from 1) that the value is, or None."""
    number = whole_number(value)
    return number if number is not None and number >= 1 else None


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def non_blank_texts(value: Any) -> tuple[str, ...]:
    """Return the texts of a list that show something; blank ones and other values are dropped."""
    return tuple(item for item in as_list(value) if isinstance(item, str) and item.strip() != "")
