"""Raw writes to topics and keys. What the state layer and the schema layer keep is reserved.

`publish`, `put_key` and `delete_key` are for callers; the `import_*` functions write anywhere, for imports of other
meshes and for repair, and what they append to `fabric.state` is projected like any other event.
Source: fabric 1.1, 1.3, 12 (7).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.conf import settings

from fabric_app.entries import entry_json
from fabric_app.mesh import keys
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.log import NewEvent
from fabric_app.mesh.models import Workspace
from fabric_app.mesh.topics import check_event_size, check_topic, event_json
from fabric_app.operations.writing import writing

RESERVED_KEYS = ("state/", "schema/")
RESERVED_TOPICS = ("fabric.", "fabric/", "fabric:")
DEFAULT_KIND = "message"
MAX_KIND_CHARS = 128
MAX_RECIPIENT_CHARS = 256

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class Reserved(StatehouseError):
    """The key or topic belongs to the product itself."""

    code, status = "RESERVED", 403
    message = "{what} {name!r} is reserved: keys state/ and schema/, and topics fabric., are written by actions alone."


class EmptyRecipient(StatehouseError):
    """A recipient was given that names nobody."""

    code, status = "EMPTY_RECIPIENT", 400
    message = "`to` is blank. Leave it out, or name a recipient."


def publish(
    *,
    workspace: Workspace,
    topic: str,
    kind: str | None = None,
    to: str | None = None,
    text: str | None = None,
    data: Any = None,
    actor: Actor,
    now: datetime,
) -> dict[str, Any]:
    """Append an event and return it. Raises InvalidTopic, Reserved, EmptyRecipient, EventTooLarge."""
    if check_topic(topic) == "fabric" or topic.startswith(RESERVED_TOPICS):
        raise Reserved(what="Topic", name=topic)
    return import_event(workspace=workspace, topic=topic, kind=kind, to=to, text=text, data=data, actor=actor, now=now)


def put_key(
    *, workspace: Workspace, key: str, value: Any, if_version: int | None = None, actor: Actor, now: datetime
) -> dict[str, Any]:
    """Store a value and return the entry. Raises InvalidKey, Reserved, CasFailed, ValueTooLarge."""
    _check_not_reserved(key)
    return import_key(workspace=workspace, key=key, value=value, if_version=if_version, actor=actor, now=now)


def delete_key(
    *, workspace: Workspace, key: str, if_version: int | None = None, actor: Actor, now: datetime
) -> dict[str, Any]:
    """Delete a key and return `{deleted, version?}`. Raises InvalidKey, Reserved, CasFailed."""
    _check_not_reserved(key)
    return import_deletion(workspace=workspace, key=key, if_version=if_version, actor=actor, now=now)


def import_event(
    *,
    workspace: Workspace,
    topic: str,
    kind: str | None = None,
    to: str | None = None,
    text: str | None = None,
    data: Any = None,
    actor: Actor,
    now: datetime,
) -> dict[str, Any]:
    """Append an event to any topic and return it."""
    if to is not None and not to.strip():
        raise EmptyRecipient
    _check_columns(kind=(kind, MAX_KIND_CHARS), to=(to, MAX_RECIPIENT_CHARS))
    new = NewEvent(check_topic(topic), (kind or "").strip() or DEFAULT_KIND, data=data, text=text, to=to)
    with writing(workspace.id, actor=actor, now=now) as log:
        event = log.append(new)
        check_event_size(event, settings.STATEHOUSE["MAX_EVENT_BYTES"])
    return event_json(event)


def import_key(
    *, workspace: Workspace, key: str, value: Any, if_version: int | None = None, actor: Actor, now: datetime
) -> dict[str, Any]:
    """Store a value under any key and return the entry. A key cannot hold null: deleting is how it loses its value."""
    if value is None:
        raise InvalidArguments([Problem("/value", "required", "is missing.")])
    with writing(workspace.id, actor=actor, now=now) as log:
        limit = settings.STATEHOUSE["MAX_EVENT_BYTES"]
        keys.put(log, keys.check_key(key), [value], expected=if_version, limit=limit)
        return entry_json(keys.written_entry(workspace.id, key))


def import_deletion(
    *, workspace: Workspace, key: str, if_version: int | None = None, actor: Actor, now: datetime
) -> dict[str, Any]:
    """Delete any key and return `{deleted, version?}`; the version stays, and creation goes on from it."""
    with writing(workspace.id, actor=actor, now=now) as log:
        deleted, version = keys.delete(log, keys.check_key(key), expected=if_version)
    return {"deleted": True, "version": version} if deleted else {"deleted": False}


def _check_not_reserved(key: str) -> None:
    if keys.check_key(key).startswith(RESERVED_KEYS):
        raise Reserved(what="Key", name=key)


def _check_columns(**texts: tuple[str | None, int]) -> None:
    """Refuse what a column cannot hold, so that no error of the database reaches a caller."""
    problems = [
        Problem(f"/{name}", "wrong_form", f"must have at most {limit} characters, without NUL and lone surrogates.")
        for name, (text, limit) in texts.items()
        if text is not None and (len(text) > limit or _UNSTORABLE.search(text))
    ]
    if problems:
        raise InvalidArguments(problems)
