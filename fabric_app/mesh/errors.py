"""Typed errors: one hierarchy, a stable code each, and a sentence that says what to do.

Every error that a caller can cause is a `StatehouseError`. `code` never changes once published, `status` is the HTTP
status, `message` is a template over the details. Details are plain JSON values under their wire names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input: where (a JSON Pointer), which kind, and what to do."""

    path: str
    code: str
    detail: str

    def as_json(self) -> dict[str, str]:
        return {"path": self.path, "code": self.code, "detail": self.detail}


class StatehouseError(Exception):
    """Base of all errors that Statehouse raises on purpose; never raised itself."""

    code: ClassVar[str] = "STATEHOUSE_ERROR"
    status: ClassVar[int] = 400
    message: ClassVar[str] = "The request cannot be carried out."

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """Return the sentence for people, built from the template and the details."""
        return self.message.format(**self.details)

    def as_json(self) -> dict[str, Any]:
        """Return `{code, message, ...details}`, the form in which an error is stored or nested in another."""
        return {"code": self.code, "message": self.sentence(), **self.details}


class InvalidArguments(StatehouseError):
    """The input does not have the documented shape; every independent problem is listed."""

    code, status = "INVALID_ARGUMENTS", 400
    message = "The arguments are not valid: {summary}."

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        summary = "; ".join(f"{problem.path or '/'} {problem.detail.removesuffix('.')}" for problem in self.problems)
        super().__init__(summary=summary, errors=[problem.as_json() for problem in self.problems])

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.sentence(), "errors": self.details["errors"]}


class VersionConflict(StatehouseError):
    """The row moved on after the caller read it: a lost compare-and-swap, and nothing else."""

    code, status = "VERSION_CONFLICT", 409
    message = "Version {expected} is not the current one, which is {current}. Read it and decide again."


class NotFound(StatehouseError):
    """What the request names does not exist, or is not visible to the caller."""

    code, status = "NOT_FOUND", 404
    message = "There is no {what} named {name!r} that you can see."


class NotPermitted(StatehouseError):
    """The caller lacks a permission on the object."""

    code, status = "NOT_PERMITTED", 403
    message = "This needs the permission {permission!r} on {target}. Ask an operator to grant it."
