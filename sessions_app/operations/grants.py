"""Granting accounts what they may do: on one session, or to make sessions of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import Permission
from guardian.shortcuts import assign_perm

from sessions_app.models import Session

# By the short names that commands and pages use.
PERMISSIONS = {
    "read": "read_session",
    "write": "write_session",
    "configure": "configure_session",
    "correct": "correct_session",
    "erase": "erase_session",
    "repair": "repair_session",
}
_CREATION = ("add_session", "add_worldbook")


def grant_on_session(*, user: Any, session: Session, permissions: Sequence[str]) -> None:
    """Grant an account permissions (short names) on a session; read comes with any of them."""
    for name in {"read", *permissions}:
        assign_perm(PERMISSIONS[name], user, session)


def grant_creation(user: Any) -> None:
    """Let an account make sessions and world books; what it makes, it may read, write, configure and correct."""
    wanted = Permission.objects.filter(content_type__app_label="sessions_app", codename__in=_CREATION)
    user.user_permissions.add(*wanted)
