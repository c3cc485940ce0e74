"""What is wrong with a value under a schema: where, which keyword says so, and what it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import Problem
from sessions_app.protocol.errors import ValueInvalid
from sessions_app.protocol.pointer import Segments, below
from sessions_app.protocol.pointer import format as pointer_to

SHOWN_CHARS = 200

_TOLD = {
    "type": "must be of type {expected}.",
    "enum": "must be one of {expected}.",
    "const": "must be {expected}.",
    "required": "is required.",
    "additionalProperties": "is not a declared property, and no others are allowed.",
    "minItems": "must have at least {expected} items.",
    "maxItems": "must have at most {expected} items.",
    "minLength": "must have at least {expected} characters.",
    "maxLength": "must have at most {expected} characters.",
    "minimum": "must be at least {expected}.",
    "maximum": "must be at most {expected}.",
}


@dataclass(frozen=True)
class Violation:
    """One place of a value that its schema refuses.

    segments: the place; of a missing member, where it would be. keyword: of the schema. expected: what the keyword
    says there (for `required` the missing name).
    """

    segments: Segments
    keyword: str
    expected: Any

    @property
    def path(self) -> str:
        return pointer_to(self.segments)

    def sentence(self) -> str:
        """Return what the value must be, beginning with a verb."""
        text = dumps(self.expected)
        expected = text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}..."
        return _TOLD[self.keyword].format(expected=expected)

    def problem(self) -> Problem:
        path = ""
        for segment in self.segments:
            path = below(path, segment)
        return Problem(path, ValueInvalid.code, f"The value {self.sentence()}")
