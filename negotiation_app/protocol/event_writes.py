"""record_event: what happened in the world, with the operations that follow from it. Sections 6 and 7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negotiation_app.protocol import statuses
from negotiation_app.protocol.corrections import correct
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.event_types import EventType
from negotiation_app.protocol.evidence import refuse_simulated_message
from negotiation_app.protocol.gate_of_status import ENDED
from negotiation_app.protocol.operations_inside import carry_out


def record_event(draft: Draft, body: Mapping[str, Any]) -> None:
    """Record an event; all of its operations apply, or the event is refused."""
    source = draft.source
    refuse_simulated_message(draft.state, source.text, source.locator, source.type)
    if draft.state.own.status in ENDED:
        return
    match source.type:
        case EventType.COUNTERPART_WITHDREW:
            statuses.set_counterpart(draft, statuses.WITHDRAWN)
        case EventType.COUNTERPART_RETURNED:
            statuses.set_counterpart(draft, statuses.ENGAGED)
        case EventType.DEADLINE_EXPIRED:
            statuses.let_deadline_expire(draft)
        case EventType.USER_CORRECTION:
            correct(draft, body["correction"])
        case _:
            pass
    for form in body.get("operations") or ():
        carry_out(draft, form)
