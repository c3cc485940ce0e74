"""What the protocol refuses in pointers, values, schemas and definitions.

Each error lists every independent problem that was found, with its place; an error's own code is that of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from fabric_app.mesh.errors import Problem, StatehouseError

SUMMARY_PROBLEMS = 5


class ProtocolRefusal(StatehouseError):
    """Base of what the protocol refuses, with `problems` in the order of the checks; never raised itself."""

    code, status = "PROTOCOL_REFUSAL", 422
    message = "The session protocol refuses this: {summary}"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(summary=_summary(self.problems), errors=[problem.as_json() for problem in self.problems])

    @classmethod
    def at(cls, path: str, detail: str) -> Self:
        """Return the error with one problem at `path`, a JSON Pointer into the input."""
        return cls([Problem(path, cls.code, detail)])

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.sentence(), "errors": self.details["errors"]}


class PointerInvalid(ProtocolRefusal):
    """A JSON Pointer is malformed, or leads nowhere where it has to lead somewhere."""

    code, status = "POINTER_INVALID", 422
    message = "The path cannot be used: {summary}"


class ValueInvalid(ProtocolRefusal):
    """A value cannot be stored, or does not fit its schema."""

    code, status = "VALUE_INVALID", 422
    message = "The value is not valid: {summary}"


class SchemaInvalid(ProtocolRefusal):
    """A schema is not of the restricted dialect."""

    code, status = "SCHEMA_INVALID", 422
    message = "The schema is not valid: {summary}"


class DefinitionInvalid(ProtocolRefusal):
    """A definition, a rule, an id or a bootstrap does not have the documented form."""

    code, status = "DEFINITION_INVALID", 422
    message = "The definition is not valid: {summary}"


class NamespaceLimit(ProtocolRefusal):
    """A session would have more namespaces than it may."""

    code, status = "NAMESPACE_LIMIT", 422
    message = "A session cannot have so many namespaces: {summary}"


class WorldBookInvalid(ProtocolRefusal):
    """An entry of a world book does not have the documented form."""

    code, status = "WORLD_BOOK_INVALID", 422
    message = "The world book is not valid: {summary}"


def _summary(problems: Sequence[Problem]) -> str:
    told = " ".join(f"{problem.path or '/'}: {problem.detail}" for problem in problems[:SUMMARY_PROBLEMS])
    left = len(problems) - SUMMARY_PROBLEMS
    return told if left <= 0 else f"{told} And {left} more."
