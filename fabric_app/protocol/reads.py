"""The answers of `history`, `get` and the choice of targets, as functions of a fold and the stored keys.

These read a whole log, which is what checks and tests want; the server answers the same from indexed rows.

Source: state layer, "state.get", "state.history", "state.verify"; fabric 5, 6, 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fabric_app.mesh.numbers import is_number
from fabric_app.protocol.bounds import RECENT_CERTIFICATES, RECENT_LABEL_TRANSITIONS
from fabric_app.protocol.certificates import (
    Certificate,
    certificate_json,
    durable_certificate,
    is_current,
    is_visible,
    without_certificate,
)
from fabric_app.protocol.fold import StateFold
from fabric_app.protocol.heads import Accepted, HeadIdentity
from fabric_app.protocol.records import CERTIFIED, PENDING, Overlay, TransitionRecord, record_from_head, record_json
from fabric_app.protocol.values import as_object
from fabric_app.protocol.views import View, view_of


@dataclass(frozen=True)
class StoredHead:
    """The key `state/current` as it is stored: its value, trusted or not, and its version."""

    value: Any
    version: int


@dataclass(frozen=True)
class Listed:
    """A certificate in view, and whether it is the head's current one."""

    certificate: Certificate
    current: bool

    def as_json(self) -> dict[str, Any]:
        return certificate_json(self.certificate, current=self.current)


@dataclass(frozen=True)
class Reading:
    """A view with the accepted head and the certificates in it, the head's own first, then the newest first.

    outcomes: for each transition that its latest outcome certifies, the id of that event.
    """

    view: View
    head: HeadIdentity | None
    certificates: tuple[Listed, ...]
    outcomes: dict[str, str]

    def overlay(self, record: TransitionRecord) -> Overlay | None:
        """Return what certifies a record: for the head a current certificate, for others that of its outcome."""
        if self.head is not None and record.transition_id == self.head.transition_id:
            return self.head_overlay
        certifying = self._by_id.get(self.outcomes.get(record.transition_id, ""))
        return Overlay(certifying.as_json()) if certifying else None

    @cached_property
    def _by_id(self) -> dict[str, Listed]:
        return {listed.certificate.certificate_id: listed for listed in self.certificates}

    @cached_property
    def head_overlay(self) -> Overlay | None:
        current = next((listed for listed in self.certificates if listed.current), None)
        return Overlay(current.as_json()) if current else None


def reading(fold: StateFold, head: StoredHead | None, *, include_archived: bool = False) -> Reading:
    """Return everything that is to be seen of a log and its head."""
    accepted = accepted_identity(fold, head)
    view = view_of(_records(fold, head, accepted), include_archived=include_archived)
    certifying = {
        transition_id: outcome.event_id for transition_id, outcome in fold.outcomes.items() if outcome.certified
    }
    return Reading(view, accepted, _certificates(fold, head, accepted, view), certifying)


def accepted_identity(fold: StateFold, head: StoredHead | None) -> HeadIdentity | None:
    """Return the identity of the stored head, or None where there is none or it is quarantined."""
    if head is None:
        return None
    status = fold.status_of(head.value)
    return status.at(head.version) if isinstance(status, Accepted) else None


def history(
    fold: StateFold,
    head: StoredHead | None,
    *,
    label: str | None = None,
    limit: int | None = None,
    include_archived: bool = False,
) -> dict[str, Any]:
    """Return `{transitions, labels, certifications}`; a limit keeps the oldest of what matches."""
    read = reading(fold, head, include_archived=include_archived)
    records = read.view.matching(label)[:limit]
    shown = {record.transition_id for record in records}
    return {
        "transitions": [record_json(record, read.overlay(record)) for record in records],
        "labels": read.view.labels_of(records),
        "certifications": [listed.as_json() for listed in read.certificates if listed.certificate.target_ids & shown],
    }


def get(
    fold: StateFold,
    head: StoredHead | None,
    *,
    goal: dict[str, Any] | None = None,
    ledger_counts: Sequence[int] = (),
) -> dict[str, Any]:
    """Return `{head, goal, complexity, certification, recentLabels}`; labels are of the newest active transitions."""
    read = reading(fold, head)
    current = read.head_overlay
    newest = read.view.records[-RECENT_LABEL_TRANSITIONS:]
    return {
        "head": None if head is None or read.head is None else head_json(head.value, head.version, current),
        "goal": goal,
        "complexity": {
            "files": len(ledger_counts),
            "decisionPoints": sum(ledger_counts),
            "lastNetDelta": last_net_delta(read.view.records),
        },
        "certification": {
            "current": current.certificate if current else None,
            "recent": [listed.as_json() for listed in read.certificates[:RECENT_CERTIFICATES]],
        },
        "recentLabels": read.view.labels_of(newest),
    }


def targets_of(
    fold: StateFold, head: StoredHead | None, *, labels: Sequence[str] | None, include_archived: bool = False
) -> list[TransitionRecord]:
    """Return what a verification is about: the head's record without labels, else what they name, in sequence order."""
    read = reading(fold, head, include_archived=include_archived)
    if labels is not None:
        return read.view.selected(labels)
    return [record for record in read.view.records if read.head and record.transition_id == read.head.transition_id]


def head_json(value: dict[str, Any], version: int, overlay: Overlay | None) -> dict[str, Any]:
    """Return an accepted head as reads show it: with its version, and certified only by a current certificate."""
    shown = {**without_certificate(value), "version": version}
    if overlay is not None:
        return {**shown, "certificationStatus": CERTIFIED, "certificate": overlay.certificate}
    if shown.get("certificationStatus") != PENDING:
        shown.pop("certificationStatus", None)
    return shown


def last_net_delta(records: Iterable[TransitionRecord]) -> int | float:
    """Return the net delta of the last record that has one, 0 where none has."""
    deltas = [record.complexity["netDelta"] for record in records if record.complexity is not None]
    return deltas[-1] if deltas and is_number(deltas[-1]) else 0


def _records(fold: StateFold, head: StoredHead | None, accepted: HeadIdentity | None) -> list[TransitionRecord]:
    records = fold.records()
    if head is None or accepted is None:
        return records
    if any(record.transition_id == accepted.transition_id for record in records):
        return records
    kept_in_head = record_from_head(as_object(head.value))
    return records if kept_in_head is None else [*records, kept_in_head]


def _certificates(
    fold: StateFold, head: StoredHead | None, accepted: HeadIdentity | None, view: View
) -> tuple[Listed, ...]:
    latest = fold.outcomes.get(accepted.transition_id) if accepted else None
    durable = durable_certificate(head.value, accepted, latest) if head and accepted else None
    ids_in_view = view.ids
    first = () if durable is None else (Listed(durable, current=True),)
    rest = (
        Listed(certificate, current=is_current(certificate, accepted, latest))
        for certificate in reversed(fold.certificates.values())
        if is_visible(certificate, ids_in_view)
        and (durable is None or certificate.certificate_id != durable.certificate_id)
    )
    return (*first, *rest)
