"""What doors read of negotiations: lists, state documents, history. Wire dicts in camelCase."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.http.times import iso
from negotiation_app.access import visible_negotiations
from negotiation_app.models import Negotiation, NegotiationEntry
from negotiation_app.protocol.document import document
from negotiation_app.protocol.requests import Entry
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.rows import HistoryEvent
from negotiation_app.stored_state import current_state, state_at, state_at_moment

Json = dict[str, Any]


def negotiation_json(negotiation: Negotiation) -> Json:
    """Return a negotiation in short."""
    return {
        "ref": negotiation.ref,
        "title": negotiation.title,
        "mode": negotiation.mode,
        "status": negotiation.status,
        "stateVersion": negotiation.state_version,
        "logSequence": negotiation.log_sequence,
        "logDigest": negotiation.log_digest,
        "createdAt": iso(negotiation.created_at),
        "updatedAt": iso(negotiation.updated_at),
    }


def negotiation_page(user: Any, *, after: str | None, limit: int, status: str | None = None) -> list[Negotiation]:
    """Return the negotiations in which an account has a role, by ref, after a ref."""
    rows = visible_negotiations(user).order_by("ref")
    if status is not None:
        rows = rows.filter(status=status)
    if after is not None:
        rows = rows.filter(ref__gt=after)
    return list(rows[:limit])


def state_document(negotiation: Negotiation, *, now: datetime, version: int | None = None) -> Json:
    """Return the whole state, as it is or at a `stateVersion`, with `now` as the clock. Raises BaseVersionUnknown."""
    state = current_state(negotiation) if version is None else state_at(negotiation, version)
    return document(state, now)


def state_document_at(negotiation: Negotiation, *, moment: datetime) -> Json:
    """Return the whole state as it was at a moment, not after now. Raises NotFound before the opening."""
    state = state_at_moment(negotiation, moment)
    if state is None:
        raise NotFound(what="state of this negotiation at", name=moment.isoformat())
    return document(state, moment)


def concession_statuses(negotiation: Negotiation) -> dict[str, list[Json]]:
    """Return each concession's statuses by its ref, in their order: `status`, `reason`, `at`."""
    rows = current_state(negotiation).concessions
    return {
        ref: [{"status": str(each.status), "reason": each.reason, "at": each.at} for each in row.entries]
        for ref, row in rows.items()
    }


def part_of(document_: Json, target: str) -> Any:
    """Return what a path of names leads to in a state document, None for nothing."""
    found: Any = document_
    for name in target.strip("/").split("/"):
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isascii() and name.isdecimal() and int(name[:9]) < len(found):
            found = found[int(name[:9])]
        else:
            return None
    return found


def history_page(negotiation: Negotiation, *, after: int, limit: int) -> list[Json]:
    """Return history events after a sequence number, in order, each with its changes and its ten steps."""
    state = current_state(negotiation)
    wanted = range(after + 1, min(state.seq, after + limit) + 1)
    return [row_json(state.history[str(seq)]) for seq in wanted]


def latest_history(negotiation: Negotiation, *, limit: int, before: int | None = None) -> list[Json]:
    """Return history events, the newest first, below a sequence number if one is given."""
    state = current_state(negotiation)
    last = state.seq if before is None else min(before - 1, state.seq)
    return [row_json(state.history[str(seq)]) for seq in range(last, max(0, last - limit), -1)]


def entry_page(negotiation: Negotiation, *, after: int, limit: int) -> list[NegotiationEntry]:
    """Return entries of the log after a sequence, in order."""
    rows = NegotiationEntry.objects.filter(negotiation_id=negotiation.pk, sequence__gt=after)
    return list(rows.order_by("sequence")[:limit])


def entry_json(row: NegotiationEntry) -> Json:
    entry = Entry.from_json(row.data)
    event = next((each for each in entry.rows if isinstance(each, HistoryEvent)), None)
    told = {
        "sequence": row.sequence,
        "operation": row.operation,
        "actor": row.actor,
        "createdAtMs": row.created_at_ms,
        "digest": row.digest,
        "previousDigest": row.previous_digest,
        "data": row.data,
    }
    return told if event is None else {**told, "event": row_json(event)}
