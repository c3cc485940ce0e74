"""The state of a session: its namespaces with their revisions, values, definitions and diagnostics.

Everything in it is frozen or treated so: an operation gives a new projection, which shares what did not change.

Source: rp.state seed, "Projection"; rp.state, sections 8 and 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sessions_app.protocol.definition import Definition
from sessions_app.protocol.rulebook import Rulebook

PROTOCOL_VERSION = 2

# A diagnostic in its wire form: code, severity, message, and where there is one path, namespace and ruleId.
WireDiagnostic = Mapping[str, Any]


@dataclass(frozen=True)
class Namespace:
    """One partition of a session's state; `rules` are those of its definition, made ready."""

    revision: int
    initial_value: Any
    value: Any
    definition: Definition
    rules: Rulebook = field(compare=False, repr=False)
    setup: tuple[WireDiagnostic, ...] = ()
    last_commit: tuple[WireDiagnostic, ...] = ()

    @classmethod
    def new(cls, definition: Definition, initial_value: Any, setup: Iterable[WireDiagnostic] = ()) -> Namespace:
        """Return a namespace as it begins: revision 1, its value the initial one."""
        return cls(1, initial_value, initial_value, definition, Rulebook.of(definition), tuple(setup))

    @classmethod
    def from_json(cls, wire: Mapping[str, Any], definition: Definition) -> Namespace:
        """Return a namespace from its stored wire form, whose definition the caller has read; nothing is checked."""
        diagnostics = wire["diagnostics"]
        return cls(
            revision=wire["revision"],
            initial_value=wire["initialValue"],
            value=wire["value"],
            definition=definition,
            rules=Rulebook.of(definition),
            setup=tuple(diagnostics["setup"]),
            last_commit=tuple(diagnostics["lastCommit"]),
        )

    def moved(self, **changes: Any) -> Namespace:
        """Return the namespace at its next revision, with an empty `last_commit` and what is given anew."""
        return replace(self, revision=self.revision + 1, last_commit=(), **changes)

    def as_json(self) -> dict[str, Any]:
        return {
            "revision": self.revision,
            "initialValue": self.initial_value,
            "value": self.value,
            "definition": self.definition.as_json(),
            "diagnostics": {
                "setup": [dict(each) for each in self.setup],
                "lastCommit": [dict(each) for each in self.last_commit],
            },
        }


@dataclass(frozen=True)
class Projection:
    """All namespaces by id, in the order of their making; `revision` counts the entities that moved something."""

    revision: int = 0
    namespaces: Mapping[str, Namespace] = field(default_factory=dict)

    def values(self) -> dict[str, Any]:
        """Return the value of each namespace, as conditions read them."""
        return {name: namespace.value for name, namespace in self.namespaces.items()}

    def with_namespaces(self, changed: Mapping[str, Namespace]) -> Projection:
        """Return the next revision with these namespaces changed or added."""
        return Projection(self.revision + 1, {**self.namespaces, **changed})

    def without(self, name: str) -> Projection:
        """Return the next revision with one namespace less."""
        return Projection(self.revision + 1, {key: each for key, each in self.namespaces.items() if key != name})

    def as_json(self) -> dict[str, Any]:
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "revision": self.revision,
            "namespaces": {name: namespace.as_json() for name, namespace in self.namespaces.items()},
        }


EMPTY = Projection()
