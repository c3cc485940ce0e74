"""What a namespace is made of beside its value: a definition with its rules, in normal form.

Values of these classes are well-formed; `definition_reading` makes them of untrusted JSON.

Source: rp.state v2, "Rules and update modes"; exact rules in rp.state, section 3.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, Self

from sessions_app.protocol.numbers import Number
from sessions_app.protocol.pointer import Segments, parse
from sessions_app.protocol.schema import Checker, Schema, compiled

STORED_DEFINITIONS = 512


class UpdateMode(StrEnum):
    """Who may change the value: nobody but by rules, anybody within the schema, or no turn at all."""

    RULES_REQUIRED = "rules-required"
    SCHEMA_ONLY = "schema-only"
    DISABLED = "disabled"


class Cadence(StrEnum):
    """When a rule's change is expected."""

    WHEN_APPLICABLE = "when-applicable"
    EVERY_TURN = "every-turn"


class Operation(StrEnum):
    """What a change does to its place, and what a rule may permit."""

    SET = "set"
    INCREMENT = "increment"
    APPEND = "append"
    REMOVE = "remove"


@dataclass(frozen=True)
class Effect:
    """The operation that a rule permits; `minimum` and `maximum` bound the delta of an increment, both inclusive."""

    op: Operation
    minimum: Number | None = None
    maximum: Number | None = None

    @classmethod
    def from_json(cls, normal: dict[str, Any]) -> Self:
        return cls(op=Operation(normal["op"]), minimum=normal.get("minimum"), maximum=normal.get("maximum"))

    def as_json(self) -> dict[str, Any]:
        bounds = {"minimum": self.minimum, "maximum": self.maximum}
        return {"op": self.op.value, **{name: bound for name, bound in bounds.items() if bound is not None}}


@dataclass(frozen=True)
class Rule:
    """A permission to change one place in one way.

    target: a JSON Pointer. when, guidance: for the model's judgment. condition: for the machine, in its own language.
    """

    id: str
    target: str
    when: str
    effect: Effect
    condition: str | None = None
    guidance: tuple[str, ...] = ()
    cadence: Cadence = Cadence.WHEN_APPLICABLE

    @cached_property
    def segments(self) -> Segments:
        """The decoded segments of the target."""
        return parse(self.target)

    @classmethod
    def from_json(cls, normal: dict[str, Any]) -> Self:
        return cls(
            id=normal["id"],
            target=normal["target"],
            when=normal["when"],
            condition=normal.get("condition"),
            effect=Effect.from_json(normal["effect"]),
            guidance=tuple(normal["guidance"]),
            cadence=Cadence(normal["cadence"]),
        )

    def as_json(self) -> dict[str, Any]:
        condition = {} if self.condition is None else {"condition": self.condition}
        return {
            "id": self.id,
            "target": self.target,
            "when": self.when,
            **condition,
            "effect": self.effect.as_json(),
            "guidance": list(self.guidance),
            "cadence": self.cadence.value,
        }


@dataclass(frozen=True)
class Definition:
    """The title, mode, schema and rules of a namespace; `schema` is in normal form and never changed in place."""

    title: str
    update_mode: UpdateMode
    schema: Schema
    rules: tuple[Rule, ...] = ()
    description: str | None = None

    @cached_property
    def checker(self) -> Checker:
        """The compiled schema."""
        return compiled(self.schema)

    @classmethod
    def from_json(cls, normal: dict[str, Any]) -> Self:
        """Return the definition of a normal form that was read before; nothing is checked again."""
        return cls(
            title=normal["title"],
            description=normal.get("description"),
            update_mode=UpdateMode(normal["updateMode"]),
            schema=normal["schema"],
            rules=tuple(map(Rule.from_json, normal["rules"])),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the normal form: `title description? updateMode schema rules`."""
        description = {} if self.description is None else {"description": self.description}
        return {
            "title": self.title,
            **description,
            "updateMode": self.update_mode.value,
            "schema": self.schema,
            "rules": [rule.as_json() for rule in self.rules],
        }


@lru_cache(maxsize=STORED_DEFINITIONS)
def stored_definition(text: str) -> Definition:
    """Return the definition of a stored normal form, as JSON text; equal texts share one, compiled once."""
    return Definition.from_json(json.loads(text))
