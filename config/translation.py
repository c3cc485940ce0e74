"""Errors of the frameworks and of the database as errors of ours: one code, status and sentence for each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core import exceptions as core
from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions as rest

from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem, StatehouseError
from fabric_app.mesh.strict_json import JSONTooLarge


class BadRequest(StatehouseError):
    """Something about the request as HTTP is malformed."""

    code, status = "BAD_REQUEST", 400
    message = "The request is malformed. Check its address, headers and body."


class NotAuthenticated(StatehouseError):
    """The request says nothing of who sends it."""

    code, status = "NOT_AUTHENTICATED", 401
    message = "Say who you are: send `Authorization: Bearer <token>`, or sign in."


class AuthenticationFailed(StatehouseError):
    """The request names an account, and the proof of it does not hold."""

    code, status = "AUTHENTICATION_FAILED", 401
    message = "{reason}"


class Forbidden(StatehouseError):
    """The account may not do this."""

    code, status = "FORBIDDEN", 403
    message = "This account may not do that. Ask an operator."


class MethodNotAllowed(StatehouseError):
    """The resource is there, and does not know the method."""

    code, status = "METHOD_NOT_ALLOWED", 405
    message = "{method} is not a method of this resource. The header Allow lists those that are."


class NotAcceptable(StatehouseError):
    """The resource has no form that the header Accept asks for."""

    code, status = "NOT_ACCEPTABLE", 406
    message = "This resource cannot be sent in the form that Accept asks for. Accept application/json."


class UnsupportedMediaType(StatehouseError):
    """The body is in a form that the resource does not read."""

    code, status = "UNSUPPORTED_MEDIA_TYPE", 415
    message = (
        "A body of the type {mediaType!r} is not read here. Send application/json in UTF-8, or multipart/form-data "
        "where this address takes a file."
    )


class Throttled(StatehouseError):
    """The caller sends more than it may."""

    code, status = "THROTTLED", 429
    message = "Too many requests. Wait as long as Retry-After says, and send again."


class DatabaseBusy(StatehouseError):
    """Other writers held what the request needed for too long; nothing was written."""

    code, status = "DATABASE_BUSY", 503
    message = "The database is busy with other writers. Send the request again."


class DatabaseUnavailable(StatehouseError):
    """The database cannot be reached; what a write came to is unknown until it is read."""

    code, status = "DATABASE_UNAVAILABLE", 503
    message = "The database cannot be reached. Read what is there, then send the request again if it is needed."


class InternalError(StatehouseError):
    """A defect of the server; the log has the details under the request's id."""

    code, status = "INTERNAL_ERROR", 500
    message = "The server failed to carry this out. Its log has the details under the id in X-Request-Id."


# SQLSTATE classes and codes: serialization failure, deadlock, lock not available, query cancelled by a limit.
CONTENTION_STATES = frozenset({"40001", "40P01", "55P03", "57014"})
CONTENTION_WORDS = ("locked", "busy")


def typed(exc: BaseException) -> StatehouseError | None:
    """Return the error of ours that `exc` stands for, or None for a defect."""
    if isinstance(exc, StatehouseError):
        return exc
    for kind, translate in TRANSLATIONS:
        if isinstance(exc, kind):
            return translate(exc)
    return None


def _validation(exc: Any) -> StatehouseError:
    return InvalidArguments(list(_flattened(exc.detail, "")))


def _flattened(detail: Any, path: str) -> list[Problem]:
    if isinstance(detail, dict):
        return [found for name, item in detail.items() for found in _flattened(item, f"{path}/{name}")]
    if isinstance(detail, list) and any(isinstance(item, dict | list) for item in detail):
        return [found for index, item in enumerate(detail) for found in _flattened(item, f"{path}/{index}")]
    if isinstance(detail, list):
        return [found for item in detail for found in _flattened(item, path)]
    return [Problem(path, str(getattr(detail, "code", "invalid")), str(detail))]


def _django_validation(exc: Any) -> StatehouseError:
    by_field = exc.message_dict if hasattr(exc, "error_dict") else {"": exc.messages}
    return InvalidArguments(
        [
            Problem(f"/{name}" if name else "", "invalid", sentence)
            for name, sentences in by_field.items()
            for sentence in sentences
        ]
    )


def _operational(exc: Any) -> StatehouseError:
    state = getattr(exc.__cause__, "sqlstate", None)
    is_contention = state in CONTENTION_STATES or any(word in str(exc).lower() for word in CONTENTION_WORDS)
    return DatabaseBusy() if is_contention else DatabaseUnavailable()


def _database(exc: Any) -> StatehouseError | None:
    # Integrity and data errors are defects of ours: what a caller may send is checked before it gets there.
    state = getattr(exc.__cause__, "sqlstate", None)
    return DatabaseBusy() if state in CONTENTION_STATES else None


TRANSLATIONS: list[tuple[type[BaseException], Callable[[Any], StatehouseError | None]]] = [
    (Http404, lambda _: NotFound(what="resource", name="of this address")),
    (core.RequestDataTooBig, lambda _: JSONTooLarge(limitBytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)),
    (core.PermissionDenied, lambda _: Forbidden()),
    (core.ValidationError, _django_validation),
    (core.SuspiciousOperation, lambda _: BadRequest()),
    (UnreadablePostError, lambda _: BadRequest()),
    (rest.ValidationError, _validation),
    (rest.ParseError, lambda _: BadRequest()),
    (rest.AuthenticationFailed, lambda exc: AuthenticationFailed(reason=str(exc.detail))),
    (rest.NotAuthenticated, lambda _: NotAuthenticated()),
    (rest.PermissionDenied, lambda _: Forbidden()),
    (rest.NotFound, lambda _: NotFound(what="resource", name="of this address")),
    (rest.MethodNotAllowed, lambda exc: MethodNotAllowed(method=exc.args[0])),
    (rest.NotAcceptable, lambda _: NotAcceptable()),
    (rest.UnsupportedMediaType, lambda exc: UnsupportedMediaType(mediaType=str(exc.args[0])[:200])),
    (rest.Throttled, lambda _: Throttled()),
    (OperationalError, _operational),
    (InterfaceError, lambda _: DatabaseUnavailable()),
    (DatabaseError, _database),
]
