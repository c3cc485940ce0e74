"""One-time links that sign an account in. A link works once, and for `LINK_LIFE`; the digest of its secret is kept."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from fabric_app.mesh.accounts import digest_of, new_secret
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.models import SignInLink

LINK_LIFE = timedelta(hours=24)


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


def new_link(user: User, *, now: datetime) -> str:
    """Return the path of a new link, in the caller's transaction."""
    secret = new_secret()
    SignInLink.objects.create(user=user, digest=digest_of(secret), created_at=now, expires_at=now + LINK_LIFE)
    return f"/sign-in/{secret}/"


@transaction.atomic(durable=True)
def use_sign_in_link(secret: str, now: datetime) -> User:
    """Spend a link and return the account that it signs in. Raises LinkUnknown, LinkUsed, LinkExpired."""
    link = SignInLink.objects.select_related("user").filter(digest=digest_of(secret)).first()
    if link is None or not link.user.is_active:
        raise LinkUnknown
    # The guarded update decides: of two that come at once, one signs in. It names columns of its own row alone, since
    # PostgreSQL looks at nothing else again once the row's lock is free.
    usable = SignInLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=now)
    if usable.update(used_at=now) == 1:
        return link.user
    raise LinkExpired if link.used_at is None and link.expires_at <= now else LinkUsed
