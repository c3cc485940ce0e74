"""Waking the readers of a stream: a name on a Redis channel, and nothing else.

A wake-up carries no data and may be lost: a reader that hears it looks at the database, and looks there from time to
time anyway. So nothing here ever fails a write: where Redis is away it is left alone for a moment, and readers poll.
"""

from __future__ import annotations

import time

import structlog
from django.conf import settings
from django.db import transaction
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

CHANNEL = "statehouse.wakeups"
SOCKET_SECONDS = 0.5
# How long a Redis that failed is not asked again: a dead host must not slow every write down.
AVOID_SECONDS = 2.0

log = structlog.get_logger(__name__)


def wake(*names: str) -> None:
    """Tell every server process that these streams have something new. Never raises; without Redis it does nothing."""
    if settings.REDIS_URL:
        _publisher.publish(names)


def wake_on_commit(*names: str) -> None:
    """Wake these streams once the current transaction is committed; at once where none is open."""
    transaction.on_commit(lambda: wake(*names), robust=True)


class _Publisher:
    """One Redis client a process, made when it is first needed."""

    def __init__(self) -> None:
        self._client: Redis | None = None
        self._avoided_until = 0.0

    def publish(self, names: tuple[str, ...]) -> None:
        if time.monotonic() < self._avoided_until:
            return
        try:
            pipeline = self._connected().pipeline(transaction=False)
            for name in names:
                pipeline.publish(CHANNEL, name)
            pipeline.execute()
        except (RedisError, OSError) as error:
            self._avoided_until = time.monotonic() + AVOID_SECONDS
            log.warning("readers are not woken, they poll", error=str(error))

    def _connected(self) -> Redis:
        if self._client is None:
            self._client = Redis.from_url(
                settings.REDIS_URL,
                socket_connect_timeout=SOCKET_SECONDS,
                socket_timeout=SOCKET_SECONDS,
                retry=Retry(NoBackoff(), 0),
            )
        return self._client


_publisher = _Publisher()
