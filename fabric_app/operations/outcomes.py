"""What a finished verification leaves: a certificate in log and head, or the loss of it and a violation.

Note: why revocation goes first. A failed verification takes the head's certificate away in a transaction of its own,
before `state.violated` is published, so that a failure to publish cannot keep a certificate that is no longer true.

A certificate and its place in the head are stored together. Where the head does not take it for any reason but that it
moved on, the violation that voids the certificate stands in the same transaction, so that no reader ever trusts it.
Source: state layer, "Claim, evidence attachment, and certification"; fabric 7, 7.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import Error, connection, transaction

from fabric_app.mesh import keys
from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.log import Log, NewEvent
from fabric_app.mesh.models import Event, Workspace
from fabric_app.mesh.topics import event_json
from fabric_app.operations.storage import storage_error
from fabric_app.operations.writing import writing
from fabric_app.protocol.certificates import (
    CERTIFICATE,
    STATE_CERTIFIED,
    STATE_VIOLATED,
    Certificate,
    Outcome,
    certificate_for_head,
    certificate_json,
    event_certificate,
    is_current,
    with_certificate,
    without_certificate,
)
from fabric_app.protocol.events import TOPIC, certified_data, violated_data
from fabric_app.protocol.heads import HeadIdentity
from fabric_app.protocol.verification import Verification, report, with_reporting_failure
from fabric_app.state_keys import HEAD_KEY
from fabric_app.stored_heads import read_head

Json = dict[str, Any]


def finish_verification(
    *, workspace: Workspace, verification: Verification, head: HeadIdentity | None, actor: Actor, now: datetime
) -> Json:
    """Store what the verification means and return its report. What cannot be stored is in it as `reportingError`.

    head: the accepted head as it was when the run began, or None.
    """
    if not verification.certified:
        problems = _void(workspace, verification, head, actor=actor, now=now)
        return report(verification, reporting_error="; ".join(problems) or None)
    try:
        return certify(workspace=workspace, verification=verification, head=head, actor=actor, now=now)
    except (StatehouseError, Error) as failure:
        unpublished = _words(failure)
    failed = with_reporting_failure(verification, unpublished)
    problems = _void(workspace, failed, head, actor=actor, now=now, prefix="violation reporting failed: ")
    return report(failed, reporting_error="; ".join([unpublished, *problems]))


def certify(
    *, workspace: Workspace, verification: Verification, head: HeadIdentity | None, actor: Actor, now: datetime
) -> Json:
    """Publish the certificate, store it in an unchanged head, and return the report.

    The certificate comes back with `current: false` where the head moved on or is not among the targets.
    """
    limit = settings.STATEHOUSE["MAX_EVENT_BYTES"]
    with writing(workspace.id, actor=actor, now=now) as log:
        data = certified_data(verification, head, ts=to_ms(now), max_event_bytes=limit)
        certificate = _certificate([log.append(NewEvent(TOPIC, STATE_CERTIFIED, each)) for each in data], head)
        try:
            # A savepoint: the events stand where the head does not take the certificate.
            with transaction.atomic():
                shown = _persist(log, certificate, head)
        except (StatehouseError, Error) as failure:
            words = _words(failure)
            failed = with_reporting_failure(verification, words)
            _append_violated(log, failed, head)
            return report(failed, reporting_error=words)
    return report(verification, certificate=shown)


def revoke(*, workspace: Workspace, head: HeadIdentity, versions: Sequence[int], actor: Actor, now: datetime) -> bool:
    """Take the certificate out of the head and return whether one was there; a head that moved on is left alone.

    versions: those of the key at which the head is still the one that was verified.
    """
    with writing(workspace.id, actor=actor, now=now) as log:
        stored = read_head(workspace.id)
        found = stored.identity
        if found is None or found.version not in versions or found != head_at(head, found.version):
            return False
        if CERTIFICATE not in stored.value:
            return False
        keys.put(log, HEAD_KEY, [without_certificate(stored.value)], expected=stored.version)
    return True


def violate(
    *, workspace: Workspace, verification: Verification, head: HeadIdentity | None, actor: Actor, now: datetime
) -> None:
    """Publish `state.violated`, one event a chunk of targets."""
    with writing(workspace.id, actor=actor, now=now) as log:
        _append_violated(log, verification, head)


def head_at(head: HeadIdentity, version: int) -> HeadIdentity:
    """Return the same head at another version of its key."""
    return HeadIdentity(transition_id=head.transition_id, label=head.label, to=head.to, version=version)


def _void(
    workspace: Workspace,
    verification: Verification,
    head: HeadIdentity | None,
    *,
    actor: Actor,
    now: datetime,
    prefix: str = "",
) -> list[str]:
    """Revoke, then publish the violation, whatever became of the revocation; return what failed, in words."""
    problems = []
    if head is not None and any(target.transition_id == head.transition_id for target in verification.targets):
        # One version on: a certificate whose commit was stored while the news of it was lost.
        versions = (head.version, head.version + 1) if prefix else (head.version,)
        try:
            revoke(workspace=workspace, head=head, versions=versions, actor=actor, now=now)
        except (StatehouseError, Error) as failure:
            problems.append(f"current certificate revocation failed: {_words(failure)}")
    try:
        violate(workspace=workspace, verification=verification, head=head, actor=actor, now=now)
    except (StatehouseError, Error) as failure:
        problems.append(f"{prefix}{_words(failure)}")
    return problems


def _append_violated(log: Log, verification: Verification, head: HeadIdentity | None) -> None:
    limit = settings.STATEHOUSE["MAX_EVENT_BYTES"]
    for data in violated_data(verification, head, ts=log.now_ms, max_event_bytes=limit):
        log.append(NewEvent(TOPIC, STATE_VIOLATED, data))


def _certificate(published: Sequence[Event], head: HeadIdentity | None) -> Certificate:
    found = [certificate for event in published if (certificate := event_certificate(event_json(event)))]
    return certificate_for_head(found, head)


def _persist(log: Log, certificate: Certificate, head: HeadIdentity | None) -> Json:
    """Store the certificate in the head that was verified, if it is still there; return the certificate as shown."""
    latest = Outcome(event_id=certificate.certificate_id, sequence=certificate.sequence, certified=True)
    if head is None or not is_current(certificate, head, latest):
        return certificate_json(certificate, current=False)
    stored = read_head(log.workspace_id)
    if stored.identity != head:
        return certificate_json(certificate, current=False)
    value = with_certificate(stored.value, certificate, head)
    keys.put(log, HEAD_KEY, [value], expected=head.version)
    shown: Json = value[CERTIFICATE]
    return shown


def _words(failure: StatehouseError | Error) -> str:
    """Return the failure's sentence; a connection that failed is given up, so that the next write gets a new one."""
    if isinstance(failure, StatehouseError):
        return failure.sentence()
    if not connection.in_atomic_block:
        connection.close()
    return storage_error(failure).sentence()
