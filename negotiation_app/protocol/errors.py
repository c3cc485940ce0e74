"""The base of what a negotiation refuses, and refusals that have nothing to do with its content.

`problems` lists everything of the first group of checks that failed, each with a JSON Pointer. Details carry the
whole values under their wire names. Source: canonical negotiation state, sections 1, 2 and 18.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabric_app.mesh.errors import Problem, StatehouseError
from fabric_app.mesh.texts import cut_text

SHOWN_BYTES = 200


class NegotiationError(StatehouseError):
    """Base of the negotiation's own errors; never raised itself."""

    code = "NEGOTIATION_ERROR"

    def __init__(self, *, problems: Sequence[Problem] = (), **details: Any) -> None:
        self.problems = tuple(problems)
        if self.problems:
            details["problems"] = [problem.as_json() for problem in self.problems]
        super().__init__(**{name: _plain(value) for name, value in details.items()})

    def sentence(self) -> str:
        return self.message.format(**{name: _shown(value) for name, value in self.details.items()})


class RoleForbidden(NegotiationError):
    """The caller holds none of the roles that may do this; a role comes from a permission, never from the body."""

    code, status = "ROLE_FORBIDDEN", 403
    message = "{operation} takes one of these roles: {allowed}. Let an account with such a role send it."


class AppendOnly(NegotiationError):
    """A row of the protected history was to be changed or deleted, by whomever."""

    code, status = "APPEND_ONLY", 405
    message = "{target} is kept as it was recorded. Add a row that says what changed instead."


def _plain(value: Any) -> Any:
    """Return words of the protocol as the plain texts that they are."""
    if isinstance(value, str):
        return str(value)
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        shown, left_out = cut_text(value, SHOWN_BYTES)
        return shown + "…" if left_out else shown
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "none"
    return value
