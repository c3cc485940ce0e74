"""Every error of the HTTP API as `application/problem+json` (RFC 9457).

    {"type": "urn:statehouse:error:<CODE>", "title", "status", "code", "detail", "errors"?: [{path, code, detail}], ...}

What follows are the error's own details, such as the current version. `type` names the code and is no address. Errors
of the framework and of the database get a typed error of ours first, so that there is one form and one list of codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views import defaults
from rest_framework.response import Response
from rest_framework.views import set_rollback

from config import translation
from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import NotFound, StatehouseError

CONTENT_TYPE = "application/problem+json"
API_PREFIX = "/api/"
RETRY_SECONDS = 1
RESERVED = frozenset({"type", "title", "status", "code", "detail"})


def problem(error: StatehouseError) -> dict[str, Any]:
    """Return the members of an error's problem document."""
    own = {name: _plain(value) for name, value in error.as_json().items() if name not in {"code", "message"}}
    return {
        "type": f"urn:statehouse:error:{error.code}",
        "title": error.code.replace("_", " ").capitalize().replace("json", "JSON"),
        "status": error.status,
        "code": error.code,
        "detail": error.sentence(),
        **{name: value for name, value in own.items() if name not in RESERVED},
    }


def exception_handler(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """Answer an exception of an API view; None leaves an unforeseen one to Django, which logs it and answers 500."""
    error = translation.typed(exc)
    if error is None:
        return None
    set_rollback()
    headers = _headers(error, exc, context)
    return Response(problem(error), status=error.status, headers=headers, content_type=CONTENT_TYPE)


def problem_response(error: StatehouseError) -> HttpResponse:
    """Return the answer to an error outside of an API view."""
    return HttpResponse(dumps(problem(error)), status=error.status, content_type=CONTENT_TYPE)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer 400 where Django itself refuses a request."""
    if not request.path.startswith(API_PREFIX):
        return defaults.bad_request(request, exception)
    return problem_response(translation.typed(exception) or translation.BadRequest())


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer 403 outside of API views."""
    if not request.path.startswith(API_PREFIX):
        return defaults.permission_denied(request, exception)
    return problem_response(translation.Forbidden())


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer 404 where no address matches."""
    if not request.path.startswith(API_PREFIX):
        return defaults.page_not_found(request, exception)
    return problem_response(NotFound(what="resource", name=request.path[:200]))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer 500: a defect of ours, logged by then, of which the caller learns nothing but that."""
    if not request.path.startswith(API_PREFIX):
        return defaults.server_error(request)
    return problem_response(translation.InternalError())


def _headers(error: StatehouseError, exc: Exception, context: Mapping[str, Any]) -> dict[str, str]:
    headers: dict[str, str] = {}
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="statehouse"'
    if error.status in {HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS}:
        headers["Retry-After"] = str(int(getattr(exc, "wait", None) or RETRY_SECONDS))
    if error.status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
    return headers


def _plain(value: Any) -> Any:
    """Return a detail as a JSON value: ids and times as texts."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
