"""Accounts of programs and their bearer tokens, in the caller's transaction. Who did it is recorded by the caller.

A secret is shown once and never stored: the database keeps its SHA-256 digest (it is 256 random bits, so that a slow
hash would add nothing). Tokens expire and can be revoked.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, User
from django.db.models import Q

from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem, StatehouseError
from fabric_app.mesh.groups import AGENT, HOST
from fabric_app.mesh.models import ServiceToken

TOKEN_PREFIX = "sh_"  # noqa: S105 - the public start of every token, by which scanners find a leaked one
SECRET_BYTES = 32
MAX_TOKEN_LIFE = timedelta(days=366)
# How stale `last_used_at` may be: a write for each request would serialise readers.
LAST_USE_STEP = timedelta(minutes=1)
ACCOUNT_NAME = re.compile(r"[A-Za-z0-9._@+-]{1,100}")


class InvalidToken(StatehouseError):
    """The bearer token is unknown, expired or revoked, or its account is switched off; which of them is not told."""

    code, status = "INVALID_TOKEN", 401
    message = "The bearer token is not valid. Ask an operator for a new one."


class AccountExists(StatehouseError):
    """The name of an account is taken."""

    code, status = "ACCOUNT_EXISTS", 409
    message = "There is an account {name!r} already. Choose another name, or issue a token for that one."


def name_problems(name: str) -> list[Problem]:
    """Return what keeps a text from being the name of an account."""
    if ACCOUNT_NAME.fullmatch(name):
        return []
    return [Problem("/name", "wrong_form", "must be 1 to 100 letters, digits and . _ @ + -")]


def create_account(name: str, *, is_host: bool, now: datetime) -> User:
    """Create an account that cannot sign in, of a host or of an agent. Raises InvalidArguments, AccountExists."""
    if problems := name_problems(name):
        raise InvalidArguments(problems)
    if _accounts().filter(username=name).exists():
        raise AccountExists(name=name)
    user: User = _accounts().create_user(username=name, date_joined=now)
    user.groups.add(Group.objects.get(name=HOST if is_host else AGENT))
    return user


def issue(user: User, *, name: str, expires_in: timedelta, now: datetime) -> tuple[ServiceToken, str]:
    """Issue a token for an account and return it with its secret, which is not kept. Raises InvalidArguments."""
    if not timedelta(0) < expires_in <= MAX_TOKEN_LIFE:
        detail = f"must be longer than nothing and at most {MAX_TOKEN_LIFE.days} days."
        raise InvalidArguments([Problem("/expiresIn", "not_allowed", detail)])
    secret = TOKEN_PREFIX + new_secret()
    token = ServiceToken.objects.create(
        user=user, name=name[:100], digest=digest_of(secret), created_at=now, expires_at=now + expires_in
    )
    return token, secret


def revoke(token_id: uuid.UUID, *, now: datetime) -> tuple[ServiceToken, bool]:
    """Make a token worthless from now on; return it, and whether it was valid until now. Raises NotFound."""
    revoked = ServiceToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=now)
    token = ServiceToken.objects.select_related("user").filter(pk=token_id).first()
    if token is None:
        raise NotFound(what="token", name=str(token_id))
    return token, bool(revoked)


def account_of_token(secret: str, *, now: datetime) -> ServiceToken:
    """Return the valid token with this secret, its account loaded, and note its use. Raises InvalidToken."""
    token = ServiceToken.objects.select_related("user").filter(digest=digest_of(secret)).first()
    if token is None or token.revoked_at or token.expires_at <= now or not token.user.is_active:
        raise InvalidToken
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USE_STEP)
    if token.last_used_at is None or token.last_used_at < now - LAST_USE_STEP:
        ServiceToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
    return token


def new_secret() -> str:
    """Return 256 random bits as a text that fits into an address."""
    return secrets.token_urlsafe(SECRET_BYTES)


def digest_of(secret: str) -> str:
    """Return what the database keeps of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _accounts() -> Any:
    return get_user_model().objects
