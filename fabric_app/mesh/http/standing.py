"""Whether somebody who was let in may still be there: asked again and again while a stream is open.

A request is checked once, a stream lasts. A token that is revoked or expires, an account that is switched off, a
session that is ended and a permission that is withdrawn all end it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.sessions.backends.base import SessionBase
from django.utils import timezone

from fabric_app.mesh.models import ServiceToken


def standing_of(
    user: Any,
    *,
    token: Any = None,
    session: SessionBase | None = None,
    still_readable: Callable[[Any], bool] | None = None,
) -> Callable[[], bool]:
    """Return a question that is answered from the database each time: may this account still read?

    token: the service token that the request came with, if any; else its session. still_readable: asks, for the
    account read afresh, about the object of the stream; None for what is of no one object.
    """
    user_id = user.pk
    token_id = token.pk if isinstance(token, ServiceToken) else None
    session_key = session.session_key if session is not None and token_id is None else None

    def stands() -> bool:
        if token_id is not None and not _token_holds(token_id):
            return False
        if session_key is not None and session is not None and not session.exists(session_key):
            return False
        # Read afresh: an account that was loaded before remembers the permissions that it had.
        fresh = get_user_model().objects.filter(pk=user_id, is_active=True).first()
        return fresh is not None and (still_readable is None or still_readable(fresh))

    return stands


def _token_holds(token_id: uuid.UUID) -> bool:
    return ServiceToken.objects.filter(pk=token_id, revoked_at=None, expires_at__gt=timezone.now()).exists()
