"""Asking for a run under a key that the form or client chose, so that a request sent twice starts one run.

A run cannot be asked for in the transaction that stores its answer: the message goes out after the commit. So the key
is claimed first, and names the run that is about to be made. Whoever comes second finds that run, or hears that it is
coming; where it never came (the process died in between), the key can be used again after a moment.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.idempotency import Idempotency, stored_answer
from fabric_app.models import IdempotencyRecord, Run, RunAction, Workspace
from fabric_app.operations.run_plan import RunArguments
from fabric_app.operations.runs import request_run

ACCEPTED = 202
RUN = "run"
# A request that has made no run by then will make none.
MAKING_SECONDS = 30


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
    run_id = uuid.uuid4()
    if not _is_claimed(idempotency, run_id, now=now):
        return _earlier(idempotency)
    try:
        return request_run(
            workspace=workspace, action=action, arguments=arguments, user=user, actor=actor, now=now, run_id=run_id
        )
    except StatehouseError:
        _records(idempotency).delete()
        raise


def _is_claimed(idempotency: Idempotency, run_id: uuid.UUID, *, now: datetime) -> bool:
    answer = {RUN: str(run_id)}
    _delete_if_never_made(idempotency, now=now)
    try:
        with transaction.atomic():
            IdempotencyRecord.objects.create(
                user_id=idempotency.user_id,
                key=idempotency.key,
                request_digest=idempotency.request_digest,
                status=ACCEPTED,
                answer=answer,
                created_at=now,
            )
    except IntegrityError:
        return False
    return True


def _earlier(idempotency: Idempotency) -> Run:
    answer = stored_answer(idempotency)
    run = _run_of(answer) if answer is not None else None
    if run is None:
        raise RequestInProgress
    return run


def _delete_if_never_made(idempotency: Idempotency, *, now: datetime) -> None:
    stale = _records(idempotency).filter(
        request_digest=idempotency.request_digest, created_at__lt=now - timedelta(seconds=MAKING_SECONDS)
    )
    record = stale.first()
    if record is not None and RUN in record.answer and _run_of(record.answer) is None:
        stale.filter(pk=record.pk).delete()


def _run_of(answer: dict[str, Any]) -> Run | None:
    return Run.objects.select_related("workspace").filter(pk=uuid.UUID(answer[RUN])).first()


def _records(idempotency: Idempotency) -> Any:
    return IdempotencyRecord.objects.filter(user_id=idempotency.user_id, key=idempotency.key)
