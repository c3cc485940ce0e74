"""Limits that forms tell people of."""

from __future__ import annotations

from django.conf import settings


def max_timeout_ms() -> int:
    """Return the longest time that a command may be given."""
    limit: int = settings.STATEHOUSE["MAX_COMMAND_TIMEOUT_MS"]
    return limit
