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

from fabric_app.access import READ, may
from fabric_app.mesh.models import Workspace
from fabric_app.models import ServiceToken


def standing_of(
    user: Any, *, token: Any = None, session: SessionBase | None = None, workspace: Workspace | None = None
) -> Callable[[], bool]:
    """Return a question that is answered from the database each time: may this account still read the workspace?

    token: the service token that the request came with, if any; else its session. workspace: None for what is not of
    one workspace.
    """
    user_id, workspace_id = user.pk, workspace.pk if workspace is not None else None
    token_id = token.pk if isinstance(token, ServiceToken) else None
    session_key = session.session_key if session is not None and token_id is None else None

    def stands() -> bool:
        if token_id is not None and not _token_holds(token_id):
            return False
        if session_key is not None and session is not None and not session.exists(session_key):
            return False
        # Read afresh: an account that was loaded before remembers the permissions that it had.
        fresh = get_user_model().objects.filter(pk=user_id, is_active=True).first()
        return fresh is not None and (workspace_id is None or _may_read(fresh, workspace_id))

    return stands


def _token_holds(token_id: uuid.UUID) -> bool:
    return ServiceToken.objects.filter(pk=token_id, revoked_at=None, expires_at__gt=timezone.now()).exists()


def _may_read(user: Any, workspace_id: uuid.UUID) -> bool:
    workspace = Workspace.objects.filter(pk=workspace_id).first()
    return workspace is not None and may(user, READ, workspace)
