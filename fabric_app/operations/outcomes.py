"""What a finished verification leaves: a certificate in log and head, or the loss of it and a violation.

Note: why revocation goes first. A failed verification takes the head's certificate away in a transaction of its own,
before `state.violated` is published, so that a failure to publish cannot keep a certificate that is no longer true.

A certificate and its place in the head are stored together. Where the head does not take it for any reason but that it
moved on, the violation that voids the certificate stands in the same transaction, so that no reader ever trusts it.
`certify`, `revoke` and `violate` write to a log that the caller holds open; `finish_verification` opens it as needed.
Source: state layer, "Claim, evidence attachment, and certification"; fabric 7, 7.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import Error, connection, transaction

from fabric_app.mesh import keys
from fabric_app.mesh.actors import Actor
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
    *,
    workspace: Workspace,
    verification: Verification,
    head: HeadIdentity | None,
    actor: Actor,
    now: datetime,
    beside_certificate: Callable[[Json], None] = lambda _: None,
    stored_report: Callable[[], Json | None] = lambda: None,
) -> Json:
    """Store what the verification means and return its report. What cannot be stored is in it as `reportingError`.

    head: the accepted head as it was when the run began, or None.
    beside_certificate: writes more, with the report, in the transaction that stores the certificate. What it raises
    undoes the certificate, and passes on unless it is our own error or the database's.
    stored_report: reads what `beside_certificate` stored; asked where the database failed, since the commit may have
    gone through and the news of it been lost.
    """
    write = partial(writing, workspace.id, actor=actor, now=now)
    if not verification.certified:
        problems = _void(write, verification, head)
        return report(verification, reporting_error="; ".join(problems) or None)
    try:
        with write() as log:
            certified = certify(log, verification, head)
            beside_certificate(certified)
    except (StatehouseError, Error) as failure:
        unpublished = words_of(failure)
        if (stored := stored_report()) is not None:
            return stored
    else:
        return certified
    failed = with_reporting_failure(verification, unpublished)
    # One version on: a certificate whose commit was stored while the news of it was lost.
    problems = _void(write, failed, head, versions_on=1, prefix="violation reporting failed: ")
    return report(failed, reporting_error="; ".join([unpublished, *problems]))


def certify(log: Log, verification: Verification, head: HeadIdentity | None) -> Json:
    """Publish the certificate, store it in an unchanged head, and return the report.

    The certificate comes back with `current: false` where the head moved on or is not among the targets.
    """
    data = certified_data(verification, head, ts=log.now_ms, max_event_bytes=settings.STATEHOUSE["MAX_EVENT_BYTES"])
    certificate = _certificate([log.append(NewEvent(TOPIC, STATE_CERTIFIED, each)) for each in data], head)
    try:
        # A savepoint: the events stand where the head does not take the certificate.
        with transaction.atomic():
            shown = _persist(log, certificate, head)
    except (StatehouseError, Error) as failure:
        words = words_of(failure)
        failed = with_reporting_failure(verification, words)
        violate(log, failed, head)
        return report(failed, reporting_error=words)
    return report(verification, certificate=shown)


def revoke(log: Log, verification: Verification, head: HeadIdentity | None, *, versions_on: int = 0) -> bool:
    """Take the certificate out of the head and return whether one was there; a head that moved on is left alone.

    Nothing is taken where the head is not among the targets. versions_on: by how many versions the key may have moved
    since the head was verified.
    """
    if head is None or all(target.transition_id != head.transition_id for target in verification.targets):
        return False
    stored = read_head(log.workspace_id)
    found = stored.identity
    if found is None or found != replace(head, version=found.version):
        return False
    if not head.version <= found.version <= head.version + versions_on or CERTIFICATE not in stored.value:
        return False
    keys.put(log, HEAD_KEY, [without_certificate(stored.value)], expected=stored.version)
    return True


def violate(log: Log, verification: Verification, head: HeadIdentity | None) -> None:
    """Publish `state.violated`, one event a chunk of targets."""
    limit = settings.STATEHOUSE["MAX_EVENT_BYTES"]
    for data in violated_data(verification, head, ts=log.now_ms, max_event_bytes=limit):
        log.append(NewEvent(TOPIC, STATE_VIOLATED, data))


def words_of(failure: StatehouseError | Error) -> str:
    """Return the failure's sentence; a connection that failed is given up, so that the next write gets a new one."""
    if isinstance(failure, StatehouseError):
        return failure.sentence()
    if not connection.in_atomic_block:
        connection.close()
    return storage_error(failure).sentence()


def _void(
    write: Callable[[], AbstractContextManager[Log]],
    verification: Verification,
    head: HeadIdentity | None,
    *,
    versions_on: int = 0,
    prefix: str = "",
) -> list[str]:
    """Revoke, then publish the violation, whatever became of the revocation; return what failed, in words."""
    problems = []
    try:
        with write() as log:
            revoke(log, verification, head, versions_on=versions_on)
    except (StatehouseError, Error) as failure:
        problems.append(f"current certificate revocation failed: {words_of(failure)}")
    try:
        with write() as log:
            violate(log, verification, head)
    except (StatehouseError, Error) as failure:
        problems.append(f"{prefix}{words_of(failure)}")
    return problems


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
