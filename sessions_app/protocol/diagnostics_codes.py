"""Diagnostics: what went wrong without anything being refused, in the form in which clients receive it.

Source: rp.state, sections 5 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]

# A condition reads a namespace or a path that does not exist.
STATE_CONDITION_MISSING = "STATE_CONDITION_MISSING"
# A condition meets a type that it cannot use, or its result is no boolean.
STATE_CONDITION_INVALID = "STATE_CONDITION_INVALID"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic; `path` is a JSON Pointer where it concerns one place."""

    code: str
    message: str
    severity: Severity = "warning"
    path: str | None = None

    def as_json(self) -> dict[str, str]:
        """Return `{code, severity, message}`, and `path` where there is one."""
        told = {"code": self.code, "severity": self.severity, "message": self.message}
        return told if self.path is None else {**told, "path": self.path}
