"""The one way to write to a workspace's log: a transaction, its lock, its rows, their projection, then the wake-up."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.log import Log, open_log
from fabric_app.mesh.wakeups import wake_on_commit
from fabric_app.operations.projection import project

EVERY_WORKSPACE = "fabric"


@contextmanager
def writing(workspace_id: uuid.UUID, *, actor: Actor, now: datetime) -> Iterator[Log]:
    """Yield the workspace's log, locked; what is appended in the block is committed and projected, or nothing is."""
    with transaction.atomic(durable=True):
        with open_log(workspace_id, actor=actor, now_ms=to_ms(now)) as log:
            yield log
        project(log.events)
        wake_on_commit(f"workspace:{workspace_id}", EVERY_WORKSPACE)
