"""What doors read of artefacts: which were written, and each as it reads. Source: section 16."""

from __future__ import annotations

import json
from typing import Any

from negotiation_app.models import Artefact, Negotiation
from negotiation_app.protocol.document import document
from negotiation_app.protocol.fold import fold
from negotiation_app.protocol.times import moment
from negotiation_app.stored_state import stored_entries

Json = dict[str, Any]


def artefact_page(negotiation: Negotiation, *, after: int, limit: int) -> list[Json]:
    """Return the artefacts written after a sequence, in order, without their texts."""
    rows = Artefact.objects.filter(negotiation_id=negotiation.pk, sequence__gt=after).order_by("sequence")
    return [_in_short(row) for row in rows.defer("text")[:limit]]


def artefact_json(negotiation: Negotiation, sequence: int) -> Json | None:
    """Return an artefact with the state in it, rendered from the log at its entry; None where none was written."""
    row = Artefact.objects.filter(negotiation_id=negotiation.pk, sequence=sequence).first()
    if row is None:
        return None
    return {**_in_short(row), "state": _rendered(negotiation, sequence) if row.text is None else json.loads(row.text)}


def _rendered(negotiation: Negotiation, sequence: int) -> Json:
    entries = list(stored_entries(negotiation, until=sequence))
    return document(fold(entries), moment(entries[-1].recorded_at))


def _in_short(row: Artefact) -> Json:
    return {"sequence": row.sequence, "stateVersion": row.state_version, "form": row.form, "digest": row.digest}
