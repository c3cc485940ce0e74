"""Numbers in untrusted JSON: one kind, so that `1.0` is the integer 1; a boolean is no number. Nothing here raises."""

from __future__ import annotations

from typing import Any, TypeGuard

from fabric_app.mesh.strict_json import MAX_SAFE_INTEGER


def is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole_number(value: Any) -> int | None:
    """Return the safe integer that the value is, or None."""
    if not is_number(value) or not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        return None
    whole = int(value)
    return whole if whole == value else None
