"""Hearing wake-ups in a server process: one subscription to the Redis channel, made again whenever it breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog
from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from fabric_app.mesh.wakeups import CHANNEL, SOCKET_SECONDS

RETRY_SECONDS = 1.0
# A connection that is silent for longer is asked whether it lives.
SILENCE_SECONDS = 5.0

log = structlog.get_logger(__name__)


class WakeupListener:
    """Calls `wake` with the name of each stream that is woken, and with None when some may have been missed.

    `is_listening` says whether wake-ups arrive; where they do not, readers poll.
    """

    def __init__(self, wake: Callable[[str | None], None]) -> None:
        self.is_listening = False
        self._wake = wake
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to listen on the running event loop, where there is a Redis; a second call changes nothing."""
        if self._task is None and settings.REDIS_URL:
            self._task = asyncio.create_task(self._listen_for_ever(), name="wake-ups")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.is_listening = False

    async def _listen_for_ever(self) -> None:
        while True:
            try:
                await self._listen()
            except (RedisError, OSError, TimeoutError) as error:
                log.warning("wake-ups do not arrive, streams poll", error=str(error))
            self.is_listening = False
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen(self) -> None:
        """Listen until the connection breaks."""
        async with (
            Redis.from_url(
                settings.REDIS_URL,
                socket_connect_timeout=SOCKET_SECONDS,
                socket_keepalive=True,
                health_check_interval=SILENCE_SECONDS,
            ) as client,
            client.pubsub() as subscription,
        ):
            await subscription.subscribe(CHANNEL)
            while True:
                message = await subscription.get_message(timeout=SILENCE_SECONDS)
                if message is None:
                    continue
                if message["type"] == "subscribe":
                    self.is_listening = True
                    self._wake(None)
                elif message["type"] == "message":
                    self._wake(message["data"].decode())
