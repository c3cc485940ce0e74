"""What surrounds every request: an id that ties answer and log lines together, and a limit on the body's size."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast
from uuid import uuid4

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.functional import SimpleLazyObject

from config.metrics import count_request
from fabric_app.mesh.http.uploads import most_file_bytes

HEADER = "X-Request-Id"
# A caller's own id is kept where it can stand in a log line and a header as it is.
ACCEPTABLE = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
log = structlog.get_logger("statehouse.requests")


class RequestContext:
    """Bind the request's id to the log, refuse bodies that are too large, and return the id in `X-Request-Id`.

    Works in both of Django's modes, so that streams stay asynchronous.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(cast("Callable[..., Any]", self))

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._call_async(request)
        visit = Visit(request)
        return visit.leave(visit.refusal() or self.get_response(request))

    async def _call_async(self, request: HttpRequest) -> HttpResponseBase:
        visit = Visit(request)
        return visit.leave(visit.refusal() or await self.get_response(request))


class Visit:
    """One request on its way in and out."""

    def __init__(self, request: HttpRequest) -> None:
        asked = request.headers.get(HEADER, "")
        self.request = request
        self.id = asked if ACCEPTABLE.fullmatch(asked) else uuid4().hex
        self.began_at = time.monotonic()
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=self.id)

    def refusal(self) -> HttpResponse | None:
        """Return the answer to a body that says it is too large; one without a length meets Django's own limit."""
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        declared = self.request.META.get("CONTENT_LENGTH") or "0"
        if not declared.isdecimal() or int(declared) <= limit:
            return None
        limit += most_file_bytes(self.request)
        return _too_large(limit) if int(declared) > limit else None

    def leave(self, response: HttpResponseBase) -> HttpResponseBase:
        """Add the id to the answer and write the request's line."""
        response[HEADER] = self.id
        seconds = time.monotonic() - self.began_at
        method, status = self.request.method or "", response.status_code
        count_request(method=method, status=status, seconds=seconds)
        path, milliseconds = self.request.path, round(seconds * 1000, 1)
        log.info("request", method=method, path=path, status=status, ms=milliseconds, actor=self.actor())
        return response

    def actor(self) -> object:
        """Return the account's key where somebody asked for the account; none is loaded for the log's sake."""
        known = self.request.__dict__
        # A token's account stands under the second name; a lazy object there was never opened.
        user = known.get("_cached_user") or known.get("user")
        return None if isinstance(user, SimpleLazyObject) else getattr(user, "pk", None)


def _too_large(limit: int) -> HttpResponse:
    body = {
        "type": "urn:statehouse:error:REQUEST_TOO_LARGE",
        "title": "Request too large",
        "status": 413,
        "code": "REQUEST_TOO_LARGE",
        "detail": f"The request body is larger than {limit} bytes. Send less in one request.",
        "limitBytes": limit,
    }
    return JsonResponse(body, status=413, content_type="application/problem+json")
