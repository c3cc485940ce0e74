"""Compare-and-swap keys. No version is used twice: a deleted key keeps its row, and creation goes on from there."""

from __future__ import annotations

import re
import uuid
from typing import Any

from django.db import connection
from django.db.models.functions import Collate

from fabric_app.mesh.canonical import json_bytes
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.log import Log
from fabric_app.mesh.models import KeyEntry

KEY_GRAMMAR = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}")
FORBIDDEN_SEGMENTS = frozenset({"__proto__", "prototype", "constructor"})


class CasFailed(StatehouseError):
    """The key moved on, or is not there, after the caller read it."""

    code, status = "CAS_FAILED", 409
    message = "Key {key!r} is at version {found}, not {expected}. Read it and decide again."


class InvalidKey(StatehouseError):
    """A key is not in the grammar of keys."""

    code, status = "INVALID_KEY", 400
    message = (
        "{key!r} is not a key: use 1 to 256 letters, digits and . _ : / - that begin with a letter or digit, "
        "without a segment __proto__, prototype or constructor."
    )


class ValueTooLarge(StatehouseError):
    """A value's JSON has more bytes than a key may hold."""

    code, status = "VALUE_TOO_LARGE", 413
    message = "The value has {bytes} bytes of JSON; a key holds at most {limit}. Store a digest or a smaller value."


def check_key(key: str) -> str:
    """Return the key, or raise `InvalidKey`. Source: fabric, 1.3."""
    if not KEY_GRAMMAR.fullmatch(key) or FORBIDDEN_SEGMENTS & set(re.split("[/:]", key)):
        raise InvalidKey(key=key[:300])
    return key


def entry(workspace_id: uuid.UUID, key: str) -> KeyEntry | None:
    """Return the row of a key, deleted or not, or None where it never was."""
    return KeyEntry.objects.filter(workspace_id=workspace_id, key=key).first()


def live_entry(workspace_id: uuid.UUID, key: str) -> KeyEntry | None:
    """Return the row of a key that has a value."""
    return KeyEntry.objects.filter(workspace_id=workspace_id, key=key, is_deleted=False).first()


def written_entry(workspace_id: uuid.UUID, key: str) -> KeyEntry:
    """Return the row of a key that the caller has just written."""
    return KeyEntry.objects.get(workspace_id=workspace_id, key=key)


def entries(workspace_id: uuid.UUID, *, prefix: str = "", after: str = "", limit: int) -> list[KeyEntry]:
    """Return up to `limit` keys that have a value and start with `prefix`, in code point order, after key `after`."""
    exact = Collate("key", "BINARY" if connection.vendor == "sqlite" else "C")
    rows = KeyEntry.objects.filter(workspace_id=workspace_id, is_deleted=False).alias(exact_key=exact).order_by(exact)
    if prefix:
        # A range in code point order: LIKE ignores case on SQLite.
        rows = rows.filter(exact_key__gte=prefix, exact_key__lt=prefix + "\U0010ffff")
    if after:
        rows = rows.filter(exact_key__gt=after)
    return list(rows[:limit])


def put(log: Log, key: str, values: list[Any], *, expected: int | None, limit: int | None = None) -> int:
    """Write one or more successive versions of a key and return the last version.

    expected: the version that the caller read (0: never written); None overwrites whatever is there.
    limit: bytes of JSON that a value may have; None for values that are bounded elsewhere.
    Raises CasFailed, ValueTooLarge.
    """
    for value in values:
        check_size(value, limit)
    if expected is None:
        expected = version_of(log.workspace_id, key)
    version = expected + len(values)
    _move(log, key, expected, version=version, value=values[-1], is_deleted=False)
    for step, value in enumerate(values, start=1):
        log.append_key_version(key, expected + step, value)
    return version


def delete(log: Log, key: str, *, expected: int | None) -> tuple[bool, int]:
    """Delete a key and return whether it had a value, with the version that it keeps. Raises CasFailed."""
    row = entry(log.workspace_id, key)
    found = row.version if row else 0
    if expected is not None and expected != found:
        raise CasFailed(key=key, expected=expected, found=found)
    if row is None or row.is_deleted:
        return False, found
    _move(log, key, found, version=found, value=None, is_deleted=True)
    log.append_key_version(key, found, None, is_deletion=True)
    return True, found


def version_of(workspace_id: uuid.UUID, key: str) -> int:
    """Return the version of a key, deleted or not; 0 where it never was."""
    found = KeyEntry.objects.filter(workspace_id=workspace_id, key=key).values_list("version", flat=True).first()
    return found or 0


def check_size(value: Any, limit: int | None) -> None:
    """Raise `ValueTooLarge` where the value's JSON has more than `limit` bytes."""
    if limit is not None and (size := json_bytes(value)) > limit:
        raise ValueTooLarge(bytes=size, limit=limit)


def _move(log: Log, key: str, expected: int, **values: Any) -> None:
    """Swap the row of a key from version `expected`, or create it at version 0. Raises CasFailed."""
    written = {**values, "updated_by": log.actor.as_json(), "updated_at_ms": log.now_ms}
    rows = KeyEntry.objects.filter(workspace_id=log.workspace_id, key=key)
    if rows.filter(version=expected).update(**written) == 1:
        return
    found = version_of(log.workspace_id, key)
    if found or expected:
        raise CasFailed(key=key, expected=expected, found=found)
    # The workspace's lock is ours, so nobody can create the key in between.
    KeyEntry.objects.create(workspace_id=log.workspace_id, key=key, **written)
