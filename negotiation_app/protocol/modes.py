"""The mode decides what is written beside the rows, never what is legal. Section 16."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from negotiation_app.protocol import decisions, paths
from negotiation_app.protocol.conflicts import StatusTransitionInvalid
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.names import DecisionKind, Mode, Step

_ORDER = tuple(Mode)


def change_mode(draft: Draft, body: Mapping[str, Any]) -> None:
    own, to, decision = draft.state.own, body["to"], body.get("decision")
    if own.mode == to:
        raise StatusTransitionInvalid(current=own.mode, to=to)
    if _ORDER.index(to) < _ORDER.index(Mode(own.mode)):
        decision = decisions.need(decision, DecisionKind.CHANGE_MODE)
    if decision is not None:
        decisions.use(draft, decision, DecisionKind.CHANGE_MODE, approves=lambda value: value == to)
    draft.put(replace(own, mode=to))
    draft.move(paths.MODE)
    draft.note(Step.APPLY, f"the mode changes from {own.mode} to {to}")
