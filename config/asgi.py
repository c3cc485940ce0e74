"""The web process: Django behind ASGI, with the server's start and end made known to it.

Between the two a thread sweeps runs whose worker was lost, so that they end even where no worker lives any more.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import warnings
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from asgiref.sync import sync_to_async
from django.core.asgi import get_asgi_application

from config.housekeeping import Housekeeping
from config.worker import sweep_round
from fabric_app.mesh.tails import hub

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Any], Awaitable[None]]
STOP_SECONDS = 3.0

# Static files are read synchronously; they are small, and kept by browsers.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

_django = get_asgi_application()


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Answer one connection, or live through the server's life."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    else:
        await _django(scope, receive, send)


async def _live(receive: Receive, send: Send) -> None:
    housekeeping = Housekeeping([sweep_round()])
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            housekeeping.start()
            _close_streams_on_signals()
            await send({"type": "lifespan.startup.complete"})
        else:
            await sync_to_async(housekeeping.stop, thread_sensitive=False)(wait_seconds=STOP_SECONDS)
            await send({"type": "lifespan.shutdown.complete"})
            return


def _close_streams_on_signals() -> None:
    """End open streams as soon as the server is told to stop: it waits for open connections before all else."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop, streams = asyncio.get_running_loop(), hub()
    for number in (signal.SIGINT, signal.SIGTERM):
        servers_own = signal.getsignal(number)
        if callable(servers_own):
            signal.signal(number, partial(_close_then, servers_own, lambda: loop.call_soon_threadsafe(streams.close)))


def _close_then(servers_own: Callable[..., Any], close: Callable[[], Any], number: int, frame: Any) -> None:
    close()
    servers_own(number, frame)
