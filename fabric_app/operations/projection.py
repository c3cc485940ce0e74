"""The projection of the topic `fabric.state`: transitions with their markers and outcomes, certificates, targets.

It moves with the log, in the transaction that appends to it. Any event is taken in and none raises: malformed ones
change nothing. `rebuild` makes it anew from the log; `differences` proves that both agree. Both read the log in pages,
so that their memory does not grow with it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db import transaction

from fabric_app.mesh.models import Event
from fabric_app.mesh.strict_json import MAX_SAFE_INTEGER
from fabric_app.mesh.topics import event_json
from fabric_app.models import Certificate, CertificateTarget, TransitionState
from fabric_app.protocol.certificates import STATE_CERTIFIED, certificate_json
from fabric_app.protocol.certificates import Certificate as CertificateValue
from fabric_app.protocol.effects import (
    CertificateSeen,
    Effect,
    MarkerSeen,
    OutcomeSeen,
    Phase,
    TransitionSeen,
    effects,
    is_committed,
)
from fabric_app.protocol.events import TOPIC
from fabric_app.protocol.records import TRANSITION, TransitionRecord, record_json
from fabric_app.transition_rows import CERTIFIED, VIOLATED, text_key

PAGE = 500
PARTITION_ROWS = 120_000

UPDATED = (
    "sequence",
    "phase",
    "record",
    "is_visible",
    "is_representation",
    "label_key",
    "from_key",
    "to_key",
    "net_delta",
    "committed_sequence",
    "rejected_sequence",
    "outcome",
    "outcome_sequence",
)


@dataclass(frozen=True)
class Difference:
    """A projected row that is not what the log says; `reason` is `missing`, `surplus` or `differs`."""

    table: str
    row: str
    reason: str


def project(events: Sequence[Event]) -> None:
    """Take in the newest events of one workspace, in log order; call it in the transaction that appends them."""
    seen = [(event, effect) for event in events if event.topic == TOPIC for effect in effects(event_json(event))]
    if not seen:
        return
    workspace_id = seen[0][0].workspace_id
    rows = _rows_named(workspace_id, (effect for _, effect in seen))
    for event, effect in seen:
        _take(rows, event, effect)
    TransitionState.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=("workspace", "transition_id"), update_fields=UPDATED
    )
    _store_certificates(workspace_id, [effect.certificate for _, effect in seen if isinstance(effect, CertificateSeen)])


def rebuild(workspace_id: uuid.UUID) -> None:
    """Throw the projection of a workspace away and make it anew from its log, in the caller's transaction."""
    with transaction.atomic():
        Certificate.objects.filter(workspace_id=workspace_id).delete()
        TransitionState.objects.filter(workspace_id=workspace_id).delete()
        for page in _pages(workspace_id):
            project(page)


def differences(workspace_id: uuid.UUID) -> Iterator[Difference]:
    """Yield every row of the projection that differs from the log's fold, lacks, or should not be there."""
    rows = TransitionState.objects.filter(workspace_id=workspace_id).count()
    logged = Event.objects.filter(workspace_id=workspace_id, topic=TOPIC, kind=TRANSITION).count()
    partitions = 1 + max(rows, logged) // PARTITION_ROWS
    for number in range(partitions):
        yield from _transition_differences(workspace_id, number, partitions)
    yield from _certificate_differences(workspace_id)


def certificate_value(certificate: CertificateValue) -> dict[str, Any]:
    """Return a certificate as it is stored: without `current`, which is the head's to say."""
    value = certificate_json(certificate, current=False)
    del value["current"]
    return value


def _rows_named(workspace_id: uuid.UUID, named: Iterable[Effect]) -> dict[str, TransitionState]:
    ids = dict.fromkeys(effect.transition_id for effect in named if not isinstance(effect, CertificateSeen))
    found = TransitionState.objects.filter(workspace_id=workspace_id, transition_id__in=ids)
    rows = {transition_id: _new_row(workspace_id, transition_id) for transition_id in ids}
    # Written by its natural key: the row's own number plays no part.
    return rows | {row.transition_id: _without_number(row) for row in found}


def _new_row(workspace_id: uuid.UUID, transition_id: str) -> TransitionState:
    return TransitionState(workspace_id=workspace_id, transition_id=transition_id)


def _without_number(row: TransitionState) -> TransitionState:
    row.pk = None
    return row


def _take(rows: dict[str, TransitionState], event: Event, effect: Effect) -> None:
    """Apply one effect to the row that it names; certificates have rows of their own."""
    match effect:
        case TransitionSeen():
            _take_transition(rows[effect.transition_id], event.sequence, effect)
        case MarkerSeen(committed=True):
            row = rows[effect.transition_id]
            row.committed_sequence = row.committed_sequence or event.sequence
        case MarkerSeen():
            row = rows[effect.transition_id]
            row.rejected_sequence = row.rejected_sequence or event.sequence
        case OutcomeSeen():
            row = rows[effect.transition_id]
            row.outcome = CERTIFIED if effect.outcome.certified else VIOLATED
            row.outcome_sequence = effect.outcome.sequence
        case CertificateSeen():
            return
    _set_visibility(rows[effect.transition_id])


def _take_transition(row: TransitionState, sequence: int, seen: TransitionSeen) -> None:
    if row.phase is not None:
        return
    row.sequence, row.phase = sequence, seen.phase.value
    if seen.record is not None:
        _set_record(row, seen.record)


def _set_record(row: TransitionState, record: TransitionRecord) -> None:
    row.record = record_json(record)
    row.is_representation = record.is_boundary
    row.label_key, row.to_key, row.from_key = text_key(record.label), text_key(record.to), text_key(record.from_)
    if record.complexity is not None:
        # The column orders nothing and only has to exist; the exact number stands in the record.
        row.net_delta = int(max(-MAX_SAFE_INTEGER, min(MAX_SAFE_INTEGER, record.complexity["netDelta"])))


def _set_visibility(row: TransitionState) -> None:
    committed, rejected = row.committed_sequence is not None, row.rejected_sequence is not None
    row.is_visible = (
        row.phase is not None
        and row.record is not None
        and is_committed(Phase(row.phase), committed=committed, rejected=rejected)
    )


def _store_certificates(workspace_id: uuid.UUID, certificates: Sequence[CertificateValue]) -> None:
    if not certificates:
        return
    Certificate.objects.bulk_create(
        Certificate(
            workspace_id=workspace_id,
            event_id=uuid.UUID(certificate.certificate_id),
            sequence=certificate.sequence,
            value=certificate_value(certificate),
        )
        for certificate in certificates
    )
    CertificateTarget.objects.bulk_create(
        CertificateTarget(
            certificate_id=uuid.UUID(certificate.certificate_id), workspace_id=workspace_id, transition_id=transition_id
        )
        for certificate in certificates
        for transition_id in sorted(certificate.target_ids)
    )


def _pages(workspace_id: uuid.UUID, **only: str) -> Iterator[list[Event]]:
    events = Event.objects.filter(workspace_id=workspace_id, topic=TOPIC, **only).order_by("sequence")
    after = 0
    while page := list(events.filter(sequence__gt=after)[:PAGE]):
        yield page
        after = page[-1].sequence


def _transition_differences(workspace_id: uuid.UUID, number: int, partitions: int) -> Iterator[Difference]:
    """Compare the transitions of one partition; one partition's rows are in memory at a time."""
    table = TransitionState._meta.db_table
    expected = _folded_rows(workspace_id, number, partitions)
    for row in TransitionState.objects.filter(workspace_id=workspace_id).order_by("pk").iterator(PAGE):
        if not _in_partition(row.transition_id, number, partitions):
            continue
        folded = expected.pop(row.transition_id, None)
        if folded is None:
            yield Difference(table, row.transition_id, "surplus")
        elif any(getattr(folded, name) != getattr(row, name) for name in UPDATED):
            yield Difference(table, row.transition_id, "differs")
    for transition_id in expected:
        yield Difference(table, transition_id, "missing")


def _folded_rows(workspace_id: uuid.UUID, number: int, partitions: int) -> dict[str, TransitionState]:
    rows: dict[str, TransitionState] = {}
    for event, effect in _log_effects(workspace_id):
        if not isinstance(effect, CertificateSeen) and _in_partition(effect.transition_id, number, partitions):
            rows.setdefault(effect.transition_id, _new_row(workspace_id, effect.transition_id))
            _take(rows, event, effect)
    return rows


def _log_effects(workspace_id: uuid.UUID) -> Iterator[tuple[Event, Effect]]:
    for page in _pages(workspace_id):
        for event in page:
            yield from ((event, effect) for effect in effects(event_json(event)))


def _in_partition(transition_id: str, number: int, partitions: int) -> bool:
    digest = sha256(transition_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % partitions == number


def _certificate_differences(workspace_id: uuid.UUID) -> Iterator[Difference]:
    """Compare certificates and their targets; the log's are counted, so that surplus rows show."""
    table, count = Certificate._meta.db_table, 0
    for page in _pages(workspace_id, kind=STATE_CERTIFIED):
        folded = {
            effect.certificate.certificate_id: effect.certificate
            for event in page
            for effect in effects(event_json(event))
            if isinstance(effect, CertificateSeen)
        }
        count += len(folded)
        stored = Certificate.objects.prefetch_related("targets").in_bulk([uuid.UUID(name) for name in folded])
        for name, certificate in folded.items():
            row = stored.get(uuid.UUID(name))
            if row is None:
                yield Difference(table, name, "missing")
            elif not _agrees(row, certificate):
                yield Difference(table, name, "differs")
    if Certificate.objects.filter(workspace_id=workspace_id).count() > count:
        yield Difference(table, str(workspace_id), "surplus")


def _agrees(row: Certificate, certificate: CertificateValue) -> bool:
    targets = {target.transition_id for target in row.targets.all()}
    return (
        row.value == certificate_value(certificate)
        and row.sequence == certificate.sequence
        and targets == certificate.target_ids
    )
