"""The stored state of a negotiation: from its rows, from a copy that this process keeps, or from its log.

A process keeps the states that it worked with last. Before each use the copy is brought up to the log's end, by the
entries that it has not seen; where the log does not go on from it (its digest is another), it is dropped.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from negotiation_app.models import CurrentRow, Negotiation, NegotiationEntry
from negotiation_app.protocol.fold import apply, at_version, fold
from negotiation_app.protocol.requests import Entry
from negotiation_app.protocol.row_json import row_from_json
from negotiation_app.protocol.rows import Row
from negotiation_app.protocol.state import Negotiation as State
from negotiation_app.protocol.state import from_rows

KEPT_STATES = 64
PAGE = 500


@dataclass(frozen=True)
class Known:
    """A state, and the end of the log that it stands for."""

    sequence: int
    digest: str
    state: State


class States:
    """The states that this process worked with last."""

    def __init__(self, most: int = KEPT_STATES) -> None:
        self._most = most
        self._known: OrderedDict[uuid.UUID, Known] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, negotiation_id: uuid.UUID) -> Known | None:
        with self._lock:
            known = self._known.get(negotiation_id)
            if known is not None:
                self._known.move_to_end(negotiation_id)
            return known

    def keep(self, negotiation_id: uuid.UUID, known: Known) -> None:
        """Keep a state, unless a later one is there."""
        with self._lock:
            there = self._known.get(negotiation_id)
            if there is not None and there.sequence > known.sequence:
                return
            self._known[negotiation_id] = known
            self._known.move_to_end(negotiation_id)
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def drop(self, negotiation_id: uuid.UUID) -> None:
        with self._lock:
            self._known.pop(negotiation_id, None)


states = States()


def current_state(negotiation: Negotiation) -> State:
    """Return the state at the end of a negotiation's log, as its row (read in this transaction) names it."""
    known = states.get(negotiation.pk)
    if known is not None:
        caught_up = _caught_up(known, negotiation)
        if caught_up is not None:
            _keep(negotiation, caught_up)
            return caught_up
        states.drop(negotiation.pk)
    state = from_rows(_current_rows(negotiation))
    # Rows that were read while the log went on are not those of this row's digest.
    if Negotiation.objects.filter(pk=negotiation.pk, log_digest=negotiation.log_digest).exists():
        _keep(negotiation, state)
    return state


def stored_entries(
    negotiation: Negotiation, *, after: int = 0, until: int | None = None, until_ms: int | None = None
) -> Iterable[Entry]:
    """Yield the entries of a log in order: after a sequence, up to one, up to a moment (Unix time in milliseconds)."""
    rows = NegotiationEntry.objects.filter(negotiation_id=negotiation.pk, sequence__gt=after).order_by("sequence")
    if until is not None:
        rows = rows.filter(sequence__lte=until)
    if until_ms is not None:
        rows = rows.filter(created_at_ms__lte=until_ms)
    return (Entry.from_json(data) for data in rows.values_list("data", flat=True).iterator(PAGE))


def state_at(negotiation: Negotiation, version: int) -> State:
    """Return the state at a `stateVersion`. Raises BaseVersionUnknown."""
    return at_version(stored_entries(negotiation), version)


def state_at_moment(negotiation: Negotiation, moment: datetime) -> State | None:
    """Return the state as it was at a moment, None before the negotiation was opened."""
    state = fold(stored_entries(negotiation, until_ms=int(moment.timestamp() * 1000)))
    return state if state.version else None


def folded(negotiation: Negotiation) -> State:
    """Return what the whole log leads to."""
    return fold(stored_entries(negotiation))


def _keep(negotiation: Negotiation, state: State) -> None:
    states.keep(negotiation.pk, Known(negotiation.log_sequence, negotiation.log_digest, state))


def _caught_up(known: Known, negotiation: Negotiation) -> State | None:
    """Return the kept state with the entries since, None where it is not a beginning of this log."""
    if (known.sequence, known.digest) == (negotiation.log_sequence, negotiation.log_digest):
        return known.state
    if known.sequence >= negotiation.log_sequence:
        return None
    since = NegotiationEntry.objects.filter(
        negotiation_id=negotiation.pk, sequence__gt=known.sequence, sequence__lte=negotiation.log_sequence
    )
    rows = list(since.order_by("sequence").values_list("previous_digest", "data"))
    if not rows or rows[0][0] != known.digest:
        return None
    state = known.state
    for _, data in rows:
        state = apply(state, Entry.from_json(data))
    return state


def _current_rows(negotiation: Negotiation) -> Iterable[Row]:
    rows = CurrentRow.objects.filter(negotiation_id=negotiation.pk).values_list("table", "row")
    return [row_from_json(table, row) for table, row in rows.iterator(PAGE)]
