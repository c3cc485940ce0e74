"""The end of a run: what the log says of it, its report, and its row.

- Only a run whose every command confirmed is certified, and its row and its certificate are stored together: there is
  no certificate of a run that did not end as `confirmed`. For a goal that is met the same holds.
- A run that was cancelled, lost or broken off has failed. The failure is published first and the row ended after it: a
  crash in between leaves a run that a sweep ends as lost, and never a certificate that outlives its failure.
- Whoever holds the run ends it. A worker that was given up, or a second sweep, changes nothing.
Source: state layer, "state.verify" and "state.checkGoal"; fabric, 7 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from fabric_app.evidence.outcome import CommandOutcome
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.log import NewEvent
from fabric_app.models import Run, RunAction, RunStatus
from fabric_app.operations.outcomes import finish_verification
from fabric_app.operations.run_entries import RunTakenAway
from fabric_app.operations.run_errors import RunCancelled
from fabric_app.operations.run_messages import send_next
from fabric_app.operations.run_plan import RunPlan, arguments_from_json, plan_from_json, plan_run
from fabric_app.operations.run_row_end import author_of, end_row
from fabric_app.operations.writing import writing
from fabric_app.protocol import verification as protocol
from fabric_app.protocol.errors import error_text
from fabric_app.protocol.events import TOPIC, goal_met_data

GOAL_MET = "state.goal.met"


class CancelledMeanwhile(Exception):
    """Somebody cancelled the run before its end was stored. Never reaches a caller."""


@dataclass(frozen=True)
class Ending:
    """What the commands did, as far as they ran, and what broke the run off, if anything."""

    outcomes: tuple[CommandOutcome, ...] = ()
    error: StatehouseError | None = None


def end_run(run: Run, ending: Ending, *, now: datetime) -> bool:
    """End a run, and send the next one of its workspace; False where it is not the caller's any more.

    run: with its workspace, as the caller holds it: its status and worker say so.
    """
    finish = _finish_goal_check if run.action == RunAction.CHECK_GOAL else _finish_verification
    if ending.error is None and Run.objects.filter(pk=run.pk, cancel_requested_at__isnull=False).exists():
        ending = replace(ending, error=cancellation_of(run))
    try:
        try:
            finish(_Holding(run, now), ending)
        except CancelledMeanwhile:
            finish(_Holding(run, now), replace(ending, error=cancellation_of(run)))
    except RunTakenAway:
        return False
    send_next(run.workspace_id, now=timezone.now())
    return True


def cancellation_of(run: Run) -> RunCancelled:
    """Return the error of a run for which a cancel was requested."""
    requested = Run.objects.values_list("cancel_requested_by", flat=True).get(pk=run.pk)
    return RunCancelled(by="nobody" if requested is None else requested["name"])


class _Holding:
    """A run that the caller holds, by what its row says."""

    def __init__(self, run: Run, now: datetime) -> None:
        self.run = run
        self.now = now
        self._ours = Q(status=run.status, worker=run.worker)

    @property
    def is_over(self) -> bool:
        """Read whether the row was ended, or taken from the caller."""
        return not Run.objects.filter(self._ours, pk=self.run.pk).exists()

    def confirmed_report(self) -> dict[str, Any] | None:
        """Read the report with which the row was ended as confirmed, or None."""
        confirmed = Run.objects.filter(pk=self.run.pk, worker=self.run.worker, status=RunStatus.CONFIRMED)
        return confirmed.values_list("report", flat=True).first()

    def end(self, status: RunStatus, report: dict[str, Any] | None, error: StatehouseError | None) -> None:
        """End the row in the current transaction. Raises RunTakenAway, CancelledMeanwhile."""
        ours = self._ours
        if error is None:
            ours &= Q(cancel_requested_at__isnull=True)
        if not end_row(self.run, ours, status, report=report, error=error, now=self.now):
            raise RunTakenAway if self.is_over else CancelledMeanwhile

    def plan(self) -> RunPlan:
        """Return the plan that was fixed at the claim; for a run that was never claimed, that of now. Raises NoGoal."""
        if self.run.plan is not None:
            return plan_from_json(self.run.plan)
        arguments = arguments_from_json(self.run.action, self.run.arguments)
        return plan_run(self.run.workspace, arguments)


def _finish_verification(holding: _Holding, ending: Ending) -> None:
    """Store what the verification means, and end the row: with the certificate, or after the violation."""
    run, plan, error = holding.run, holding.plan(), ending.error
    verification = _assessed(plan, ending)

    def end(report: dict[str, Any]) -> None:
        holding.end(_status_of_verification(report, error), report, error)

    report = finish_verification(
        workspace=run.workspace,
        verification=verification,
        head=plan.head,
        actor=author_of(run),
        now=holding.now,
        beside_certificate=end,
        stored_report=holding.confirmed_report,
    )
    if not holding.is_over:
        with transaction.atomic(durable=True):
            end(report)


def _finish_goal_check(holding: _Holding, ending: Ending) -> None:
    """Publish that the goal is met, if so, and end the row, in one transaction."""
    run, error = holding.run, ending.error
    outcome = _outcome(ending.outcomes[0]) if ending.outcomes else protocol.NOT_RUN
    report = protocol.goal_report(outcome)
    if error is not None:
        report = {**report, "passed": False, "error": error_text(error)}
    with writing(run.workspace_id, actor=author_of(run), now=holding.now) as log:
        if report["passed"]:
            check = holding.plan().commands[0].command
            data = goal_met_data(check, outcome, max_event_bytes=settings.STATEHOUSE["MAX_EVENT_BYTES"])
            log.append(NewEvent(TOPIC, GOAL_MET, data))
        holding.end(_status(protocol.Status(outcome.status), error), report, error)


def _assessed(plan: RunPlan, ending: Ending) -> protocol.Verification:
    assess = partial(
        protocol.assess,
        plan.targets,
        [_outcome(each) for each in ending.outcomes],
        labels_given=plan.labels_given,
        unmatched_labels=plan.unmatched_labels,
    )
    assessed = assess()
    is_told = isinstance(ending.error, RunCancelled) and not assessed.certified
    if ending.error is None or is_told:
        # A cancelled command says so itself.
        return assessed
    return assess(run_error=error_text(ending.error))


def _status_of_verification(report: dict[str, Any], error: StatehouseError | None) -> RunStatus:
    """Return `violated` where something was shown to be wrong or was missing, `error` where commands did not end."""
    if report["certified"]:
        return _status(protocol.Status.CONFIRMED, error)
    reasons = {failure["reason"] for failure in report["failures"]}
    is_only_errors = reasons <= {protocol.Reason.EXECUTION_ERROR, protocol.Reason.REPORTING_ERROR}
    return _status(protocol.Status.ERROR if is_only_errors else protocol.Status.VIOLATED, error)


def _status(status: protocol.Status, error: StatehouseError | None) -> RunStatus:
    if error is not None:
        return RunStatus.CANCELLED if isinstance(error, RunCancelled) else RunStatus.ERROR
    return RunStatus(status.value)


def _outcome(outcome: CommandOutcome) -> protocol.CommandOutcome:
    return protocol.CommandOutcome(
        status=protocol.Status(outcome.status),
        exit_code=outcome.exit_code,
        output=outcome.output,
        output_bytes=outcome.output_bytes,
        output_omitted_bytes=outcome.output_omitted_bytes,
        output_digest=outcome.output_digest,
        error=outcome.error,
    )
