"""What a transition writes: all of it in one transaction, or, where that fails, its proposal with a rejection.

Note: why one transaction. Proposal, ledgers, head (its version moving as through pending to committed) and commit
marker are stored together, so that a crash leaves nothing or a committed transition, and no reader sees a pending head.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from fabric_app.mesh import keys
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.idempotency import Idempotency, store_answer
from fabric_app.mesh.log import Log, NewEvent
from fabric_app.mesh.models import Event
from fabric_app.mesh.topics import check_event_size, event_json
from fabric_app.operations.activity import record_activity
from fabric_app.operations.ledgers import LedgerMove
from fabric_app.operations.writing import writing
from fabric_app.protocol.arguments import TransitionArguments
from fabric_app.protocol.effects import TRANSITION_COMMITTED, TRANSITION_REJECTED
from fabric_app.protocol.errors import error_text
from fabric_app.protocol.events import TOPIC, committed_data, proposal_data, rejected_data
from fabric_app.protocol.heads import committed_head, pending_head
from fabric_app.protocol.records import TRANSITION
from fabric_app.state_keys import HEAD_KEY

Json = dict[str, Any]


@dataclass(frozen=True)
class Proposal:
    """A transition that was found legal: its arguments, what was counted for it, and who proposes it when."""

    id: uuid.UUID
    workspace_id: uuid.UUID
    arguments: TransitionArguments
    complexity: Json | None
    ledgers: tuple[LedgerMove, ...]
    actor: Actor
    now: datetime
    idempotency: Idempotency | None

    @property
    def name(self) -> str:
        """What activity calls it."""
        return f"{self.arguments.label} → {self.arguments.to}"


def commit(proposal: Proposal, *, expected: int) -> Json:
    """Store the transition whole and return its answer `{event, head}`.

    expected: the version of `state/current` that it was decided on. Raises CasFailed for the head or a ledger that
    moved on, EventTooLarge, ValueTooLarge; then nothing was written.
    """
    with writing(proposal.workspace_id, actor=proposal.actor, now=proposal.now) as log:
        event = _append_proposal(log, proposal)
        head = _head(proposal, event.sequence)
        keys.check_size(head, settings.STATEHOUSE["MAX_EVENT_BYTES"])
        for move in proposal.ledgers:
            keys.put(log, move.key, [move.value], expected=move.expected)
        keys.put(log, HEAD_KEY, [head, committed_head(head)], expected=expected)
        log.append(NewEvent(TOPIC, TRANSITION_COMMITTED, committed_data(str(proposal.id), ts=to_ms(proposal.now))))
        _record(proposal, "committed", event.sequence)
        answer = _answer(proposal, event, expected)
        store_answer(proposal.idempotency, answer, now=proposal.now)
    return answer


def committed_answer(proposal: Proposal, expected: int) -> Json | None:
    """Return the answer of a transition whose commit was stored and the news of it lost; None where it was not.

    The workspace's lock is held while looking: a commit under way ends first, and none can follow.
    """
    with writing(proposal.workspace_id, actor=proposal.actor, now=proposal.now):
        committed = Event.objects.filter(pk=proposal.id).first()
    return None if committed is None else _answer(proposal, committed, expected)


def reject(proposal: Proposal, cause: StatehouseError) -> None:
    """Store the proposal with its rejection."""
    with writing(proposal.workspace_id, actor=proposal.actor, now=proposal.now) as log:
        event = _append_proposal(log, proposal)
        for data in rejected_data(
            str(proposal.id),
            error_text(cause),
            ts=to_ms(proposal.now),
            max_event_bytes=settings.STATEHOUSE["MAX_EVENT_BYTES"],
        ):
            log.append(NewEvent(TOPIC, TRANSITION_REJECTED, data))
        _record(proposal, "rejected", event.sequence, detail={"cause": cause.code})


def _append_proposal(log: Log, proposal: Proposal) -> Event:
    data = proposal_data(proposal.arguments, complexity=proposal.complexity, ts=to_ms(proposal.now))
    event = log.append(NewEvent(TOPIC, TRANSITION, data, text=proposal.arguments.summary, id=proposal.id))
    check_event_size(event, settings.STATEHOUSE["MAX_EVENT_BYTES"])
    return event


def _head(proposal: Proposal, sequence: int) -> Json:
    return pending_head(
        proposal.arguments,
        transition_id=str(proposal.id),
        sequence=sequence,
        complexity=proposal.complexity,
        ts=to_ms(proposal.now),
    )


def _answer(proposal: Proposal, event: Event, expected: int) -> Json:
    # Two versions: pending, then committed.
    head = {**committed_head(_head(proposal, event.sequence)), "version": expected + 2}
    return {"event": event_json(event), "head": head}


def _record(proposal: Proposal, outcome: str, sequence: int, detail: Json | None = None) -> None:
    record_activity(
        workspace_id=proposal.workspace_id,
        kind=TRANSITION,
        name=proposal.name,
        outcome=outcome,
        actor=proposal.actor,
        now=proposal.now,
        detail={"transitionId": str(proposal.id), **(detail or {})},
        event_sequence=sequence,
    )
