"""The negotiation's scenarios, step by step through the protocol alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.negotiation_expecting import compare
from tests.conformance.negotiation_invariants import broken_by_answer, broken_by_state
from tests.conformance.negotiation_memory import MemoryPlayer
from tests.conformance.negotiation_player import Player
from tests.conformance.negotiation_vectors import scenarios


def play(player: Player, scenario: dict[str, Any]) -> None:
    """Play a scenario to its end; the first step that differs fails it."""
    player.open(scenario["given"])
    before = player.state(scenario["given"]["at"])
    for step in scenario["steps"]:
        mark = player.mark()
        reply = player.play(step)
        after = player.state(step["at"])

        differs = compare(player, step, reply, after)
        broken = broken_by_answer(reply.answer or {}) + broken_by_state(before, after)
        assert not differs, f"step {step['n']} ({step['op']}): {differs}, reply {reply}"
        assert not broken, f"step {step['n']} ({step['op']}): {broken}"
        if reply.code is not None:
            assert player.mark() == mark, f"step {step['n']} was refused and stored something"
            assert _recorded(after) == _recorded(before), f"step {step['n']} was refused and changed something"
        before = after
    player.check()


def _recorded(state: dict[str, Any]) -> dict[str, Any]:
    """Return what no clock changes."""
    return {name: part for name, part in state.items() if name not in ("facts", "offers", "derived")}


@pytest.mark.parametrize("scenario", scenarios())
def test_the_protocol_does_as_the_scenario_tells(scenario: dict[str, Any]) -> None:
    play(MemoryPlayer(), scenario)
