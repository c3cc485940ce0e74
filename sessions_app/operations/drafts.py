"""The drafts of refused commits: kept under a token for a while, so that patches can mend them.

Every refusal of a commit issues a new token. A correction that is itself refused (a wrong token, a bad patch) leaves
the draft usable. Source: rp.state, section 13.
"""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from sessions_app.errors import CorrectionInvalid
from sessions_app.limits import protocol_limits, stored_limits
from sessions_app.models import CommitDraft, Session, Turn
from sessions_app.protocol.events import TurnStatus
from sessions_app.protocol.retry_patches import patched

Json = dict[str, Any]
TOKEN_BYTES = 24
EXPIRED_AT_ONCE = 100


@transaction.atomic(durable=True)
def keep_draft(session_id: uuid.UUID, number: int, content: Json, *, epoch: int, now: datetime) -> Json | None:
    """Keep the content of a refused commit and return `{token, patches: []}`; None where the turn is over by now."""
    # The session's lock comes first, as everywhere.
    Session.objects.select_for_update().filter(pk=session_id).first()
    turn = Turn.objects.filter(session_id=session_id, number=number, status=TurnStatus.ACTIVE).first()
    if turn is None:
        return None
    token = secrets.token_urlsafe(TOKEN_BYTES)
    expires_at = now + timedelta(seconds=stored_limits().draft_seconds)
    values = {"token": token, "content": content, "epoch": epoch, "expires_at": expires_at}
    CommitDraft.objects.update_or_create(turn=turn, defaults=values)
    _delete_expired(now)
    return {"token": token, "patches": []}


def mended(turn: Turn, token: str, patches: Any, *, now: datetime) -> tuple[Any, int]:
    """Return a draft's content after the patches, and the epoch of its refusal. Writes nothing.

    Raises CorrectionInvalid, RetryPatchInvalid.
    """
    draft = CommitDraft.objects.filter(turn=turn, expires_at__gt=now).first()
    if draft is None or not secrets.compare_digest(draft.token.encode(), token.encode("utf-8", "replace")):
        raise CorrectionInvalid
    return patched(draft.content, patches, protocol_limits()), draft.epoch


def drop_draft(turn: Turn) -> None:
    CommitDraft.objects.filter(turn=turn).delete()


def _delete_expired(now: datetime) -> None:
    # What another transaction holds it clears itself: waiting for one another would be a deadlock.
    expired = CommitDraft.objects.select_for_update(skip_locked=True).filter(expires_at__lte=now)
    some = expired.order_by("expires_at").values_list("pk", flat=True)[:EXPIRED_AT_ONCE]
    CommitDraft.objects.filter(pk__in=list(some)).delete()
