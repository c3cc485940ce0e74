"""The state document: everything that can be read of a negotiation at a moment. Form: the vectors' README."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.derived import SIDES, derived
from negotiation_app.protocol.evidence import is_tainted
from negotiation_app.protocol.facts import working_view
from negotiation_app.protocol.lookup import shown
from negotiation_app.protocol.names import Comparator
from negotiation_app.protocol.reviews import standing
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.rows import Batna, Boundary, Concession, Criterion, Proposition
from negotiation_app.protocol.state import Negotiation, in_order
from negotiation_app.protocol.values import Value


def document(state: Negotiation, at: datetime) -> dict[str, Any]:
    """Return the whole state as JSON, with `at` as the clock of working views and computed judgements."""
    own = row_json(state.own)
    return {
        "negotiation": {
            **{name: own[name] for name in ("ref", "title", "mode", "status", "expectedToContinue")},
            "stateVersion": state.version,
        },
        "process": {name: own[name] for name in ("counterpart", "deadline")},
        "parties": {row.ref: _without(row, "order", "ref") for row in in_order(state.parties)},
        "issues": {row.ref: _without(row, "order") for row in in_order(state.issues)},
        "attributes": {row.ref: {"multiValued": row.multi_valued} for row in in_order(state.attributes)},
        "rates": [_without(row, "order") for row in in_order(state.rates)],
        "propositions": {row.ref: _proposition(state, row) for row in in_order(state.propositions)},
        "evidence": {
            row.ref: {**_without(row, "order", "ref"), "tainted": is_tainted(state, row)}
            for row in in_order(state.evidence)
        },
        "facts": _facts(state, at),
        "contradictions": {row.ref: _without(row, "order", "ref") for row in in_order(state.contradictions)},
        "offers": {side: shown(state, f"offers/{side}", at) for side in SIDES},
        "proposals": {row.ref: _without(row, "order", "ref") for row in in_order(state.proposals)},
        "boundaries": _boundaries(state),
        "batna": batna(state.batnas[paths.BATNA]) if state.batnas else None,
        "criteria": {row.ref: criterion(row) for row in in_order(state.criteria)},
        "concessions": {row.ref: concession(row) for row in in_order(state.concessions)},
        "ledger": [row.ref for row in in_order(state.concessions)],
        "reviews": {
            row.ref: {**_without(row, "order", "ref", "seq"), "standing": str(standing(state, row))}
            for row in in_order(state.reviews)
        },
        "overrides": {row.ref: _without(row, "order", "ref") for row in in_order(state.overrides)},
        "judgements": {row.ref: _without(row, "order", "ref") for row in in_order(state.judgements)},
        "strategy": state.strategy,
        "patches": {row.ref: _without(row, "order", "ref") for row in in_order(state.patches)},
        "simulations": {row.ref: _without(row, "order", "ref") for row in in_order(state.simulations)},
        "findings": {
            row.ref: {
                "simulation": row.simulation,
                "statements": list(row.statements),
                "text": row.text,
                "disposition": row.dispositions[-1]["disposition"],
                "dispositions": [each["disposition"] for each in row.dispositions],
            }
            for row in in_order(state.findings)
        },
        "decisions": {row.ref: _without(row, "order", "ref") for row in in_order(state.decisions)},
        "notifications": {
            row.ref: {**_without(row, "order", "ref"), "acknowledged": row.acknowledged_at is not None}
            for row in in_order(state.notifications)
        },
        "history": [history_line(state, seq) for seq in range(1, state.seq + 1)],
        "derived": derived(state, at),
    }


def history_line(state: Negotiation, seq: int) -> dict[str, Any]:
    row = state.history[str(seq)]
    return {
        "seq": row.seq,
        "ref": row.ref,
        "type": str(row.type),
        "material": row.material,
        "stateVersion": row.state_version,
    }


def boundary(row: Boundary) -> dict[str, Any]:
    """A retired one has no value; where it was retired its history has null."""
    history = [None if entry.value is None else entry.value.as_json() for entry in row.entries]
    return {
        "value": history[-1],
        "reviewState": str(row.review_state),
        "retired": row.is_retired,
        "basis": row_json(row.basis),
        "history": history,
    }


def batna(row: Batna) -> dict[str, Any]:
    """A retired one has neither description nor terms; where it was retired its history has null."""
    current = row_json(row.current)
    return {
        **{name: current[name] for name in ("description", "terms", "validUntil", "basis", "confidence")},
        "reviewState": str(row.review_state),
        "retired": row.is_retired,
        "history": [entry.description for entry in row.entries],
    }


def criterion(row: Criterion) -> dict[str, Any]:
    return {
        "label": row.label,
        "on": {"issue": row.issue} if row.issue is not None else {"fact": row.fact} if row.fact is not None else None,
        "comparator": str(row.comparator),
        "value": wire_values(row.comparator, row.values or None),
        "mandatory": row.mandatory,
        "retired": row.retired,
        "revisions": [
            {
                "revision": each.revision,
                "previousValue": wire_values(row.comparator, each.previous),
                "newValue": wire_values(row.comparator, each.new),
                "evidence": list(each.evidence),
                "reason": each.reason,
                "decision": each.decision,
                "recordedAt": each.recorded_at,
            }
            for each in row.revisions
        ],
    }


def wire_values(comparator: str, values: Sequence[Value] | None) -> Any:
    """Return a criterion's value as it is sent: a list for ONE_OF, one value otherwise, null for none."""
    if values is None:
        return None
    listed = [value.as_json() for value in values]
    return listed if comparator == Comparator.ONE_OF else listed[0]


def concession(row: Concession) -> dict[str, Any]:
    told = _without(row, "order", "ref", "granted", "entries", "fromValue", "toValue")
    if row.corrected_by is None:
        told.pop("correctedBy")
    return {
        **told,
        "from": row.from_value.as_json(),
        "to": row.to_value.as_json(),
        "statusEvents": [str(entry.status) for entry in row.entries],
    }


def _proposition(state: Negotiation, row: Proposition) -> dict[str, Any]:
    return {
        **_without(row, "order", "ref", "slot"),
        "supersedes": row.supersedes[0] if len(row.supersedes) == 1 else list(row.supersedes) or None,
        "disputed": state.is_disputed(row.ref),
    }


def _facts(state: Negotiation, at: datetime) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for slot in sorted(state.slots):
        subject, _, attribute = slot.partition("/")
        facts.setdefault(subject, {})[attribute] = working_view(state, slot, at).as_json()
    return facts


def _boundaries(state: Negotiation) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for key in sorted(state.boundaries):
        row = state.boundaries[key]
        told.setdefault(row.issue, {})[row.kind] = boundary(row)
    return told


def _without(row: Any, *names: str) -> dict[str, Any]:
    return {name: value for name, value in row_json(row).items() if name not in names}
