"""Certificates in view, read from indexed rows: the head's own first, then the newest first.

Source: state layer, "Topic fabric.state"; fabric 6.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from fabric_app.models import Certificate as CertificateRow
from fabric_app.models import CertificateTarget
from fabric_app.protocol.bounds import TARGETS_PER_CHUNK
from fabric_app.protocol.certificates import (
    STATE_CERTIFIED,
    Certificate,
    Outcome,
    durable_certificate,
    event_certificate,
    is_current,
    is_visible,
)
from fabric_app.protocol.reads import Listed
from fabric_app.transition_rows import CERTIFIED, Scope, Shown, ids_in_view

BATCH = 50


def certificates_of(scope: Scope, shown: Sequence[Shown], *, limit: int) -> tuple[Listed, ...]:
    """Return the certificates over any of the records: the newest `limit`, and all that certify one of them now."""
    ids = [each.record.transition_id for each in shown]
    certifying = [each.certified_by for each in shown if each.certified_by is not None]
    return _listed(scope, [*_newest_over(scope.workspace_id, ids, limit), *_at(scope.workspace_id, certifying)])


def recent_certificates(scope: Scope, *, count: int, scanned: int) -> tuple[Listed, ...]:
    """Return the newest `count` certificates in view; at most `scanned` of them are looked at."""
    rows = CertificateRow.objects.filter(workspace_id=scope.workspace_id).order_by("-sequence")
    if scope.kept is None:
        # A certificate comes after what it covers; only a head that the log does not show can name a later place.
        rows = rows.filter(sequence__gt=scope.first_sequence)
    listed = _listed(scope, [])
    for start in range(0, scanned, BATCH):
        batch = [_value(row) for row in rows[start : start + BATCH]]
        seen = {each.certificate.certificate_id for each in listed}
        listed += tuple(each for each in _listed(scope, batch) if each.certificate.certificate_id not in seen)
        if len(listed) >= count or len(batch) < BATCH:
            break
    return listed[:count]


def _listed(scope: Scope, certificates: Iterable[Certificate]) -> tuple[Listed, ...]:
    """Return the head's durable certificate, then those given that are in view, the newest first."""
    identity, latest = scope.head.identity, _latest(scope)
    durable = durable_certificate(scope.head.value, identity, latest) if identity else None
    by_id = {certificate.certificate_id: certificate for certificate in certificates}
    if durable is not None:
        by_id.pop(durable.certificate_id, None)
    in_view = ids_in_view(scope, (target for each in by_id.values() for target in sorted(each.target_ids)))
    rest = (
        Listed(certificate, current=is_current(certificate, identity, latest))
        for certificate in sorted(by_id.values(), key=lambda each: -each.sequence)
        if is_visible(certificate, in_view)
    )
    return (*(() if durable is None else (Listed(durable, current=True),)), *rest)


def _latest(scope: Scope) -> Outcome | None:
    """Return the outcome of the head's transition; the event of a violation is nowhere asked for."""
    row = scope.head_row
    if row is None or row.outcome_sequence is None:
        return None
    certified = row.outcome == CERTIFIED
    ids = _ids_at(scope.workspace_id, [row.outcome_sequence]) if certified else []
    return Outcome(event_id=str(ids[0]) if ids else "", sequence=row.outcome_sequence, certified=certified)


def _newest_over(workspace_id: uuid.UUID, ids: Sequence[str], limit: int) -> list[Certificate]:
    targets = CertificateTarget.objects.filter(workspace_id=workspace_id, transition_id__in=ids)
    newest = targets.order_by("-certificate__sequence").values_list("certificate_id", flat=True)
    # A certificate has at most one chunk of targets, so that this many rows name at least `limit` certificates.
    wanted = list(dict.fromkeys(newest[: limit * TARGETS_PER_CHUNK]))[:limit]
    return [_value(row) for row in CertificateRow.objects.filter(pk__in=wanted)]


def _at(workspace_id: uuid.UUID, sequences: Sequence[int]) -> list[Certificate]:
    rows = CertificateRow.objects.filter(workspace_id=workspace_id, sequence__in=sequences)
    return [_value(row) for row in rows]


def _ids_at(workspace_id: uuid.UUID, sequences: Sequence[int]) -> list[uuid.UUID]:
    rows = CertificateRow.objects.filter(workspace_id=workspace_id, sequence__in=sequences)
    return list(rows.values_list("event_id", flat=True))


def _value(row: CertificateRow) -> Certificate:
    certificate = event_certificate(
        {"id": str(row.event_id), "sequence": row.sequence, "kind": STATE_CERTIFIED, "data": row.value}
    )
    if certificate is None:
        raise RuntimeError(f"Certificate {row.event_id} is malformed: rebuild the projection.")
    return certificate
