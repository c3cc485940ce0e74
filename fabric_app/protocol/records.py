"""One transition as the fold sees it, read from its event or, where that is gone, from the head.

- A record needs an id, and a label and a destination that are not empty; what else is malformed is left out.
- Blank commands and tags stay stored but never count: a record whose commands are all blank has no evidence.
- Certification is not part of a record; it is laid over it (`Overlay`).

Source: state layer, "state.history"; fabric 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from fabric_app.mesh.numbers import is_number
from fabric_app.protocol.values import (
    as_object,
    is_text,
    is_transition_id,
    non_blank_texts,
    sequence_number,
    text_or_none,
)

TRANSITION = "transition"
REPRESENTATION = "representation"
STATE = "state"
PENDING: Literal["pending"] = "pending"
CERTIFIED = "certified"


@dataclass(frozen=True)
class TransitionRecord:
    """A transition that can be shown. `sequence`: of its proposal in the log. `ts`: ms since 1970, or None."""

    transition_id: str
    sequence: int
    label: str
    to: str
    summary: str = ""
    kind: str = STATE
    from_: str | None = None
    ts: int | float | None = None
    evidence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    complexity: dict[str, Any] | None = field(default=None, hash=False)
    certification_status: Literal["pending"] | None = None

    @property
    def is_boundary(self) -> bool:
        """True where everything before this record is archived by it."""
        return self.kind == REPRESENTATION


@dataclass(frozen=True)
class Overlay:
    """The certificate that covers a record, in its JSON form."""

    certificate: dict[str, Any]


def record_from_event(event: dict[str, Any]) -> TransitionRecord | None:
    """Return the record that a `transition` event describes, or None where it describes none.

    event: `{id, sequence, kind, data, createdAt?}`. Whether the transition is committed is not asked here.
    """
    if event.get("kind") != TRANSITION:
        return None
    data = as_object(event.get("data"))
    ts = data.get("ts") if is_number(data.get("ts")) else event.get("createdAt")
    return _record(data, transition_id=event.get("id"), sequence=event.get("sequence"), ts=ts)


def record_from_head(value: Any) -> TransitionRecord | None:
    """Return the record that an accepted head keeps of its transition, or None where it names no sequence."""
    head = as_object(value)
    return _record(
        head, transition_id=head.get("transitionId"), sequence=head.get("transitionSequence"), ts=head.get("ts")
    )


def record_json(record: TransitionRecord, overlay: Overlay | None = None) -> dict[str, Any]:
    """Return the record as history lists it; members that are absent are left out."""
    shown: dict[str, Any] = {
        "transitionId": record.transition_id,
        "sequence": record.sequence,
        "label": record.label,
        "from": record.from_,
        "to": record.to,
        "summary": record.summary,
        "evidence": list(record.evidence) or None,
        "tags": list(record.tags) or None,
        "kind": record.kind,
        "complexity": record.complexity,
        "certificationStatus": CERTIFIED if overlay else record.certification_status,
        "ts": record.ts,
        "certificate": overlay.certificate if overlay else None,
    }
    return {name: value for name, value in shown.items() if value is not None}


def complexity_of(value: Any) -> dict[str, Any] | None:
    """Return the well-formed part of a complexity delta, or None: files is a list, netDelta a number."""
    delta = as_object(value)
    files = delta.get("files")
    if not isinstance(files, list) or not is_number(delta.get("netDelta")):
        return None
    kept = [item for item in files if _is_file_entry(item)]
    return {"files": kept, "netDelta": delta["netDelta"]}


def _record(data: dict[str, Any], *, transition_id: Any, sequence: Any, ts: Any) -> TransitionRecord | None:
    label, to, place = data.get("label"), data.get("to"), sequence_number(sequence)
    if not is_transition_id(transition_id) or place is None or not is_text(label) or not is_text(to):
        return None
    return TransitionRecord(
        transition_id=transition_id,
        sequence=place,
        label=label,
        to=to,
        summary=text_or_none(data.get("summary")) or "",
        kind=REPRESENTATION if data.get("kind") == REPRESENTATION else STATE,
        from_=text_or_none(data.get("from")),
        ts=ts if is_number(ts) else None,
        evidence=non_blank_texts(data.get("evidence")),
        tags=non_blank_texts(data.get("tags")),
        complexity=complexity_of(data.get("complexity")),
        certification_status=PENDING if data.get("certificationStatus") == PENDING else None,
    )


def _is_file_entry(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("file"), str) and isinstance(item.get("supported"), bool)
