"""The projection of a negotiation: what its current rows and columns have to be, and writing them anew from the log."""

from __future__ import annotations

from typing import Any

from negotiation_app.models import CurrentRow, Negotiation
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.state import Negotiation as State
from negotiation_app.stored_state import stored_entries

PAGE = 500


def rewrite_rows(negotiation: Negotiation, state: State) -> None:
    """Write the current rows anew; `state` is what the whole log leads to."""
    CurrentRow.objects.filter(negotiation=negotiation).delete()
    sequences = latest_sequences(negotiation)
    CurrentRow.objects.bulk_create(
        [
            CurrentRow(
                negotiation=negotiation,
                table=row.TABLE,
                key=row.key,
                sequence=sequences[row.TABLE, row.key],
                row=row_json(row),
            )
            for row in state.rows()
        ],
        batch_size=PAGE,
    )


def columns_of(state: State) -> dict[str, Any]:
    """Return the columns of the negotiation's row that its state gives."""
    own = state.own
    return {"title": own.title, "mode": own.mode, "status": own.status, "state_version": state.version}


def latest_sequences(negotiation: Negotiation) -> dict[tuple[str, str], int]:
    """Return for each table and key the last entry that wrote it."""
    found: dict[tuple[str, str], int] = {}
    for sequence, entry in enumerate(stored_entries(negotiation), start=1):
        for row in entry.rows:
            found[row.TABLE, row.key] = sequence
    return found
