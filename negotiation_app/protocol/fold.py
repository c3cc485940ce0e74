"""From the log to the state: every entry puts its rows in their places. Source: section 6."""

from __future__ import annotations

from collections.abc import Iterable

from negotiation_app.protocol.refusals import BaseVersionUnknown
from negotiation_app.protocol.requests import Entry
from negotiation_app.protocol.state import Negotiation


def apply(state: Negotiation, entry: Entry) -> Negotiation:
    """Return the state after one entry of the log."""
    for row in entry.rows:
        state = state.with_row(row)
    return state


def fold(entries: Iterable[Entry]) -> Negotiation:
    """Return the state that the entries lead to, from nothing."""
    state = Negotiation()
    for entry in entries:
        state = apply(state, entry)
    return state


def at_version(entries: Iterable[Entry], version: int) -> Negotiation:
    """Return the state at `version`: everything stored before the event that made the next one.

    Raises BaseVersionUnknown where the log does not get that far.
    """
    state = Negotiation()
    for entry in entries:
        event = entry.event
        if event is not None and event.material and event.state_version > version:
            break
        state = apply(state, entry)
    if version < 1 or state.version < version:
        raise BaseVersionUnknown(version=version, current=state.version)
    return state
