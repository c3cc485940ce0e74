"""Artefacts: the state written out with its digest, in full or, where that is too large, in brief. Section 16.

Beside an event the full form is written out only where its size decides: otherwise the log has it as it was at that
point, and whoever wants to read it renders it then.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fabric_app.mesh.canonical import digest, dumps
from negotiation_app.protocol.concessions import COUNTING
from negotiation_app.protocol.document import batna, boundary, document, wire_values
from negotiation_app.protocol.lookup import shown
from negotiation_app.protocol.names import ArtefactForm, ContradictionStatus, JudgementStatus, Mode, Side
from negotiation_app.protocol.requests import NO_ARTEFACT, Artefact
from negotiation_app.protocol.reviews import standing
from negotiation_app.protocol.state import Negotiation, in_order

LAST_ROWS = 5


def wanted_artefact(state: Negotiation, *, material: bool, at: datetime, limit: int | None) -> Artefact:
    """Return the artefact that the mode wants beside an event; without a limit on its size it has no text yet."""
    own = state.own
    if own.mode == Mode.LIGHT or (own.mode == Mode.STANDARD and not (material or own.expected_to_continue)):
        return NO_ARTEFACT
    return Artefact(ArtefactForm.FULL, state.version) if limit is None else full_artefact(state, at=at, limit=limit)


def full_artefact(state: Negotiation, *, at: datetime, limit: int | None) -> Artefact:
    """Write the state in full, or in brief where the full form has more bytes than the limit."""
    told = document(state, at)
    text = dumps(told)
    size = len(text.encode())
    if limit is None or size <= limit:
        return Artefact(ArtefactForm.FULL, state.version, text, digest(told))
    reason = f"the full form has {size} bytes, and {limit} are allowed"
    return _brief(state, told, at, reason)


def concise_artefact(state: Negotiation, *, at: datetime) -> Artefact:
    """Write the state in brief, as asked for."""
    return _brief(state, document(state, at), at, "asked for")


def _brief(state: Negotiation, full: dict[str, Any], at: datetime, reason: str) -> Artefact:
    told = concise(state, full, at)
    return Artefact(ArtefactForm.CONCISE, state.version, dumps(told), digest(told), reason)


def concise(state: Negotiation, full: dict[str, Any], at: datetime) -> dict[str, Any]:
    """Return the concise snapshot, which has exactly these members."""
    ledger = in_order(state.concessions)
    reviews = in_order(state.reviews)
    return {
        **{name: full["negotiation"][name] for name in ("ref", "title", "mode", "status", "stateVersion")},
        "issues": full["issues"],
        "offers": full["offers"],
        "boundaries": {
            key: _brief_boundary(boundary(row)) for key, row in sorted(state.boundaries.items()) if not row.is_retired
        },
        "batna": None if state.batna is None else batna(state.batna),
        "criteria": {
            row.ref: {
                "value": wire_values(row.comparator, row.values or None),
                "revision": row.revisions[-1].revision,
                "retired": row.retired,
            }
            for row in in_order(state.criteria)
        },
        "openContradictions": {
            row.ref: list(row.members)
            for row in in_order(state.contradictions)
            if row.status == ContradictionStatus.OPEN
        },
        "ledger": {
            "totals": {
                str(side): sum(row.side == side and row.state in COUNTING for row in ledger)
                for side in (Side.OWN, Side.COUNTERPART)
            },
            "last": {row.ref: full["concessions"][row.ref] for row in ledger[-LAST_ROWS:]},
        },
        "lastReview": None if not reviews else _brief_review(state, reviews[-1].ref),
        "strategy": shown(state, "strategy", at),
        "judgementsNotCurrent": {
            row.ref: str(row.status)
            for row in in_order(state.judgements)
            if row.status in (JudgementStatus.STALE, JudgementStatus.NEEDS_REVIEW)
        },
        "digest": digest(full),
    }


def _brief_boundary(told: dict[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in ("value", "reviewState")}


def _brief_review(state: Negotiation, ref: str) -> dict[str, Any]:
    row = state.reviews[ref]
    return {"ref": ref, "proposal": row.proposal, "result": str(row.result), "standing": str(standing(state, row))}
