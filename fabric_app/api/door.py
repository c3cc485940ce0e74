"""The base of every API view: who asks, when, about which workspace, and how answers are finished."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from fabric_app.access import READ, require, visible_workspace
from fabric_app.mesh.actors import Actor, actor_of
from fabric_app.mesh.errors import NotFound, StatehouseError
from fabric_app.models import Workspace

CONFLICT, PRECONDITION_FAILED = 409, 412
# Conflicts over a version: what If-Match is about.
VERSION_CODES = frozenset({"VERSION_CONFLICT", "CAS_FAILED"})


class LengthRequired(StatehouseError):
    """A body comes without its length, so that it could not be told from none."""

    code, status = "LENGTH_REQUIRED", 411
    message = "Send the body with Content-Length."


class Door(APIView):
    """A view that translates in, makes one call, and translates out."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if "Transfer-Encoding" in request.headers and not request.headers.get("Content-Length"):
            raise LengthRequired
        if any("\0" in str(value) for value in kwargs.values()):
            raise NotFound(what="resource", name="of this address")

    def workspace(self, slug: str, permission: str = READ) -> Workspace:
        """Return the workspace of that name, if the caller holds the permission on it."""
        workspace = visible_workspace(self.request.user, slug)
        require(self.request.user, permission, workspace)
        return workspace

    def actor(self) -> Actor:
        return actor_of(self.request.user)

    @staticmethod
    def now() -> datetime:
        return timezone.now()

    @property
    def pages(self) -> Any:
        """The reader and writer of cursor pages that the settings name."""
        style: Any = api_settings.DEFAULT_PAGINATION_CLASS
        return style()

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        names_version = response.status_code == CONFLICT and response.data.get("code") in VERSION_CODES
        if names_version and "If-Match" in self.request.headers:
            response.status_code = response.data["status"] = PRECONDITION_FAILED
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished = super().finalize_response(request, response, *args, **kwargs)
        # Answers depend on who asks, and are out of date at once.
        finished.headers.setdefault("Cache-Control", "no-store")
        return finished
