"""The limits of this deployment: the protocol's, and those of what is stored. Settings name them."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings

from sessions_app.protocol.limits import Limits, StoredLimits


def protocol_limits() -> Limits:
    """Return the protocol's limits with what `STATEHOUSE["SESSION_LIMITS"]` says otherwise."""
    return _protocol_limits(tuple(settings.STATEHOUSE["SESSION_LIMITS"].items()))


def stored_limits() -> StoredLimits:
    """Return the limits of storage with what `STATEHOUSE["SESSION_STORED_LIMITS"]` says otherwise."""
    return StoredLimits(**settings.STATEHOUSE["SESSION_STORED_LIMITS"])


@lru_cache(maxsize=4)
def _protocol_limits(given: tuple[tuple[str, int], ...]) -> Limits:
    return Limits(**dict(given))
