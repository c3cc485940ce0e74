"""Pages by cursor: `{"results": [...], "next": <address of the next page, or null>}`.

A cursor is opaque to callers. Inside is what the query of the page needs to go on: the last number or key that was
sent. Rows that are added meanwhile are neither skipped nor sent twice.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from fabric_app.mesh import strict_json
from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError

CURSOR, LIMIT = "cursor", "limit"
MAX_CURSOR_CHARS = 4_096
# Leading zeros are fine, as long as there is an end to them.
_SMALL = re.compile(r"[0-9]{1,10}")


class InvalidCursor(StatehouseError):
    """A cursor is not one that a page of this list handed out."""

    code, status = "INVALID_CURSOR", 400
    message = "This is not a cursor of this list. Follow `next` as it is, or leave `cursor` out to begin."


@dataclass(frozen=True)
class Asked:
    """What a request asks for: a page of `limit` items after the place `after` (None: from the start)."""

    after: Any
    limit: int


class CursorPages:
    """Reads `cursor` and `limit`, and writes the page."""

    default_limit = 50
    max_limit = 500

    def asked(self, request: Request, *, place: type[int] | type[str]) -> Asked:
        """Return what the request asks for. `place`: the type of a place in this list.

        Raises InvalidArguments, InvalidCursor.
        """
        return Asked(after=self.place(request, place), limit=self.limit(request))

    def place(self, request: Request, place: type[int] | type[str]) -> Any:
        """Return the place that the request's cursor names, or None for the start. Raises InvalidCursor."""
        cursor = request.query_params.get(CURSOR)
        return None if cursor is None else _opened(cursor, place)

    def limit(self, request: Request) -> int:
        """Return how many items the request asks for. Raises InvalidArguments."""
        text = request.query_params.get(LIMIT)
        if text is None:
            return self.default_limit
        if not (_SMALL.fullmatch(text) and 1 <= int(text) <= self.max_limit):
            detail = f"must be a whole number from 1 to {self.max_limit}."
            raise InvalidArguments([Problem(f"/{LIMIT}", "not_allowed", detail)])
        return int(text)

    def page(self, request: Request, results: Iterable[Any], *, next_place: Any) -> dict[str, Any]:
        """Return the page; `next_place` is where the next one goes on, None where this is the last."""
        return {"results": list(results), "next": self.next_address(request, next_place)}

    def next_address(self, request: Request, next_place: Any) -> str | None:
        """Return the address of the next page, the other parameters kept; None where this is the last."""
        return None if next_place is None else self.address_with(request, CURSOR, _closed(next_place))

    @staticmethod
    def address_with(request: Request, name: str, value: Any) -> str:
        """Return the request's address with one parameter replaced."""
        return replace_query_param(request.build_absolute_uri(), name, value)


def _closed(place: Any) -> str:
    return base64.urlsafe_b64encode(dumps(place).encode()).decode().rstrip("=")


def _opened(cursor: str, place: type[int] | type[str]) -> Any:
    if len(cursor) > MAX_CURSOR_CHARS or not cursor.isascii():
        raise InvalidCursor
    try:
        value = strict_json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, strict_json.InvalidJSON) as malformed:
        raise InvalidCursor from malformed
    if type(value) is not place or (isinstance(value, int) and value < 0) or "\0" in str(value):
        raise InvalidCursor
    return value
