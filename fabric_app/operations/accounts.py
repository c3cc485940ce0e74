"""Accounts: service accounts with their tokens and grants, the first operator, and one-time sign-in links.

Secrets are shown once and never stored: the database keeps their SHA-256 digest (they are 256 random bits, so that a
slow hash would add nothing). Tokens expire and can be revoked; a link works once. Grants leave activity rows.
"""

from __future__ import annotations

import hashlib
import re
import secrets
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
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem, StatehouseError
from fabric_app.models import ServiceToken, SignInLink, Workspace
from fabric_app.operations.activity import record_activity
from fabric_app.operations.groups import AGENT, HOST, OPERATOR

TOKEN_PREFIX = "sh_"  # noqa: S105 - the public start of every token, by which scanners find a leaked one
SECRET_BYTES = 32
MAX_TOKEN_LIFE = timedelta(days=366)
LINK_LIFE = timedelta(hours=24)
# How stale `last_used_at` may be: a write for each request would serialise readers.
LAST_USE_STEP = timedelta(minutes=1)
FIRST_OPERATOR = "operator"
ACCOUNT_NAME = re.compile(r"[A-Za-z0-9._@+-]{1,100}")


class InvalidToken(StatehouseError):
    """The bearer token is unknown, expired or revoked, or its account is switched off; which of them is not told."""

    code, status = "INVALID_TOKEN", 401
    message = "The bearer token is not valid. Ask an operator for a new one."


class AccountExists(StatehouseError):
    """The name of an account is taken."""

    code, status = "ACCOUNT_EXISTS", 409
    message = "There is an account {name!r} already. Choose another name, or issue a token for that one."


class LinkUnknown(StatehouseError):
    """A sign-in link that was never made, or whose account is switched off."""

    code, status = "SIGN_IN_LINK_UNKNOWN", 404
    message = "This sign-in link is not known. Ask an operator for one, or run `manage.py sign_in_link`."


class LinkUsed(StatehouseError):
    """A sign-in link that did its work already."""

    code, status = "SIGN_IN_LINK_USED", 410
    message = "This sign-in link was used already. Ask an operator for a new one, or run `manage.py sign_in_link`."


class LinkExpired(StatehouseError):
    """A sign-in link that came too late."""

    code, status = "SIGN_IN_LINK_EXPIRED", 410
    message = "This sign-in link has expired. Ask an operator for a new one, or run `manage.py sign_in_link`."


def actor_of(user: Any) -> Actor:
    """Return the account as log rows name it; members of the group `agent` are agents."""
    is_agent = user.groups.filter(name=AGENT).exists()
    return Actor(id=str(user.pk), name=user.get_username(), kind=actors.AGENT if is_agent else actors.MAIN)


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
    if _accounts().filter(username=name).exists():
        raise AccountExists(name=name)
    user = _accounts().create_user(username=name)
    user.groups.add(Group.objects.get(name=HOST if is_host else AGENT))
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
    revoked = ServiceToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=now)
    token = ServiceToken.objects.select_related("user").filter(pk=token_id).first()
    if token is None:
        raise NotFound(what="token", name=str(token_id))
    if revoked:
        record_activity(None, kind="token.revoked", name=token.name, actor=actor, now=now, detail=_token_detail(token))
    return token


def account_of_token(secret: str, *, now: datetime) -> ServiceToken:
    """Return the valid token with this secret, its account loaded, and note its use. Raises InvalidToken."""
    token = ServiceToken.objects.select_related("user").filter(digest=_digest(secret)).first()
    if token is None or token.revoked_at or token.expires_at <= now or not token.user.is_active:
        raise InvalidToken
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USE_STEP)
    if token.last_used_at is None or token.last_used_at < now - LAST_USE_STEP:
        ServiceToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
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
    return _link(user, now=now)


@transaction.atomic(durable=True)
def make_sign_in_link(*, user: User, now: datetime, actor: Actor = actors.SYSTEM) -> str:
    """Return the path of a new one-time link that signs the account in, valid for `LINK_LIFE`."""
    record_activity(None, kind="sign-in-link.made", name=user.get_username(), actor=actor, now=now)
    return _link(user, now=now)


@transaction.atomic(durable=True)
def use_sign_in_link(secret: str, now: datetime) -> User:
    """Spend a link and return the account that it signs in. Raises LinkUnknown, LinkUsed, LinkExpired."""
    digest = _digest(secret)
    link = SignInLink.objects.select_related("user").filter(digest=digest).first()
    if link is None or not link.user.is_active:
        raise LinkUnknown
    # The guarded update decides: of two that come at once, one signs in. It names columns of its own row alone, since
    # PostgreSQL looks at nothing else again once the row's lock is free.
    usable = SignInLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=now)
    if usable.update(used_at=now) == 1:
        return link.user
    raise LinkExpired if link.used_at is None and link.expires_at <= now else LinkUsed


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
    if not timedelta(0) < expires_in <= MAX_TOKEN_LIFE:
        detail = f"must be longer than nothing and at most {MAX_TOKEN_LIFE.days} days."
        raise InvalidArguments([Problem("/expiresIn", "not_allowed", detail)])
    secret = TOKEN_PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    token = ServiceToken.objects.create(
        user=user, name=name[:100], digest=_digest(secret), created_at=now, expires_at=now + expires_in
    )
    record_activity(None, kind="token.issued", name=token.name, actor=actor, now=now, detail=_token_detail(token))
    return token, secret


def _link(user: User, *, now: datetime) -> str:
    secret = secrets.token_urlsafe(SECRET_BYTES)
    SignInLink.objects.create(user=user, digest=_digest(secret), created_at=now, expires_at=now + LINK_LIFE)
    return f"/sign-in/{secret}/"


def _check_account(name: str, permissions: Sequence[str]) -> None:
    problems = [
        Problem(f"/permissions/{index}", "not_allowed", f"must be one of: {', '.join(PERMISSIONS)}.")
        for index, permission in enumerate(permissions)
        if permission not in PERMISSIONS
    ]
    if not ACCOUNT_NAME.fullmatch(name):
        problems.insert(0, Problem("/name", "wrong_form", "must be 1 to 100 letters, digits and . _ @ + -"))
    if problems:
        raise InvalidArguments(problems)


def _token_detail(token: ServiceToken) -> dict[str, str]:
    return {"tokenId": str(token.pk), "account": token.user.get_username(), "expiresAt": token.expires_at.isoformat()}


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _accounts() -> Any:
    return get_user_model().objects
