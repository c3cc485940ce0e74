"""Problems gathered while one input is read, up to a limit, in the order of the checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from fabric_app.mesh.errors import Problem
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.errors import (
    DefinitionInvalid,
    NamespaceLimit,
    PointerInvalid,
    ProtocolRefusal,
    SchemaInvalid,
    ValueInvalid,
    WorldBookInvalid,
)
from sessions_app.protocol.limits import Limits
from sessions_app.protocol.pointer import below
from sessions_app.protocol.text import has_surrogate, is_blank, shown, trimmed

Answer = TypeVar("Answer")

_KINDS: dict[str, type[ProtocolRefusal]] = {
    kind.code: kind
    for kind in (
        DefinitionInvalid,
        PointerInvalid,
        ConditionInvalid,
        SchemaInvalid,
        ValueInvalid,
        NamespaceLimit,
        WorldBookInvalid,
    )
}


class Findings:
    """The problems of one reading. Each reader below returns None where it found one."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.problems: list[Problem] = []

    def add(self, path: str, detail: str, kind: type[ProtocolRefusal] = DefinitionInvalid) -> None:
        self._take(Problem(path, kind.code, detail))

    def raise_if_any(self) -> None:
        """Raise the error of the first problem's kind, with all of them."""
        if self.problems:
            raise _KINDS[self.problems[0].code](self.problems)

    def asked(self, path: str, question: Callable[[], Answer]) -> Answer | None:
        """Return the answer of a function that refuses by raising; what it refuses is told from `path` on."""
        try:
            return question()
        except ProtocolRefusal as error:
            for problem in error.problems:
                self._take(replace(problem, path=path + problem.path))
        return None

    def fields(self, raw: Any, path: str, allowed: Iterable[str], what: str) -> dict[str, Any] | None:
        """Return the object's members, those that are not allowed refused and left out; None for no object."""
        if not isinstance(raw, dict):
            self.add(path, f"{what} is an object with {', '.join(allowed)}.")
            return None
        for name in raw:
            if name not in allowed:
                self.add(below(path, name), f"{what} has no field {shown(str(name))}; use only {', '.join(allowed)}.")
        return {name: raw[name] for name in allowed if name in raw}

    def text(self, raw: Any, path: str) -> str | None:
        """Return the trimmed text; refused are other values, blank ones, halves of surrogate pairs, and long ones."""
        if not isinstance(raw, str) or is_blank(raw):
            self.add(path, "Give a text that is not blank.")
        elif has_surrogate(raw):
            self.add(path, "The text has half of a surrogate pair; send whole characters.")
        elif len(raw) > self.limits.text_chars:
            self.add(path, f"The text is longer than {self.limits.text_chars} characters; shorten it.")
        else:
            return trimmed(raw)
        return None

    def listed(self, raw: Any, path: str, most: int, what: str) -> list[Any] | None:
        if not isinstance(raw, list):
            self.add(path, f"Give a list of {what}; it may be empty.")
        elif len(raw) > most:
            self.add(path, f"There are {len(raw)} {what}; at most {most} are allowed.")
        else:
            return raw
        return None

    def _take(self, problem: Problem) -> None:
        if len(self.problems) < self.limits.issues:
            self.problems.append(problem)
