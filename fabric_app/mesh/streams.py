"""What a live stream is: numbered items that the database holds, read in pages, sent as server-sent events.

A stream is read by position: the id of the last item that a reader has. Ids rise within a stream, and an item is
visible only once all before it are; so a reader who comes back with a position misses nothing and gets nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from django.db import connections

from fabric_app.mesh.canonical import dumps

Result = TypeVar("Result")

# Readers of the database in one server process; each holds a connection for the length of one page.
READER_THREADS = 4


@dataclass(frozen=True)
class Item:
    """One item of a stream: its id, the whole event as bytes on the wire, and whether nothing follows it."""

    id: int
    frame: bytes
    is_last: bool = False


class Stream(Protocol):
    """A named sequence of items. Its methods are called in threads and may use the database."""

    @property
    def name(self) -> str:
        """The name by which `wake` calls it; after a `#`, what part of that it is."""
        ...

    def fetch(self, after: int, limit: int) -> list[Item]:
        """Return up to `limit` items after the position, in order."""
        ...

    def latest(self) -> int:
        """Return the position at the end of what is there now; 0 where there is nothing."""
        ...

    def is_news(self, item_id: int, position: int) -> bool:
        """True where a reader at `position` does not have the item yet."""
        ...

    def is_over(self, position: int) -> bool:
        """True where nothing will ever follow the position."""
        ...


def item(item_id: int, value: Any, *, event: str | None = None, is_last: bool = False) -> Item:
    """Return an item whose data is the JSON of `value`; without `event` a browser hears it as `message`."""
    named = f"event: {event}\n" if event else ""
    # Compact JSON has no line breaks: one data line is enough.
    text = f"id: {item_id}\n{named}data: {dumps(value)}\n\n"
    return Item(item_id, text.encode("utf-8", "replace"), is_last)


def joined_frames(items: Sequence[Item]) -> bytes:
    return b"".join(each.frame for each in items)


async def in_reader(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function that reads the database in one of the few reader threads, and leave no connection open."""
    return await asyncio.get_running_loop().run_in_executor(_readers, _released, function, arguments)


def release_connections() -> None:
    """Close this thread's connections (with a pool: give them back), but for one inside a transaction."""
    for each in connections.all(initialized_only=True):
        if not each.in_atomic_block:
            each.close()


def _released(function: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    try:
        return function(*arguments)
    finally:
        release_connections()


_readers = ThreadPoolExecutor(READER_THREADS, thread_name_prefix="tail")
