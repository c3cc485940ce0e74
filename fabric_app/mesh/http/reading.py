"""Query parameters and bodies as checked values: every problem is found in one reading, unknown names are refused."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework.request import Request

from fabric_app.mesh.errors import InvalidArguments, Problem
from fabric_app.mesh.http.times import moment_in
from fabric_app.mesh.numbers import whole_number
from fabric_app.mesh.validation import problems_in

MAX_PARAMETER_CHARS = 4_096
MAX_DIGITS = 15
FLAGS = {"true": True, "false": False}
Json = dict[str, Any]


class Query:
    """The parameters of an address. Ask for each by its kind, then call `done`."""

    def __init__(self, request: Request) -> None:
        self._values = {name: request.query_params.getlist(name) for name in request.query_params}
        self._problems: list[Problem] = []

    def texts(self, name: str) -> list[str] | None:
        """Return every value of a parameter that may be repeated, or None where it is absent."""
        values = self._values.pop(name, None)
        if values is None:
            return None
        for value in values:
            if "\0" in value or len(value) > MAX_PARAMETER_CHARS:
                self._refuse(name, "wrong_form", f"must have at most {MAX_PARAMETER_CHARS} characters, without NUL.")
        return values

    def text(self, name: str) -> str | None:
        values = self.texts(name)
        if values is not None and len(values) > 1:
            self._refuse(name, "too_many_items", "must be given once.")
        return values[0] if values else None

    def flag(self, name: str) -> bool | None:
        value = self.text(name)
        if value is not None and value not in FLAGS:
            self._refuse(name, "wrong_type", "must be true or false.")
        return FLAGS.get(value or "")

    def number(self, name: str, *, least: int = 0) -> int | None:
        value = self.text(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdecimal() and len(value) <= MAX_DIGITS and int(value) >= least):
            self._refuse(name, "wrong_type", f"must be a whole number from {least}.")
            return None
        return int(value)

    def moment(self, name: str) -> datetime | None:
        value = self.text(name)
        found = None if value is None else moment_in(value)
        if value is not None and found is None:
            self._refuse(name, "wrong_form", "must be an ISO 8601 time with its offset: 2026-12-01T10:20:00Z.")
        return found

    def paged(self) -> None:
        """Leave `cursor` and `limit`, once each, to the reader of pages."""
        self.text("cursor")
        self.text("limit")

    def done(self) -> None:
        """Raise InvalidArguments with every problem found, parameters that nobody asked for among them."""
        for name in self._values:
            self._refuse(name[:100], "unknown_member", "is not a parameter of this resource.")
        if self._problems:
            raise InvalidArguments(self._problems)

    def _refuse(self, name: str, code: str, detail: str) -> None:
        self._problems.append(Problem(f"/{name}", code, detail))


def given(values: Json) -> Json:
    """Return the members that have a value: absent ones are left out, as the actions expect."""
    return {name: value for name, value in values.items() if value is not None}


def body_of(request: Request, schema: Json, *, free: tuple[str, ...] = ()) -> Json:
    """Return the body, checked against a schema. Members named in `free` may hold any JSON. Raises InvalidArguments."""
    body: Any = request.data
    checked = {name: value for name, value in body.items() if name not in free} if isinstance(body, dict) else body
    problems = problems_in(checked, {**schema, "required": [name for name in schema["required"] if name not in free]})
    if isinstance(body, dict):
        problems += [
            Problem(f"/{name}", "required", "is missing.")
            for name in free
            if name in schema["required"] and name not in body
        ]
    if problems:
        raise InvalidArguments(problems)
    read: Json = body
    return read


def version_in(body: Json, member: str) -> int | None:
    """Return a version that a body names, or None. Raises InvalidArguments where it is no whole number from 0."""
    if member not in body:
        return None
    version = whole_number(body[member])
    if version is None or version < 0:
        raise InvalidArguments([Problem(f"/{member}", "wrong_type", "must be a whole number from 0.")])
    return version
