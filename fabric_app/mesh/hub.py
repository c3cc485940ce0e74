"""One hub a server process: reads each stream once, and hands what is new to every reader of it.

- A stream has one loop, however many readers: it is woken, or polls, fetches what is new, and offers it to each queue.
- A reader subscribes, waits until the loop knows where it stands, reads the backlog from the database, and then takes
  from its queue what it does not have: no gap, no repeat.
- Queues are bounded. A reader whose queue is full is behind: the queue is dropped, and once the reader takes up again
  it reads the database at its own pace. It slows nobody down, and holds no more than one page.
- Connections to the database are held for the length of a page.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import contextmanager

import structlog
from django.conf import settings

from fabric_app.mesh.streams import Item, Stream, in_reader
from fabric_app.mesh.wakeup_listener import WakeupListener

PAGE_ITEMS = 32
QUEUE_BYTES = 1024 * 1024
START_SECONDS = 10.0
# Wake-ups can be lost, so that a stream is looked at from time to time although nobody calls.
LISTENING_POLL_SECONDS = 1.0

log = structlog.get_logger(__name__)


class Subscription:
    """The bounded queue of one reader."""

    def __init__(self) -> None:
        self.is_behind = False
        self._batches: deque[Sequence[Item]] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()

    def offer(self, items: Sequence[Item]) -> None:
        """Queue items, or drop the queue and mark the reader as behind."""
        if self.is_behind:
            return
        self._bytes += sum(len(each.frame) for each in items)
        if self._bytes > QUEUE_BYTES:
            self._batches.clear()
            self.is_behind = True
        else:
            self._batches.append(items)
        self._changed.set()

    def restart(self) -> None:
        """Empty the queue: its reader is about to read everything up to now from the database."""
        self._batches.clear()
        self._bytes = 0
        self.is_behind = False
        self._changed.clear()

    async def take(self) -> Sequence[Item] | None:
        """Return the next batch, which is empty for a heartbeat; None where the reader is behind."""
        await self._changed.wait()
        if not self._batches:
            self._changed.clear()
            return None
        batch = self._batches.popleft()
        self._bytes -= sum(len(each.frame) for each in batch)
        if not self._batches and not self.is_behind:
            self._changed.clear()
        return batch


class Channel:
    """The loop that follows one stream while it has readers."""

    def __init__(self, stream: Stream, listener: WakeupListener) -> None:
        self.subscriptions: set[Subscription] = set()
        self.is_started = asyncio.Event()
        self.wakeup = asyncio.Event()
        self._stream = stream
        self._listener = listener
        self._position = 0
        self._had_news = False
        self._heard_at = time.monotonic()
        self._task = asyncio.create_task(self._follow(), name=f"tail {stream.name}")

    def stop(self) -> None:
        self._task.cancel()

    async def _follow(self) -> None:
        while True:
            self.wakeup.clear()
            try:
                is_more = await self._advance()
            except Exception:  # a database that is away for a while must not end the loop
                log.exception("a stream could not be read", stream=self._stream.name)
                is_more = False
            if not is_more:
                await self._pause()

    async def _advance(self) -> bool:
        """Hand out one page of what is new; tell whether there may be more."""
        if not self.is_started.is_set():
            self._position = await in_reader(self._stream.latest)
            self.is_started.set()
        items = await in_reader(self._stream.fetch, self._position, PAGE_ITEMS)
        self._had_news = bool(items)
        if items:
            self._position = items[-1].id
        if items or time.monotonic() - self._heard_at >= settings.STATEHOUSE["SSE_HEARTBEAT_SECONDS"]:
            self._heard_at = time.monotonic()
            for each in self.subscriptions:
                each.offer(items)
        return len(items) == PAGE_ITEMS

    async def _pause(self) -> None:
        poll_seconds: float = settings.STATEHOUSE["SSE_POLL_SECONDS"]
        if self._listener.is_listening:
            poll_seconds = max(poll_seconds, LISTENING_POLL_SECONDS)
        elif self._had_news:
            # Where something just came, more is on its way.
            poll_seconds /= 2
        try:
            async with asyncio.timeout(poll_seconds):
                await self.wakeup.wait()
        except TimeoutError:
            return


class Hub:
    """The channels of one event loop."""

    def __init__(self) -> None:
        self.is_closing = False
        self._channels: dict[str, Channel] = {}
        self._listener = WakeupListener(self._wake)

    async def follow(self, stream: Stream, after: int) -> AsyncGenerator[Sequence[Item]]:
        """Yield what follows the position, batch by batch, to the stream's end; an empty batch is a heartbeat."""
        with self._subscribed(stream) as (channel, subscription):
            async with asyncio.timeout(START_SECONDS):
                await channel.is_started.wait()
            position = after
            async for items in _followed(stream, after, subscription):
                # Whatever a page overlaps with the queue is dropped here, for good.
                news = [each for each in items if stream.is_news(each.id, position)]
                if news or not items:
                    yield news
                if news:
                    position = news[-1].id
                    if news[-1].is_last:
                        return

    def close(self) -> None:
        """Wake every reader so that it sees that the process is ending; they come back to another one."""
        self.is_closing = True
        for channel in self._channels.values():
            for subscription in channel.subscriptions:
                subscription.offer(())

    @contextmanager
    def _subscribed(self, stream: Stream) -> Iterator[tuple[Channel, Subscription]]:
        self._listener.start()
        channel = self._channels.get(stream.name)
        if channel is None:
            channel = self._channels[stream.name] = Channel(stream, self._listener)
        subscription = Subscription()
        channel.subscriptions.add(subscription)
        try:
            yield channel, subscription
        finally:
            channel.subscriptions.discard(subscription)
            if not channel.subscriptions:
                channel.stop()
                del self._channels[stream.name]
            if not self._channels:
                self._listener.stop()

    def _wake(self, name: str | None) -> None:
        """Wake the streams of that name, also where a `#` and a part of it follows; None wakes all."""
        for known, channel in self._channels.items():
            if name is None or name == known.partition("#")[0]:
                channel.wakeup.set()


async def _followed(stream: Stream, position: int, subscription: Subscription) -> AsyncIterator[Sequence[Item]]:
    """Yield the backlog, then what is queued; again the backlog where the reader fell behind. Items can come twice."""
    while True:
        subscription.restart()
        async for items in _backlog(stream, position):
            position = items[-1].id
            yield items
        if await in_reader(stream.is_over, position):
            return
        while not subscription.is_behind:
            batch = await subscription.take()
            if batch is None:
                break
            if batch and stream.is_news(batch[-1].id, position):
                position = batch[-1].id
            yield batch


async def _backlog(stream: Stream, position: int) -> AsyncIterator[Sequence[Item]]:
    """Yield pages after the position until one is not full."""
    while True:
        items = await in_reader(stream.fetch, position, PAGE_ITEMS)
        if items:
            position = items[-1].id
            yield items
        if len(items) < PAGE_ITEMS:
            return
