"""One hub serves many readers of a stream: each gets every item once and in order, and a slow one delays nobody."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from fabric_app.mesh.hub import PAGE_ITEMS, QUEUE_BYTES, Hub
from fabric_app.mesh.streams import Item

pytestmark = pytest.mark.timeout(30)


class ListedStream:
    """A stream that a list holds, with a count of its reads."""

    def __init__(self, name: str = "listed", frame_bytes: int = 10) -> None:
        self.name = name
        self.fetch_count = 0
        self._frame = b"x" * frame_bytes
        self._items: list[Item] = []
        self._lock = threading.Lock()

    def grow(self, count: int, *, ends: bool = False) -> None:
        with self._lock:
            first = len(self._items) + 1
            self._items += [
                Item(number, self._frame, is_last=ends and number == first + count - 1)
                for number in range(first, first + count)
            ]

    def fetch(self, after: int, limit: int) -> list[Item]:
        with self._lock:
            self.fetch_count += 1
            return self._items[after : after + limit]

    def latest(self) -> int:
        with self._lock:
            return len(self._items)

    def is_news(self, item_id: int, position: int) -> bool:
        return item_id > position

    def is_over(self, position: int) -> bool:
        with self._lock:
            return bool(self._items) and self._items[-1].is_last and position >= len(self._items)


@pytest.fixture(autouse=True)
def _polling(settings):
    settings.REDIS_URL = ""
    settings.STATEHOUSE = {**settings.STATEHOUSE, "SSE_POLL_SECONDS": 0.01}


async def read_to_end(hub: Hub, stream: ListedStream, after: int = 0) -> list[int]:
    return [each.id async for batch in follow(hub, stream, after) for each in batch]


def follow(hub: Hub, stream: ListedStream, after: int = 0) -> AsyncGenerator[Sequence[Item]]:
    return hub.follow(stream, after)


class TestFollow:
    def test_readers_that_come_at_different_times_all_get_every_item_once_and_in_order(self):
        stream = ListedStream()
        total = 5 * PAGE_ITEMS

        async def scenario() -> list[list[int]]:
            hub, readers = Hub(), []
            for _ in range(20):
                stream.grow(total // 20)
                readers.append(asyncio.create_task(read_to_end(hub, stream)))
                await asyncio.sleep(0.005)
            stream.grow(1, ends=True)
            return await asyncio.gather(*readers)

        everything = asyncio.run(scenario())

        assert everything == [list(range(1, total + 2))] * 20

    def test_a_reader_who_comes_back_gets_what_follows_its_position(self):
        stream = ListedStream()
        stream.grow(100, ends=True)

        resumed = asyncio.run(read_to_end(Hub(), stream, after=60))

        assert resumed == list(range(61, 101))

    def test_a_stream_that_is_over_ends_at_once_for_a_reader_who_has_it_all(self):
        stream = ListedStream()
        stream.grow(3, ends=True)

        assert asyncio.run(read_to_end(Hub(), stream, after=3)) == []

    def test_silence_yields_a_heartbeat(self, settings):
        settings.STATEHOUSE = {**settings.STATEHOUSE, "SSE_HEARTBEAT_SECONDS": 0.02}
        stream = ListedStream()

        async def scenario() -> Sequence[Item]:
            async with aclosing(follow(Hub(), stream)) as batches:
                return await anext(batches)

        assert asyncio.run(scenario()) == []

    def test_a_stream_is_read_by_one_loop_and_by_none_once_its_readers_are_gone(self):
        stream = ListedStream()

        async def scenario() -> tuple[int, int]:
            hub = Hub()
            readers = [asyncio.create_task(read_to_end(hub, stream)) for _ in range(50)]
            await asyncio.sleep(0.1)
            stream.fetch_count = 0
            await asyncio.sleep(0.2)
            with_readers = stream.fetch_count
            stream.grow(1, ends=True)
            await asyncio.gather(*readers)
            stream.fetch_count = 0
            await asyncio.sleep(0.1)
            return with_readers, stream.fetch_count

        with_readers, without = asyncio.run(scenario())

        assert with_readers <= 25, "fifty readers cause no more reads than one"
        assert without == 0

    def test_a_failing_read_is_tried_again(self):
        class Failing(ListedStream):
            def fetch(self, after: int, limit: int) -> list[Item]:
                items = super().fetch(after, limit)
                if self.fetch_count == 3:
                    raise ConnectionError("the database is away")
                return items

        stream = Failing()

        async def scenario() -> list[int]:
            reader = asyncio.create_task(read_to_end(Hub(), stream))
            await asyncio.sleep(0.1)
            stream.grow(1, ends=True)
            return await reader

        assert asyncio.run(scenario()) == [1]


class TestStalledReader:
    def test_it_delays_nobody_holds_little_and_later_gets_everything(self):
        frame_bytes = QUEUE_BYTES // 64
        stream = ListedStream(frame_bytes=frame_bytes)
        stream.grow(1)

        async def scenario() -> tuple[int, list[int], list[int]]:
            hub = Hub()
            stalled = follow(hub, stream)
            late = [each.id for each in await anext(stalled)]
            reader = asyncio.create_task(read_to_end(hub, stream))
            await asyncio.sleep(0.02)
            for _ in range(20):
                stream.grow(20)
                await asyncio.sleep(0.02)
            stream.grow(1, ends=True)
            prompt = await reader
            (held,) = [queued_bytes(each) for channel in hub._channels.values() for each in channel.subscriptions]
            late += [each.id async for batch in stalled for each in batch]
            return held, prompt, late

        held, prompt, late = asyncio.run(scenario())

        assert prompt == late == list(range(1, 403))
        assert held <= QUEUE_BYTES


def queued_bytes(subscription) -> int:
    return sum(len(item.frame) for batch in subscription._batches for item in batch)
