"""The base of every API view: who asks, when, and how answers are finished."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from fabric_app.mesh.actors import Actor, actor_of
from fabric_app.mesh.errors import NotFound, StatehouseError
from fabric_app.mesh.http.standing import standing_of
from fabric_app.mesh.streams import Stream
from fabric_app.mesh.tails import sse_response

CONFLICT, PRECONDITION_FAILED = 409, 412
# Conflicts over a version: what If-Match is about.
VERSION_CODES = frozenset({"VERSION_CONFLICT", "CAS_FAILED"})


class LengthRequired(StatehouseError):
    """A body comes without its length, so that it could not be told from none."""

    code, status = "LENGTH_REQUIRED", 411
    message = "Send the body with Content-Length."


class Door(APIView):
    """A view that translates in, makes one call, and translates out.

    version_codes: of the conflicts that answer 412 where `If-Match` named the version.
    """

    version_codes: ClassVar[frozenset[str]] = VERSION_CODES

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if "Transfer-Encoding" in request.headers and not request.headers.get("Content-Length"):
            raise LengthRequired
        if any("\0" in str(value) for value in kwargs.values()):
            raise NotFound(what="resource", name="of this address")

    def actor(self) -> Actor:
        return actor_of(self.request.user)

    @staticmethod
    def now() -> datetime:
        return timezone.now()

    @staticmethod
    def tail(
        request: Request, stream: Stream, *, still_readable: Callable[[Any], bool] | None = None
    ) -> StreamingHttpResponse:
        """Return a live stream that ends where the token, the account or the permission (`still_readable`) does."""
        received = request._request  # noqa: SLF001 - what came in, not DRF's view of it
        stands = standing_of(request.user, token=request.auth, session=received.session, still_readable=still_readable)
        return sse_response(received, stream, still_allowed=stands)

    @property
    def pages(self) -> Any:
        """The reader and writer of cursor pages that the settings name."""
        style: Any = api_settings.DEFAULT_PAGINATION_CLASS
        return style()

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        names_version = response.status_code == CONFLICT and response.data.get("code") in self.version_codes
        if names_version and "If-Match" in self.request.headers:
            response.status_code = response.data["status"] = PRECONDITION_FAILED
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished = super().finalize_response(request, response, *args, **kwargs)
        # Answers depend on who asks, and are out of date at once.
        finished.headers.setdefault("Cache-Control", "no-store")
        return finished
