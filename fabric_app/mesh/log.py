"""The open end of a workspace's log, held by the current transaction.

`open_log` locks the workspace by writing its `LogHead` row; rows are then numbered and chained in memory, and `close`
inserts them and moves the head. Nobody else can write to the workspace in between, so that readers see sequence numbers
without gaps and in order. Every writer takes this lock before any other.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import F

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.canonical import digest_bytes, dumps
from fabric_app.mesh.models import Event, KeyVersion, LogHead, LogRow


@dataclass(frozen=True)
class NewEvent:
    """An event before it has a place in the log. `data` and `text` are JSON values; `id` may be chosen beforehand."""

    topic: str
    kind: str
    data: Any = None
    text: str | None = None
    to: str | None = None
    id: uuid.UUID = field(default_factory=uuid.uuid4)


class Log:
    """Numbers and chains rows; see `open_log`."""

    def __init__(self, head: LogHead, *, actor: Actor, now_ms: int) -> None:
        self.workspace_id = head.workspace_id
        self.actor = actor
        self.now_ms = now_ms
        self.events: list[Event] = []
        self.key_versions: list[KeyVersion] = []
        self._head = head

    def append(self, new: NewEvent) -> Event:
        """Give an event its place and return it; it is stored when the log closes."""
        self._head.event_sequence += 1
        event = Event(
            id=new.id,
            workspace_id=self.workspace_id,
            sequence=self._head.event_sequence,
            previous_digest=self._head.event_digest,
            topic=new.topic,
            kind=new.kind,
            actor=self.actor.as_json(),
            to=new.to,
            text=new.text,
            data=new.data,
            created_at_ms=self.now_ms,
        )
        event.digest = self._head.event_digest = event_digest(event)
        self.events.append(event)
        return event

    def append_key_version(self, key: str, version: int, value: Any, *, is_deletion: bool = False) -> KeyVersion:
        """Give a key version its place and return it; it is stored when the log closes."""
        self._head.key_sequence += 1
        row = KeyVersion(
            workspace_id=self.workspace_id,
            sequence=self._head.key_sequence,
            previous_digest=self._head.key_digest,
            key=key,
            version=version,
            value=value,
            is_deletion=is_deletion,
            actor=self.actor.as_json(),
            created_at_ms=self.now_ms,
        )
        row.digest = self._head.key_digest = key_version_digest(row)
        self.key_versions.append(row)
        return row

    def close(self) -> None:
        """Insert the rows and move the head of the log."""
        if self.events:
            Event.objects.bulk_create(self.events)
        if self.key_versions:
            KeyVersion.objects.bulk_create(self.key_versions)
        if self.events or self.key_versions:
            LogHead.objects.filter(pk=self.workspace_id).update(
                event_sequence=self._head.event_sequence,
                event_digest=self._head.event_digest,
                key_sequence=self._head.key_sequence,
                key_digest=self._head.key_digest,
            )


@contextmanager
def open_log(workspace_id: uuid.UUID, *, actor: Actor, now_ms: int) -> Iterator[Log]:
    """Lock the workspace and yield its log; the rows are stored when the block ends without an error.

    Must run inside a transaction, before any other lock is taken. `now_ms` is milliseconds since 1970.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("A log is opened inside a transaction.")
    # The write itself takes the row lock, on both databases.
    LogHead.objects.filter(pk=workspace_id).update(event_sequence=F("event_sequence"))
    log = Log(LogHead.objects.get(pk=workspace_id), actor=actor, now_ms=now_ms)
    yield log
    log.close()


def event_digest(event: Event, stored: Mapping[str, str | None] | None = None) -> str:
    """Return the digest that chains an event to the one before it, over the bytes that are stored.

    stored: the text of each JSON column as the database has it; None stands for what would be written now.
    """
    json_text = _texts(event, ("actor", "text", "data"), stored)
    return chained_digest(
        event.previous_digest,
        [
            str(event.workspace_id), event.sequence, str(event.id), event.topic, event.kind, json_text["actor"],
            event.to, json_text["text"], json_text["data"], event.created_at_ms,
        ],
    )  # fmt: skip


def key_version_digest(row: KeyVersion, stored: Mapping[str, str | None] | None = None) -> str:
    """Return the digest that chains a key version to the one before it, over the bytes that are stored.

    stored: as for `event_digest`.
    """
    json_text = _texts(row, ("value", "actor"), stored)
    return chained_digest(
        row.previous_digest,
        [
            str(row.workspace_id), row.sequence, row.key, row.version, json_text["value"], row.is_deletion,
            json_text["actor"], row.created_at_ms,
        ],
    )  # fmt: skip


def chained_digest(previous: str, parts: list[Any]) -> str:
    """Return the digest of a row with these parts that follows the row with the digest `previous`."""
    return digest_bytes(f"{previous}\n{dumps(parts)}".encode())


def _texts(row: LogRow, names: tuple[str, ...], stored: Mapping[str, str | None] | None) -> dict[str, str]:
    """Return the JSON text of columns; nothing stored is `null`."""
    if stored is None:
        return {name: dumps(getattr(row, name)) for name in names}
    return {name: "null" if (text := stored[name]) is None else text for name in names}
