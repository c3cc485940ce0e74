"""The rules of one definition, made ready to be asked: by id, compiled, and those that are due on every turn.

Source: rp.state, sections 3 and 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sessions_app.protocol.condition import Condition, compile_condition
from sessions_app.protocol.definition import Cadence, Definition, Rule


@dataclass(frozen=True)
class Rulebook:
    """`conditions` has the compiled condition of each rule that has one, by the rule's id."""

    by_id: Mapping[str, Rule]
    conditions: Mapping[str, Condition]
    every_turn: tuple[Rule, ...]

    @classmethod
    def of(cls, definition: Definition) -> Rulebook:
        """Return the rules of a definition; its conditions compile, as that was checked when it was made."""
        return cls(
            by_id={rule.id: rule for rule in definition.rules},
            conditions={rule.id: _compiled(rule.condition) for rule in definition.rules if rule.condition is not None},
            every_turn=tuple(rule for rule in definition.rules if rule.cadence is Cadence.EVERY_TURN),
        )


def _compiled(text: str) -> Condition:
    """Return an accepted condition, compiled; it was within the limits of its day, which may be others now."""
    return compile_condition(text, max_code_points=len(text), max_tokens=len(text))
