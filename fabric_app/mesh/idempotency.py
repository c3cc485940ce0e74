"""Answers kept under the key that a client chose, so that a request sent twice has one effect.

The answer is stored in the transaction of the effect. A rejection is not stored: the next try may succeed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.models import IdempotencyRecord

CREATED = 201


@dataclass(frozen=True)
class Idempotency:
    """The client's key, and the digest of everything that the request asks for."""

    user_id: int
    key: str
    request_digest: str


class IdempotencyKeyReused(StatehouseError):
    """The key belongs to another request of the same account."""

    code, status = "IDEMPOTENCY_KEY_REUSED", 422
    message = "The idempotency key {key!r} was used for another request. Choose a new key for each request."


def stored_answer(idempotency: Idempotency | None) -> dict[str, Any] | None:
    """Return the answer that the same request got before, or None. Raises IdempotencyKeyReused."""
    if idempotency is None:
        return None
    record = IdempotencyRecord.objects.filter(user_id=idempotency.user_id, key=idempotency.key).first()
    if record is None:
        return None
    if record.request_digest != idempotency.request_digest:
        raise IdempotencyKeyReused(key=idempotency.key)
    answer: dict[str, Any] = record.answer
    return answer


def store_answer(idempotency: Idempotency | None, answer: dict[str, Any], *, now: datetime) -> None:
    """Keep the answer in the caller's transaction, if a key was given.

    Raises IdempotencyKeyReused where another request took the key meanwhile; IntegrityError where that was this very
    request, sent twice, and faster.
    """
    if idempotency is None:
        return
    try:
        with transaction.atomic():
            _store(idempotency, answer, now)
    except IntegrityError:
        stored_answer(idempotency)
        raise


def _store(idempotency: Idempotency, answer: dict[str, Any], now: datetime) -> None:
    IdempotencyRecord.objects.create(
        user_id=idempotency.user_id,
        key=idempotency.key,
        request_digest=idempotency.request_digest,
        status=CREATED,
        answer=answer,
        created_at=now,
    )
