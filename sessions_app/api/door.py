"""The base of the sessions' views: how bodies are read, and which session or book an address names."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh import strict_json
from fabric_app.mesh.errors import InvalidArguments, Problem
from fabric_app.mesh.http import door
from fabric_app.mesh.http.preconditions import version_named
from fabric_app.mesh.http.reading import Json, version_in
from sessions_app.access import READ, READ_BOOK, book_for, session_for
from sessions_app.api.problems import errors_of
from sessions_app.models import Session, WorldBook
from sessions_app.operations.books import book_id_of

# A schema nests two levels of JSON for each of its own, inside the members of a request.
MAX_DEPTH = 160
EXPECTED = "expectedVersion"


class SessionsJSONParser(BaseParser):
    """Reads a body strictly; numbers of sessions are doubles, so that large integers are rounded and not refused."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return strict_json.loads(stream.read(limit + 1), max_bytes=limit, max_depth=MAX_DEPTH, integers_as_doubles=True)


class Door(door.Door):
    """A view of one session, of its parts, or of world books."""

    parser_classes: Any = (SessionsJSONParser,)

    def session(self, session_id: uuid.UUID, permission: str = READ) -> Session:
        """Return the session, if the caller holds the permission on it. Raises NotFound, NotPermitted."""
        return session_for(self.request.user, session_id, permission)

    def book(self, book_id: uuid.UUID, permission: str = READ_BOOK) -> WorldBook:
        """Return the world book, if the caller holds the permission on it. Raises NotFound, NotPermitted."""
        return book_for(self.request.user, book_id, permission)

    def book_named(self, name: str, path: str) -> WorldBook:
        """Return the world book whose id a body gives at `path`. Raises InvalidArguments, NotFound."""
        book_id = book_id_of(name)
        if book_id is None:
            raise InvalidArguments([Problem(path, "wrong_form", "must be the id of a world book.")])
        return self.book(book_id)

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        if (errors := errors_of(exc)) and isinstance(response.data, dict):
            response.data["errors"] = errors
        return response

    def here(self, session: Session) -> Json:
        """Return what every operation on a session is told."""
        return {"session_id": session.pk, "actor": self.actor(), "now": self.now()}

    def caller(self) -> Json:
        """Return what every operation that makes something is told."""
        return {"user": self.request.user, "actor": self.actor(), "now": self.now()}


def expected(request: Request, body: Json) -> int | None:
    """Return the version of a session or message that the request names, in the body or by If-Match."""
    return version_named(request, version_in(body, EXPECTED), member=EXPECTED)
