"""Acts on accounts: service accounts with their tokens and grants, the first operator, and sign-in links.

Each is one transaction and leaves activity rows; the rules of tokens and links stand in the mesh.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Q
from guardian.shortcuts import assign_perm

from fabric_app.access import PERMISSIONS
from fabric_app.mesh import actors
from fabric_app.mesh.accounts import create_account, issue, name_problems, revoke
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import InvalidArguments, Problem
from fabric_app.mesh.groups import OPERATOR
from fabric_app.mesh.sign_in_links import new_link
from fabric_app.models import ServiceToken, Workspace
from fabric_app.operations.activity import record_activity

FIRST_OPERATOR = "operator"


@transaction.atomic(durable=True)
def create_service_account(
    *,
    name: str,
    workspaces: Sequence[Workspace],
    permissions: Sequence[str],
    expires_in: timedelta,
    now: datetime,
    is_host: bool = False,
    actor: Actor = actors.SYSTEM,
) -> tuple[User, str]:
    """Create an account that cannot sign in, grant it the permissions on each workspace, and issue its first token.

    permissions: short names (`access.PERMISSIONS`); read comes with any of them. Returns the account and the secret,
    which is not kept. Raises AccountExists, InvalidArguments.
    """
    _check_account(name, permissions)
    user = create_account(name, is_host=is_host, now=now)
    record_activity(None, kind="account.created", name=name, actor=actor, now=now)
    for workspace in workspaces:
        _grant(user, workspace, permissions, actor=actor, now=now)
    _, secret = _issue(user, name=name, expires_in=expires_in, actor=actor, now=now)
    return user, secret


@transaction.atomic(durable=True)
def grant(
    *, user: User, workspace: Workspace, permissions: Sequence[str], now: datetime, actor: Actor = actors.SYSTEM
) -> None:
    """Grant an account permissions (short names) on a workspace. Raises InvalidArguments."""
    _check_account(user.get_username(), permissions)
    _grant(user, workspace, permissions, actor=actor, now=now)


@transaction.atomic(durable=True)
def issue_token(
    *, user: User, name: str, expires_in: timedelta, now: datetime, actor: Actor = actors.SYSTEM
) -> tuple[ServiceToken, str]:
    """Issue a token for an account and return it with its secret, which is not kept. Raises InvalidArguments."""
    return _issue(user, name=name, expires_in=expires_in, actor=actor, now=now)


@transaction.atomic(durable=True)
def revoke_token(*, token_id: uuid.UUID, now: datetime, actor: Actor = actors.SYSTEM) -> ServiceToken:
    """Make a token worthless from now on; revoking it again changes nothing. Raises NotFound."""
    token, was_valid = revoke(token_id, now=now)
    if was_valid:
        record_activity(None, kind="token.revoked", name=token.name, actor=actor, now=now, detail=_token_detail(token))
    return token


@transaction.atomic(durable=True)
def first_operator(now: datetime) -> str | None:
    """Create the first operator and return the path of its sign-in link; None where there is an operator already."""
    if _accounts().filter(Q(groups__name=OPERATOR) | Q(is_superuser=True), is_active=True).exists():
        return None
    user, is_new = _accounts().get_or_create(username=FIRST_OPERATOR, defaults={"is_staff": True})
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    user.groups.add(Group.objects.get(name=OPERATOR))
    record_activity(None, kind="account.created", name=FIRST_OPERATOR, actor=actors.SYSTEM, now=now)
    return new_link(user, now=now)


@transaction.atomic(durable=True)
def make_sign_in_link(*, user: User, now: datetime, actor: Actor = actors.SYSTEM) -> str:
    """Return the path of a new one-time link that signs the account in."""
    record_activity(None, kind="sign-in-link.made", name=user.get_username(), actor=actor, now=now)
    return new_link(user, now=now)


def _grant(user: User, workspace: Workspace, permissions: Sequence[str], *, actor: Actor, now: datetime) -> None:
    granted = sorted({"read", *permissions}, key=list(PERMISSIONS).index)
    for short_name in granted:
        assign_perm(PERMISSIONS[short_name], user, workspace)
    record_activity(
        workspace.pk,
        kind="permission.granted",
        name=user.get_username(),
        actor=actor,
        now=now,
        detail={"permissions": granted},
    )


def _issue(user: User, *, name: str, expires_in: timedelta, actor: Actor, now: datetime) -> tuple[ServiceToken, str]:
    token, secret = issue(user, name=name, expires_in=expires_in, now=now)
    record_activity(None, kind="token.issued", name=token.name, actor=actor, now=now, detail=_token_detail(token))
    return token, secret


def _check_account(name: str, permissions: Sequence[str]) -> None:
    problems = [
        *name_problems(name),
        *(
            Problem(f"/permissions/{index}", "not_allowed", f"must be one of: {', '.join(PERMISSIONS)}.")
            for index, permission in enumerate(permissions)
            if permission not in PERMISSIONS
        ),
    ]
    if problems:
        raise InvalidArguments(problems)


def _token_detail(token: ServiceToken) -> dict[str, str]:
    return {"tokenId": str(token.pk), "account": token.user.get_username(), "expiresAt": token.expires_at.isoformat()}


def _accounts() -> Any:
    return get_user_model().objects
