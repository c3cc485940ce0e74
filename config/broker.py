"""The folder broker: jobs travel as files, so that the embedded product needs no server.

kombu's file-system transport, made safe where another process could see half a file: a message is written under a
temporary name and renamed, it is claimed by one rename, and it goes to the queue that its key names, without a table.
A message lost between claim and start is sent again by the sweep: the run's row is the truth.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

SCHEME = "folder"
POLL_SECONDS = 0.05
# What a killed process left half-way is of no use to anybody after this time.
STALE_CLAIM_SECONDS = 3600
REDIS_TIMEOUT_SECONDS = 1.0


def folder_options(folder: Path) -> dict[str, Any]:
    """Return the transport options that place the broker below `folder`."""
    return {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "processed_folder": str(folder / "claimed"),
        "control_folder": str(folder / "control"),
        "store_processed": True,
        "polling_interval": POLL_SECONDS,
    }


class FolderChannel(filesystem.Channel):
    """A channel whose every file appears and disappears as a whole."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.messages = Path(self.data_folder_out)
        self.claimed = Path(self.transport_options["processed_folder"])
        for folder in (self.messages, self.claimed):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]  # kombu has both names
        # Names sort by the time of sending, so that the oldest message is claimed first.
        name = f"{time.time_ns():020d}_{uuid4().hex}.{queue}.msg"
        _write_whole(self.messages / name, dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        waiting = [file for file in self.messages.iterdir() if file.name.partition(".")[2] == f"{queue}.msg"]
        for message in sorted(waiting):
            claimed = self.claimed / message.name
            try:
                message.rename(claimed)
            except FileNotFoundError:
                continue  # somebody else was faster
            payload = claimed.read_text()
            claimed.unlink()
            return loads(payload)
        raise Empty

    def _lookup(self, exchange: str, routing_key: str, default: str | None = None) -> list[str]:
        # A job's key is its queue's name. With a table of bindings, whoever sends before it is written loses a message.
        return [routing_key]

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        """Nothing to write: see `_lookup`."""


class FolderTransport(filesystem.Transport):
    """The transport behind `folder://`."""

    Channel = FolderChannel


TRANSPORT_ALIASES[SCHEME] = "config.broker:FolderTransport"


def sweep_claims(folder: Path, *, now: float) -> int:
    """Remove what killed workers claimed and killed senders began to write; return how many files went.

    now: seconds since 1970, as file times are.
    """
    left = [*(folder / "claimed").glob("*.msg"), *(folder / "messages").glob("*.part")]
    stale = [file for file in left if now - file.stat().st_mtime > STALE_CLAIM_SECONDS]
    for file in stale:
        file.unlink(missing_ok=True)
    return len(stale)


def is_reachable(redis_url: str, folder: Path) -> bool:
    """Tell whether a job could be sent now: Redis answers, or the folder can be written to."""
    if not redis_url:
        nearest = next(each for each in (folder, *folder.parents) if each.exists())
        return os.access(nearest, os.W_OK)
    limits = {"socket_connect_timeout": REDIS_TIMEOUT_SECONDS, "socket_timeout": REDIS_TIMEOUT_SECONDS}
    try:
        with Redis.from_url(redis_url, retry=Retry(NoBackoff(), 0), **limits) as client:
            return bool(client.ping())
    except RedisError:
        return False


def _write_whole(target: Path, text: str) -> None:
    temporary = target.with_name(f"{uuid4().hex}.part")
    temporary.write_text(text)
    temporary.replace(target)
