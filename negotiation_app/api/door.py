"""The base of the negotiations' views: which negotiation an address names, and in which roles the caller comes."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from fabric_app.mesh.errors import InvalidArguments, Problem
from fabric_app.mesh.http import door
from fabric_app.mesh.http.preconditions import if_match
from fabric_app.mesh.http.reading import Json
from negotiation_app.access import negotiation_for
from negotiation_app.models import Negotiation
from negotiation_app.protocol.errors import AppendOnly
from negotiation_app.protocol.names import Role

STATE_VERSION = "stateVersion"
CHANGING = ("PUT", "PATCH", "DELETE")


class Door(door.Door):
    """A view of one negotiation, or of all that the caller has a role in."""

    def negotiation(self, ref: str) -> tuple[Negotiation, frozenset[Role]]:
        """Return the negotiation and the caller's roles in it. Raises NotFound."""
        return negotiation_for(self.request.user, ref)

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Say of every address below a negotiation that what is there is append-only."""
        if request.method in CHANGING and "ref" in kwargs:
            self.negotiation(kwargs["ref"])
            raise AppendOnly(target=kwargs.get("target", request.path)[:200])
        return super().http_method_not_allowed(request, *args, **kwargs)


def key_of(request: Request) -> str | None:
    """Return the idempotency key of a write, None without one. Raises InvalidArguments."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not (0 < len(key) <= 200 and key.isascii() and key.isprintable()):  # noqa: PLR2004 - the column
        raise InvalidArguments([Problem("/Idempotency-Key", "wrong_form", "send 1 to 200 printable ASCII characters.")])
    return key


def with_version(request: Request, body: Any) -> Any:
    """Return the body with the version that If-Match names, where the body has none."""
    version = if_match(request)
    if version is None or not isinstance(body, dict):
        return body
    if body.get(STATE_VERSION, version) != version:
        raise InvalidArguments(
            [Problem(f"/{STATE_VERSION}", "not_allowed", "must be the version that If-Match names.")]
        )
    return {**body, STATE_VERSION: version}


def with_subject(body: Any, member: str | None, subject: str) -> Any:
    """Return the body with the ref that the address names as its subject. Raises InvalidArguments for another one."""
    if member is None or not isinstance(body, dict):
        return body
    if body.get(member, subject) != subject:
        raise InvalidArguments([Problem(f"/{member}", "not_allowed", "must be what the address names.")])
    told: Json = {**body, member: subject}
    return told
