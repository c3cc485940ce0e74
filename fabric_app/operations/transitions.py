"""Recording a transition: decide on the head as it is, commit by compare-and-swap, decide again where it moved on.

1. The head is read and the transition checked against it; a refusal here writes nothing.
2. Files are counted, before any transaction.
3. One transaction stores everything (`transition_writes.commit`). Losing the head to another writer, it is checked
   again and tried again, up to eight times; losing a ledger, it is rejected, since the count no longer holds.
4. A transition that failed in or after step 3 leaves its proposal and a rejection, and nothing else.

Source: state layer, "state.transition", "Determinism and contention"; fabric 3.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, NoReturn

from django.db import Error, connection

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.clock import to_ms
from fabric_app.mesh.errors import StatehouseError, VersionConflict
from fabric_app.mesh.idempotency import Idempotency, stored_answer
from fabric_app.mesh.keys import CasFailed, ValueTooLarge
from fabric_app.mesh.models import Workspace
from fabric_app.mesh.swap import pause_after_loss
from fabric_app.mesh.topics import EventTooLarge
from fabric_app.operations import ledgers, transition_writes
from fabric_app.operations.storage import OutcomeUnknown, storage_error
from fabric_app.operations.transition_writes import Proposal
from fabric_app.protocol.arguments import TransitionArguments
from fabric_app.protocol.errors import FromMismatch, TransitionRejected
from fabric_app.protocol.transitions import check_attempts, check_from, check_reduction, recheck_after_loss, trusted
from fabric_app.state_keys import HEAD_KEY
from fabric_app.stored_heads import HeadReading, read_head

REFUSED_WHOLE = (EventTooLarge, ValueTooLarge)


def record_transition(
    *,
    workspace: Workspace,
    arguments: TransitionArguments,
    actor: Actor,
    now: datetime,
    idempotency: Idempotency | None = None,
    expected_version: int | None = None,
) -> dict[str, Any]:
    """Record a transition and return `{event, head}` as wire JSON.

    expected_version: of the head that the caller decided on (0: none yet); None leaves it to `from`.
    Raises VersionConflict where the head is at another version, HeadQuarantined, FromMismatch,
    ReductionWithoutEvidence, the errors of counting, EventTooLarge and ValueTooLarge, and then nothing was written;
    TransitionRejected where it was written and then rejected; IdempotencyKeyReused; OutcomeUnknown where the database
    was lost in the commit and stays away.
    """
    if (answer := stored_answer(idempotency)) is not None:
        return answer
    head = read_head(workspace.id)
    try:
        _check_version(head, expected_version)
        _check(head, arguments)
    except (VersionConflict, FromMismatch):
        # It may be this very request that moved the head, stored between the two reads.
        if (answer := stored_answer(idempotency)) is not None:
            return answer
        raise
    counted = None
    if arguments.complexity_files is not None:
        counted = ledgers.count(workspace, arguments.complexity_files, now_ms=to_ms(now))
        check_reduction(counted.net_delta, arguments.evidence or ())
    proposal = Proposal(
        id=uuid.uuid4(),
        workspace_id=workspace.id,
        arguments=arguments,
        complexity=counted.record if counted else None,
        ledgers=counted.moves if counted else (),
        actor=actor,
        now=now,
        idempotency=idempotency,
    )
    return _commit_or_reject(proposal, head, expected_version)


def _check_version(head: HeadReading, expected: int | None) -> None:
    if expected is not None and head.version != expected:
        raise VersionConflict(expected=expected, current=head.version)


def _check(head: HeadReading, arguments: TransitionArguments) -> None:
    if head.status is None:
        return
    accepted = trusted(head.status)
    if not arguments.force:
        check_from(accepted, arguments.from_)


def _commit_or_reject(proposal: Proposal, head: HeadReading, expected_version: int | None) -> dict[str, Any]:
    """Try until the head is ours or the transition no longer fits. Only the last outcome is written."""
    losses = 0
    while True:
        try:
            return transition_writes.commit(proposal, expected=head.version)
        except REFUSED_WHOLE:
            raise
        except CasFailed as loss:
            if (answer := stored_answer(proposal.idempotency)) is not None:
                return answer
            losses += 1
            head = _head_after_loss(proposal, loss, losses, expected_version)
        except StatehouseError as failure:
            _rejected(proposal, failure)
        except Error as failure:
            return _after_database_error(proposal, failure, head)


def _head_after_loss(proposal: Proposal, loss: CasFailed, losses: int, expected_version: int | None) -> HeadReading:
    """Return the head on which to try again; where the transition no longer fits, store its rejection and raise it."""
    if loss.details["key"] != HEAD_KEY:
        _rejected(proposal, loss)
    pause_after_loss(losses)
    head = read_head(proposal.workspace_id)
    _check_version(head, expected_version)
    if (cause := _why_not_again(head, proposal.arguments, losses)) is not None:
        _rejected(proposal, cause)
    return head


def _why_not_again(head: HeadReading, arguments: TransitionArguments, losses: int) -> StatehouseError | None:
    """Return what forbids another attempt on the head that won, or None. Without a `from` any head will do."""
    try:
        if head.status is not None:
            trusted(head.status)
            if not arguments.force and arguments.from_ is not None:
                recheck_after_loss(head.value, arguments.from_)
        check_attempts(losses)
    except StatehouseError as cause:
        return cause
    return None


def _after_database_error(proposal: Proposal, failure: Error, head: HeadReading) -> dict[str, Any]:
    """Find out how it ended: by another request with the same key, by a commit whose news was lost, or not at all."""
    # A connection that failed in the middle of a transaction is not asked again.
    connection.close()
    try:
        answer = stored_answer(proposal.idempotency) or transition_writes.committed_answer(proposal, head.version)
    except Error as still:
        raise OutcomeUnknown(transitionId=str(proposal.id)) from still
    if answer is None:
        _rejected(proposal, storage_error(failure))
    return answer


def _rejected(proposal: Proposal, cause: StatehouseError) -> NoReturn:
    """Store the rejection and raise TransitionRejected."""
    try:
        transition_writes.reject(proposal, cause)
    except (StatehouseError, Error) as unreported:
        raise TransitionRejected(cause=cause, reporting_failed=True) from unreported
    raise TransitionRejected(cause=cause)
