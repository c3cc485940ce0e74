"""What headers ask for: a version (`If-Match`), one effect only (`Idempotency-Key`), patience (`Prefer`).

A version stands in `If-Match` or in the body; a lost one answers 412 for the header and 409 for the body, both with the
same members.
"""

from __future__ import annotations

import re
from typing import Any

from rest_framework.request import Request

from fabric_app.mesh.canonical import digest
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.idempotency import Idempotency

MAX_WAIT_SECONDS = 60
# A version is at most 2^53 - 1, as every integer of ours on the wire.
_ETAG = re.compile(r'"([0-9]{1,15})"')
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_WAIT = re.compile(r'(?:^|[,;])\s*wait\s*=\s*"?([0-9]{1,6})"?\s*(?=$|[,;])', re.IGNORECASE)


class InvalidHeader(StatehouseError):
    """A header does not have the documented form."""

    code, status = "INVALID_HEADER", 400
    message = "The header {header} is not valid: {rule}"


class VersionRequired(StatehouseError):
    """A change does not say which version it was decided on."""

    code, status = "VERSION_REQUIRED", 428
    message = "Name the version that you read: send it as `If-Match`, or as {member!r} in the body."


def etag(version: int) -> str:
    """Return the entity tag of a version."""
    return f'"{version}"'


def if_match(request: Request) -> int | None:
    """Return the version that `If-Match` names, or None without the header. Raises InvalidHeader."""
    header = request.headers.get("If-Match")
    if header is None:
        return None
    found = _ETAG.fullmatch(header.strip())
    if not found:
        raise InvalidHeader(header="If-Match", rule="send one ETag as you got it, a number in double quotes.")
    return int(found[1])


def version_named(request: Request, in_body: int | None, *, member: str) -> int | None:
    """Return the version that header or body names, or None. Raises InvalidArguments where they disagree."""
    in_header = if_match(request)
    if in_header is not None and in_body is not None and in_header != in_body:
        raise InvalidArguments([Problem(f"/{member}", "not_allowed", "must be the version that If-Match names.")])
    return in_body if in_header is None else in_header


def version_required(request: Request, in_body: int | None, *, member: str) -> int:
    """Return the version that header or body names. Raises VersionRequired."""
    version = version_named(request, in_body, member=member)
    if version is None:
        raise VersionRequired(member=member)
    return version


def idempotency(request: Request, body: Any) -> Idempotency | None:
    """Return the request's key with the digest of what it asks for, or None without one. Raises InvalidHeader."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise InvalidHeader(header="Idempotency-Key", rule="send 1 to 200 printable ASCII characters without spaces.")
    asked = [request.method, request.path, body, request.headers.get("If-Match")]
    return Idempotency(user_id=request.user.pk or 0, key=key, request_digest=digest(asked))


def wait_seconds(request: Request) -> int:
    """Return how long the caller is content to wait for the outcome (`Prefer: wait=N`), at most `MAX_WAIT_SECONDS`."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(int(found[1]), MAX_WAIT_SECONDS) if found else 0
