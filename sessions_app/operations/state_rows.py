"""The projection as rows: writing what is different after an operation. Reading stands in `stored_state`."""

from __future__ import annotations

import uuid
from typing import Any

from fabric_app.mesh.canonical import dumps, json_bytes
from sessions_app.errors import NamespaceTooLarge
from sessions_app.limits import stored_limits
from sessions_app.models import Namespace as Row
from sessions_app.models import Session
from sessions_app.protocol.projection import Namespace, Projection


def check_sizes(before: Projection, after: Projection) -> None:
    """Raise NamespaceTooLarge where a value that changed is larger than what is kept."""
    limit = stored_limits().namespace_bytes
    for name, namespace in after.namespaces.items():
        old = before.namespaces.get(name)
        if old is not None and old.value is namespace.value:
            continue
        size = json_bytes(namespace.value)
        if size > limit:
            raise NamespaceTooLarge(namespace=name, sizeBytes=size, limitBytes=limit)


def store_projection(session: Session, before: Projection, after: Projection) -> None:
    """Write the rows that differ, and the revision to the session in memory, which its writer stores."""
    session.revision = after.revision
    gone = [name for name in before.namespaces if name not in after.namespaces]
    if gone:
        Row.objects.filter(session_id=session.pk, name__in=gone).delete()
    # Positions stay without gaps, so that a new namespace comes after all others.
    kept = [name for name in before.namespaces if name in after.namespaces]
    is_reordered = bool(gone) or kept != list(after.namespaces)[: len(kept)]
    for position, (name, namespace) in enumerate(after.namespaces.items()):
        old = before.namespaces.get(name)
        if old is None:
            _insert(session.pk, name, position, namespace)
        elif old is not namespace or is_reordered:
            changed = _changed_columns(old, namespace) | ({"position": position} if is_reordered else {})
            if changed:
                Row.objects.filter(session_id=session.pk, name=name).update(**changed)


def _insert(session_id: uuid.UUID, name: str, position: int, namespace: Namespace) -> None:
    Row.objects.create(
        session_id=session_id, name=name, position=position, **{each: get(namespace) for each, get in _COLUMNS.items()}
    )


_COLUMNS: dict[str, Any] = {
    "revision": lambda namespace: namespace.revision,
    "initial_value": lambda namespace: namespace.initial_value,
    "value": lambda namespace: namespace.value,
    "definition": lambda namespace: dumps(namespace.definition.as_json()),
    "setup": lambda namespace: [dict(each) for each in namespace.setup],
    "last_commit": lambda namespace: [dict(each) for each in namespace.last_commit],
}


def _changed_columns(old: Namespace, new: Namespace) -> dict[str, Any]:
    return {name: get(new) for name, get in _COLUMNS.items() if getattr(old, name) is not getattr(new, name)}
