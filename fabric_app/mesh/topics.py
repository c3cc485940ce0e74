"""Append-only topics: what an event must look like, and how a page of events is read. Source: fabric, 1.1 and 1.2."""

from __future__ import annotations

import re
import uuid
from typing import Any

from fabric_app.mesh.canonical import json_bytes
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.models import Event

TOPIC_GRAMMAR = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}")


class InvalidTopic(StatehouseError):
    """A topic is not in the grammar of topics."""

    code, status = "INVALID_TOPIC", 400
    message = "{topic!r} is not a topic: use 1 to 128 letters, digits and . _ : / - that begin with a letter or digit."


class EventTooLarge(StatehouseError):
    """An event's JSON has more bytes than the log takes."""

    code, status = "EVENT_TOO_LARGE", 413
    message = "The event has {bytes} bytes of JSON; at most {limit} are stored. Shorten it or refer to a file."


def check_topic(topic: str) -> str:
    """Return the topic, or raise `InvalidTopic`."""
    if not TOPIC_GRAMMAR.fullmatch(topic):
        raise InvalidTopic(topic=topic[:300])
    return topic


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as the wire shows it; members without a value are left out."""
    optional = {"to": event.to, "text": event.text, "data": event.data}
    return {
        "id": str(event.id),
        "sequence": event.sequence,
        "topic": event.topic,
        "kind": event.kind,
        "from": event.actor,
        **{name: value for name, value in optional.items() if value is not None},
        "createdAt": event.created_at_ms,
    }


def check_event_size(event: Event, limit: int) -> None:
    """Raise `EventTooLarge` where the whole event has more than `limit` bytes of JSON, escapes included."""
    if (size := json_bytes(event_json(event))) > limit:
        raise EventTooLarge(bytes=size, limit=limit)


def read(
    workspace_id: uuid.UUID,
    *,
    after: int | None = None,
    topic: str | None = None,
    to: str | None = None,
    limit: int,
) -> list[Event]:
    """Return events in rising order: the newest `limit` of them, or the oldest `limit` after sequence `after`."""
    exact = {name: value for name, value in (("topic", topic), ("to", to)) if value is not None}
    rows = Event.objects.filter(workspace_id=workspace_id, **exact)
    if after is not None:
        return list(rows.filter(sequence__gt=after).order_by("sequence")[:limit])
    return list(rows.order_by("-sequence")[:limit])[::-1]
