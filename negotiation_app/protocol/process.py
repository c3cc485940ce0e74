"""What is expected of the process: its deadline, and whether it goes on across exchanges. Sections 3, 6 and 16."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.names import Step
from negotiation_app.protocol.statuses import EXPIRED
from negotiation_app.protocol.times import last_moment


def set_deadline(draft: Draft, body: Mapping[str, Any]) -> None:
    """Set, move or clear the deadline; the same moment again changes nothing."""
    own, deadline = draft.state.own, body["deadline"]
    if _is_same(own.deadline, deadline):
        draft.note(Step.APPLY, "the deadline is this one already")
        return
    draft.put(replace(own, deadline=deadline))
    draft.move(paths.DEADLINE)
    draft.note(Step.APPLY, "the deadline is cleared" if deadline is None else f"the deadline is {deadline}")


def set_expectation(draft: Draft, body: Mapping[str, Any]) -> None:
    """Say whether the negotiation is expected to continue across exchanges, which decides on artefacts in STANDARD."""
    own, expected = draft.state.own, body["expectedToContinue"]
    said = "it is expected to continue" if expected else "it is not expected to continue"
    if own.expected_to_continue == expected:
        draft.note(Step.APPLY, f"{said}, as before")
        return
    draft.put(replace(own, expected_to_continue=expected))
    draft.move(paths.EXPECTATION)
    draft.note(Step.APPLY, said)


def _is_same(one: str | None, other: str | None) -> bool:
    if one is None or other is None or one == EXPIRED:
        return one == other
    return last_moment(one) == last_moment(other)
