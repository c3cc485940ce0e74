"""Asking for a run under a key that the form or client chose, so that a request sent twice starts one run.

A run cannot be asked for in the transaction that stores its answer: the message goes out after the commit. So the key
is claimed first, and its answer filled in afterwards. Whoever comes second finds the run, or hears that it is coming.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import StatehouseError
from fabric_app.models import IdempotencyRecord, Run, RunAction, Workspace
from fabric_app.operations.idempotency import Idempotency, stored_answer
from fabric_app.operations.run_plan import RunArguments
from fabric_app.operations.runs import request_run

ACCEPTED = 202
RUN = "run"


class RequestInProgress(StatehouseError):
    """The same request came a moment ago and has no answer yet."""

    code, status = "REQUEST_IN_PROGRESS", 409
    message = "This request was sent a moment ago and is being carried out. Look at the list of runs."


def request_run_once(
    *,
    idempotency: Idempotency | None,
    workspace: Workspace,
    action: RunAction,
    arguments: RunArguments,
    user: Any,
    actor: Actor,
    now: datetime,
) -> Run:
    """Ask for a run, or return the one that the same request got before. Without a key nothing is looked up.

    Raises what `request_run` raises (the key can then be used again), IdempotencyKeyReused, RequestInProgress.
    """
    if idempotency is None:
        return request_run(workspace=workspace, action=action, arguments=arguments, user=user, actor=actor, now=now)
    if not _is_claimed(idempotency, now=now):
        return _earlier(idempotency)
    try:
        run = request_run(workspace=workspace, action=action, arguments=arguments, user=user, actor=actor, now=now)
    except StatehouseError:
        _records(idempotency).delete()
        raise
    _records(idempotency).update(answer={RUN: str(run.pk)})
    return run


def _is_claimed(idempotency: Idempotency, *, now: datetime) -> bool:
    try:
        with transaction.atomic():
            IdempotencyRecord.objects.create(
                user_id=idempotency.user_id,
                key=idempotency.key,
                request_digest=idempotency.request_digest,
                status=ACCEPTED,
                answer={},
                created_at=now,
            )
    except IntegrityError:
        return False
    return True


def _earlier(idempotency: Idempotency) -> Run:
    answer = stored_answer(idempotency) or {}
    if RUN not in answer:
        raise RequestInProgress
    return Run.objects.select_related("workspace").get(pk=uuid.UUID(answer[RUN]))


def _records(idempotency: Idempotency) -> Any:
    return IdempotencyRecord.objects.filter(user_id=idempotency.user_id, key=idempotency.key)
