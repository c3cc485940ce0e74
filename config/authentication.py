"""Who sends a request: a bearer token of a service account, or the session of a signed-in person.

Tokens are shared by the API, its streams and every later door; the rules are in `fabric_app.mesh.accounts`.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from fabric_app.mesh.accounts import InvalidToken, account_of_token
from fabric_app.mesh.errors import StatehouseError

SCHEME = "bearer"
CHALLENGE = 'Bearer realm="statehouse"'


class CsrfFailed(StatehouseError):
    """A write of a signed-in browser lacks the proof that one of our pages sent it."""

    code, status = "CSRF_FAILED", 403
    message = "Send the header X-CSRFToken with the value of the csrftoken cookie, or use a bearer token."


class ServiceTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer sh_...`. Raises InvalidToken, which answers 401."""

    def authenticate(self, request: Request) -> tuple[AbstractBaseUser, Any] | None:
        scheme, _, secret = request.headers.get("Authorization", "").strip().partition(" ")
        if not scheme:
            return None
        if scheme.lower() != SCHEME:
            raise InvalidToken
        token = account_of_token(secret.strip(), now=timezone.now())
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


class BrowserSession(SessionAuthentication):
    """The session cookie of a signed-in person; writes need the CSRF token as well. Raises CsrfFailed."""

    def enforce_csrf(self, request: Any) -> None:
        try:
            super().enforce_csrf(request)
        except PermissionDenied as refused:
            raise CsrfFailed from refused
