"""Live tails over HTTP: a stream as server-sent events.

- `Last-Event-ID` (or `?after=`) names the last item that the client has; what follows is sent, without gap or repeat.
- A comment is sent when nothing was for a while, so that broken connections are noticed at both ends.
- A reader is asked for again and again: one who may not read any more gets nothing that is newer than a few seconds.
- A stream that is over ends with `event: end`; a client should then not connect again.
- Under a synchronous server or client the answer is what is there now, and then ends without `end`.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.hub import PAGE_ITEMS, Hub
from fabric_app.mesh.streams import Stream, in_reader, joined_frames, release_connections
from fabric_app.mesh.wakeups import wake, wake_on_commit

__all__ = ["Hub", "InvalidPosition", "hub", "position_of", "sse_response", "wake", "wake_on_commit"]

RETRY = b"retry: 1000\n\n"
HEARTBEAT = b": still here\n\n"
END = b"event: end\ndata: {}\n\n"
MAX_POSITION = 2**63 - 1
ASK_SECONDS = 3.0


class InvalidPosition(StatehouseError):
    """The position in a stream is not a whole number."""

    code, status = "INVALID_POSITION", 400
    message = "{position!r} is not a position in a stream: send the id of the last event that you have, or nothing."


def sse_response(request: HttpRequest, stream: Stream, *, still_allowed: Callable[[], bool]) -> StreamingHttpResponse:
    """Return the stream as server-sent events, from the position that the request names. Raises InvalidPosition.

    still_allowed: reads whether the client may go on, asked in a thread every `ASK_SECONDS` at most; False ends it.
    """
    after = position_of(request)
    body = _live(stream, after, still_allowed) if isinstance(request, ASGIRequest) else _so_far(stream, after)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(body, content_type="text/event-stream", headers=headers)


def position_of(request: HttpRequest) -> int:
    """Return the position that a client resumes at: `Last-Event-ID`, else the parameter `after`, else 0."""
    text = request.headers.get("Last-Event-ID") or request.GET.get("after") or "0"
    if not re.fullmatch("[0-9]{1,19}", text) or int(text) > MAX_POSITION:
        raise InvalidPosition(position=text[:50])
    return int(text)


def hub() -> Hub:
    """Return the hub of the running event loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())


async def _live(stream: Stream, after: int, still_allowed: Callable[[], bool]) -> AsyncIterator[bytes]:
    # The view's own thread has read the database, and lives as long as the response does.
    await sync_to_async(release_connections, thread_sensitive=True)()
    yield RETRY
    here = hub()
    async with aclosing(here.follow(stream, after)) as batches:
        asked_at = time.monotonic()
        async for items in batches:
            if here.is_closing:
                return
            if time.monotonic() - asked_at > ASK_SECONDS:
                if not await in_reader(still_allowed):
                    return
                asked_at = time.monotonic()
            yield joined_frames(items) or HEARTBEAT
    yield END


def _so_far(stream: Stream, after: int) -> Iterator[bytes]:
    yield RETRY
    while items := stream.fetch(after, PAGE_ITEMS):
        after = items[-1].id
        yield joined_frames(items)
        if items[-1].is_last:
            yield END
        if len(items) < PAGE_ITEMS:
            return


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()
