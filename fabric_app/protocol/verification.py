"""A verification, from targets and what their commands did to a report. Fails closed.

Certified means: at least one command ran, every result is confirmed, and nothing failed. One target without evidence,
or one command that did not exit with 0, spoils the whole run.

Order of failures: no target, targets without evidence, results that are not confirmed, failures of the run itself.

Source: state layer, "state.verify"; fabric 7, 7.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from fabric_app.mesh.texts import cut_text
from fabric_app.protocol.bounds import ERROR_BYTES, OUTPUT_BYTES, RESULT_TEXT_BYTES
from fabric_app.protocol.digests import NOTHING, digest, evidence_digest, result_digest
from fabric_app.protocol.records import CERTIFIED, TransitionRecord

FAILED = "failed"


class Status(StrEnum):
    """How a command ended: exit 0, another exit, or no exit of its own."""

    CONFIRMED = "confirmed"
    VIOLATED = "violated"
    ERROR = "error"


class Reason(StrEnum):
    """Why a verification did not certify."""

    MISSING_TARGET = "missing-target"
    MISSING_EVIDENCE = "missing-evidence"
    NONZERO_EXIT = "nonzero-exit"
    EXECUTION_ERROR = "execution-error"
    REPORTING_ERROR = "reporting-error"


@dataclass(frozen=True)
class CommandOutcome:
    """What one command did. output: the retained text; digest and bytes: of the complete stream."""

    status: Status
    exit_code: int | None
    output: str = ""
    output_bytes: int = 0
    output_omitted_bytes: int = 0
    output_digest: str = NOTHING
    error: str | None = None


NOT_RUN = CommandOutcome(status=Status.ERROR, exit_code=None, error="aborted before execution")


@dataclass(frozen=True)
class Verification:
    """A finished run: its targets, bounded results and failures, and the digests over them."""

    targets: tuple[TransitionRecord, ...]
    results: tuple[dict[str, Any], ...]
    failures: tuple[dict[str, Any], ...]
    evidence_digest: str
    result_digest: str

    @property
    def certified(self) -> bool:
        return is_certified(self.results, self.failures)


def commands_of(targets: Iterable[TransitionRecord]) -> list[tuple[TransitionRecord, str]]:
    """Return each command with the target it stands for, in the order in which they run."""
    return [(target, command) for target in targets for command in target.evidence]


def command_result(claim: str, command: str, outcome: CommandOutcome) -> dict[str, Any]:
    """Return the result of one command; claim, command, error and output are bounded, each with a digest."""
    output, cut_bytes = cut_text(outcome.output, OUTPUT_BYTES)
    result: dict[str, Any] = {
        **_bounded("claim", claim),
        **_bounded("command", command),
        "status": str(outcome.status),
        "exitCode": outcome.exit_code,
        "output": output,
        "outputBytes": outcome.output_bytes,
        "outputOmittedBytes": outcome.output_omitted_bytes + cut_bytes,
        "outputDigest": outcome.output_digest,
    }
    if outcome.error is not None:
        result |= _bounded("error", outcome.error)
    return result


def assess(
    targets: Sequence[TransitionRecord],
    outcomes: Sequence[CommandOutcome],
    *,
    labels_given: bool,
    unmatched_labels: Sequence[str] = (),
    run_error: str | None = None,
) -> Verification:
    """Return the verification that a run amounts to.

    outcomes: one for each of `commands_of(targets)`, in order; where the run ended early the rest count as not run.
    labels_given: whether the caller named labels. unmatched_labels: those that named nothing, which alone fails the
    verification: what was asked for and is not there is not shown by the rest.
    run_error: why the run as a whole cannot count, if so.
    """
    commands = commands_of(targets)
    padded = [*outcomes, *[NOT_RUN] * (len(commands) - len(outcomes))]
    results = [
        command_result(target.summary, command, outcome)
        for (target, command), outcome in zip(commands, padded, strict=True)
    ]
    found = failures(targets, results, labels_given=labels_given, unmatched_labels=unmatched_labels)
    if run_error is not None:
        found.append(_run_failure(run_error))
    return Verification(
        targets=tuple(targets),
        results=tuple(results),
        failures=tuple(found),
        evidence_digest=evidence_digest(targets),
        result_digest=result_digest(results, found),
    )


def failures(
    targets: Sequence[TransitionRecord],
    results: Sequence[dict[str, Any]],
    *,
    labels_given: bool,
    unmatched_labels: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Return every reason against certification that targets and results give, in order."""
    if targets:
        found = [_missing_label(label) for label in unmatched_labels]
    else:
        found = [_missing_target(labels_given=labels_given)]
    found += [_missing_evidence(target) for target in targets if not target.evidence]
    found += [_unconfirmed(result) for result in results if result["status"] != Status.CONFIRMED]
    return found


def is_certified(results: Sequence[dict[str, Any]], found: Sequence[dict[str, Any]]) -> bool:
    """True where at least one command ran, all are confirmed, and nothing failed."""
    confirmed = all(result["status"] == Status.CONFIRMED for result in results)
    return len(results) > 0 and not found and confirmed


def with_reporting_failure(verification: Verification, error: str) -> Verification:
    """Return the verification as failed, since its certificate could not be published or stored."""
    failure = {
        "reason": Reason.REPORTING_ERROR.value,
        "message": f"The certificate could not be published: {_short(error)}",
        "error": _short(error),
    }
    found = (*verification.failures, failure)
    return replace(verification, failures=found, result_digest=result_digest(verification.results, found))


def report(
    verification: Verification,
    *,
    certificate: dict[str, Any] | None = None,
    reporting_error: str | None = None,
) -> dict[str, Any]:
    """Return the report; `certificate` (its JSON) belongs to a certified one, `reporting_error` to a failed one."""
    certified = verification.certified
    shown: dict[str, Any] = {
        "results": list(verification.results),
        "certified": certified,
        "violated": not certified,
        "certificationStatus": CERTIFIED if certified else FAILED,
        "evidenceDigest": verification.evidence_digest,
        "resultDigest": verification.result_digest,
        "failures": list(verification.failures),
    }
    if certified and certificate is not None:
        shown["certificate"] = certificate
    if reporting_error is not None:
        shown["reportingError"] = reporting_error
    return shown


def goal_report(outcome: CommandOutcome) -> dict[str, Any]:
    """Return what a goal check answers: `{passed, output, exitCode, error?}`."""
    shown: dict[str, Any] = {
        "passed": outcome.status == Status.CONFIRMED,
        "output": cut_text(outcome.output, OUTPUT_BYTES)[0],
        "exitCode": outcome.exit_code,
    }
    if outcome.error is not None:
        shown["error"] = cut_text(outcome.error, RESULT_TEXT_BYTES)[0]
    return shown


def _bounded(name: str, text: str) -> dict[str, Any]:
    kept, omitted = cut_text(text, RESULT_TEXT_BYTES)
    bounded: dict[str, Any] = {name: kept, f"{name}Digest": digest(text)}
    if omitted:
        bounded[f"{name}OmittedBytes"] = omitted
    return bounded


def _missing_target(*, labels_given: bool) -> dict[str, Any]:
    message = (
        "No active state transitions matched the requested labels"
        if labels_given
        else "No current state transition is available to verify"
    )
    return {"reason": Reason.MISSING_TARGET.value, "message": message}


def _missing_label(label: str) -> dict[str, Any]:
    shown, _ = cut_text(label, RESULT_TEXT_BYTES)
    return {
        "reason": Reason.MISSING_TARGET.value,
        "message": f'No active state transition matched the requested label "{shown}"',
        "label": shown,
    }


def _missing_evidence(target: TransitionRecord) -> dict[str, Any]:
    label, _ = cut_text(target.label, RESULT_TEXT_BYTES)
    return {
        "reason": Reason.MISSING_EVIDENCE.value,
        "message": f'Transition "{label}" has no executable evidence',
        "transitionId": target.transition_id,
        "label": label,
    }


def _unconfirmed(result: dict[str, Any]) -> dict[str, Any]:
    violated = result["status"] == Status.VIOLATED
    explained = (
        f"Evidence exited nonzero ({result['exitCode']}): {result['command']}"
        if violated
        else f"Evidence did not run to its end ({result.get('error', 'unknown')}): {result['command']}"
    )
    failure = {
        "reason": (Reason.NONZERO_EXIT if violated else Reason.EXECUTION_ERROR).value,
        "message": explained,
        "command": result["command"],
        "status": result["status"],
        "exitCode": result["exitCode"],
    }
    return {**failure, "error": result["error"]} if "error" in result else failure


def _run_failure(error: str) -> dict[str, Any]:
    return {
        "reason": Reason.EXECUTION_ERROR.value,
        "message": f"The run does not count: {_short(error)}",
        "error": _short(error),
    }


def _short(error: str) -> str:
    return cut_text(error, ERROR_BYTES)[0]
