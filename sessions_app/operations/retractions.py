"""Taking back what messages own, or giving it back: planned first, so that the caller can see it, then carried out.

- Deleting a message retracts what it owns; so does regenerating a reply, and choosing another variant of it.
- Choosing a variant reinstates what it owned at its old place, and tries again what went into quarantine when it was
  retracted. What was taken back by cancelling its turn does not come back.
- Turns that write one of these messages end as cancelled.

Source: rp.state, section 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sessions_app.models import Message, Session, Turn
from sessions_app.operations.entity_rows import reckoned, store_reckoned
from sessions_app.operations.loading import active_turns, cancel_turns, cancellations_among, owned, quarantined
from sessions_app.operations.writing import Writing
from sessions_app.protocol.comparing import namespace_differences
from sessions_app.protocol.events import EntityStatus
from sessions_app.protocol.projection import Projection
from sessions_app.protocol.reckoning import LoggedEntity, Moves, Reckoned, released_with
from sessions_app.stored_state import projections_around, stored_projection

Json = dict[str, Any]
# What was skipped stays so, wherever its reply goes.
_COUNTED = (EntityStatus.EFFECTIVE, EntityStatus.QUARANTINED)


@dataclass(frozen=True)
class Plan:
    """What an act would do to the state of a session; nothing is written yet."""

    moves: Moves
    found: Reckoned
    before: Projection
    cancelled_turns: tuple[int, ...] = ()

    def event_members(self) -> Json:
        """Return the members that the act's event has because of it."""
        members: Json = {}
        if self.moves:
            members["entities"] = self.found.as_json()
        if self.cancelled_turns:
            members["cancelledTurns"] = list(self.cancelled_turns)
        return members

    def answer(self) -> Json:
        """Return what the caller is shown, before and after: `{entities, changes, cancelledTurns, projection}`."""
        return _told(self.found.as_json(), list(self.cancelled_turns), self.before, self.found.projection)

    def carry_out(self, held: Writing, event: int) -> None:
        """Write it, as the consequence of the event with this sequence."""
        cancel_turns(held.session, list(self.cancelled_turns))
        store_reckoned(held, self.moves, self.found, self.before, event=event)


def answer_of_event(session: Session, sequence: int) -> Json:
    """Return what `Plan.answer` was for an act that was carried out, by its event."""
    data, before, after = projections_around(session, sequence)
    return _told(data.get("entities", {}), data.get("cancelledTurns", []), before, after)


def plan_removal(session: Session, numbers: list[int]) -> Plan:
    """Plan that these messages own nothing any more, whatever their variant."""
    return _planned(session, numbers, Moves(retracted=_counted(owned(session, numbers))))


def plan_selection(session: Session, message: Message, variant: int) -> Plan:
    """Plan that another variant of a reply counts."""
    mine = owned(session, [message.number])
    leaving = _counted([each for each in mine if each.variant != variant])
    retracted = [each for each in mine if each.variant == variant and each.status is EntityStatus.RETRACTED]
    cancellations = cancellations_among(session, {each.since for each in retracted})
    returning = frozenset(each.sequence for each in retracted if each.since not in cancellations)
    released = released_with([*mine, *quarantined(session)], returning) - leaving if returning else frozenset()
    moves = Moves(retracted=leaving, reinstated=returning, released=released)
    # The chosen variant itself may still be in writing: that goes on.
    return _planned(session, [] if variant == message.selected else [message.number], moves)


def plan_cancel(session: Session, turn: Turn) -> Plan:
    """Plan that the variant which a turn writes owns nothing."""
    # A turn writes a variant of its own: what that owns by its message came in this turn as well.
    mine = [each for each in owned(session, [turn.message]) if each.variant == turn.variant]
    return plan_moves(session, Moves(retracted=_counted(mine)))


def plan_moves(session: Session, moves: Moves) -> Plan:
    """Plan moves that somebody names outright."""
    return _planned(session, [], moves)


def _planned(session: Session, numbers: list[int], moves: Moves) -> Plan:
    current = stored_projection(session)
    # Sizes are not checked: nothing is added, and what was written can always be taken back.
    found = reckoned(session, moves, current)
    return Plan(moves, found, current, tuple(active_turns(session, numbers)) if numbers else ())


def _told(entities: Json, cancelled: list[int], before: Projection, after: Projection) -> Json:
    return {
        "entities": entities,
        "cancelledTurns": cancelled,
        "changes": namespace_differences(before, after),
        "revision": {"before": before.revision, "after": after.revision},
        "projection": after.as_json(),
    }


def _counted(entities: list[LoggedEntity]) -> frozenset[int]:
    return frozenset(each.sequence for each in entities if each.status in _COUNTED)
