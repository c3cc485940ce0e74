"""The data of each event on the state topic, members in the order in which they are written.

Events of a verification come in chunks of targets, and keep less of each text than the report does. Every event is
measured as JSON, escapes included, and its texts are cut harder where it would pass the log's limit. The one exception
is a proposal: what it claims is kept whole, or the log refuses it.

Source: state layer, "Topic fabric.state"; fabric 1.4, 7.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from fabric_app.protocol.arguments import TransitionArguments
from fabric_app.protocol.bounds import (
    DELETED_PER_CHUNK,
    ERROR_BYTES,
    EVENT_OUTPUT_BYTES,
    EVENT_REASONS,
    EVENT_RESULTS,
    MAX_EVENT_BYTES,
    ROLLBACK_ERRORS,
    TARGETS_PER_CHUNK,
    Cut,
    fitted,
)
from fabric_app.protocol.certificates import target_json
from fabric_app.protocol.digests import canonical, digest
from fabric_app.protocol.effects import EVENT_PROTOCOL
from fabric_app.protocol.heads import HeadIdentity, certification_status
from fabric_app.protocol.records import CERTIFIED, TransitionRecord
from fabric_app.protocol.verification import CommandOutcome, Status, Verification

TOPIC = "fabric.state"
REASON_TEXTS = ("message", "label", "command", "error")

Data = dict[str, Any]
Item = TypeVar("Item")


def proposal_data(arguments: TransitionArguments, *, complexity: Data | None, ts: int) -> Data:
    """Return the data of `transition`; the event's text is the summary."""
    data = {
        "protocolVersion": EVENT_PROTOCOL,
        "phase": "proposed",
        "label": arguments.label,
        "to": arguments.to,
        "summary": arguments.summary,
        "kind": arguments.kind,
        "ts": ts,
        "from": arguments.from_,
        "evidence": arguments.listed(arguments.evidence),
        "tags": arguments.listed(arguments.tags),
        "complexity": complexity,
        "certificationStatus": certification_status(complexity),
    }
    return {name: value for name, value in data.items() if value is not None}


def committed_data(transition_id: str, *, ts: int) -> Data:
    """Return the data of `transition.committed`."""
    return {"protocolVersion": EVENT_PROTOCOL, "phase": "committed", "transitionId": transition_id, "ts": ts}


def rejected_data(
    transition_id: str,
    error: str,
    *,
    ts: int,
    deleted: Sequence[tuple[str, int]] = (),
    errors: Sequence[str] = (),
    max_event_bytes: int = MAX_EVENT_BYTES,
) -> list[Data]:
    """Return the data of each `transition.rejected`, at least one.

    deleted: keys that the rollback removed, with their versions. errors: what the rollback could not restore.
    """
    chunks = _chunks(list(deleted), DELETED_PER_CHUNK)

    def build(index: int, cut: Cut) -> Data:
        shown = [cut.text(text, ERROR_BYTES)[0] for text in errors[:ROLLBACK_ERRORS]]
        rollback = {
            "restored": not errors,
            "deleted": [{"key": key, "version": version} for key, version in chunks[index]],
            "errors": shown if index == 0 else [],
            "omittedErrorCount": len(errors) - len(shown),
            "chunk": {"index": index, "count": len(chunks)},
        }
        return {
            "protocolVersion": EVENT_PROTOCOL,
            "phase": "rejected",
            "transitionId": transition_id,
            "error": cut.text(error, ERROR_BYTES)[0],
            "rollback": rollback,
            "quarantine": bool(errors),
            "ts": ts,
        }

    return [_fit(partial(build, index), max_event_bytes) for index in range(len(chunks))]


def certified_data(
    verification: Verification,
    head: HeadIdentity | None,
    *,
    ts: int,
    max_event_bytes: int = MAX_EVENT_BYTES,
) -> list[Data]:
    """Return the data of each `state.certified`, one a chunk of targets."""
    chunks = _chunks(list(verification.targets), TARGETS_PER_CHUNK)

    def build(index: int, cut: Cut) -> Data:
        return {
            "certificationStatus": CERTIFIED,
            **_targets(chunks, index, cut),
            "head": head.as_json(cut) if head else None,
            "evidenceDigest": verification.evidence_digest,
            "resultDigest": verification.result_digest,
            "ts": ts,
        }

    return [_fit(partial(build, index), max_event_bytes) for index in range(len(chunks))]


def violated_data(
    verification: Verification,
    head: HeadIdentity | None,
    *,
    ts: int,
    max_event_bytes: int = MAX_EVENT_BYTES,
) -> list[Data]:
    """Return the data of each `state.violated`, at least one; results and reasons stand in the first alone."""
    chunks = _chunks(list(verification.targets), TARGETS_PER_CHUNK)
    unconfirmed = [result for result in verification.results if result["status"] != Status.CONFIRMED]
    results, reasons = unconfirmed[:EVENT_RESULTS], verification.failures[:EVENT_REASONS]

    def build(index: int, cut: Cut) -> Data:
        return {
            "certified": False,
            "head": head.as_json(cut) if head else None,
            "evidenceDigest": verification.evidence_digest,
            "resultDigest": verification.result_digest,
            **_targets(chunks, index, cut),
            "results": [_event_result(result, cut) for result in results] if index == 0 else [],
            "omittedResultCount": len(unconfirmed) - len(results),
            "reasons": [_event_reason(reason, cut) for reason in reasons] if index == 0 else [],
            "omittedReasonCount": len(verification.failures) - len(reasons),
            "ts": ts,
        }

    return [_fit(partial(build, index), max_event_bytes) for index in range(len(chunks))]


def goal_met_data(check: str, outcome: CommandOutcome, *, max_event_bytes: int = MAX_EVENT_BYTES) -> Data:
    """Return the data of `state.goal.met`."""

    def build(cut: Cut) -> Data:
        kept, omitted = cut.text(check)
        output, output_cut = cut.text(outcome.output, EVENT_OUTPUT_BYTES)
        return {
            "check": kept,
            "checkDigest": digest(check),
            "checkOmittedBytes": omitted,
            "output": output,
            "outputBytes": outcome.output_bytes,
            "outputOmittedBytes": outcome.output_omitted_bytes + output_cut,
            "outputDigest": outcome.output_digest,
            "exitCode": outcome.exit_code,
        }

    return _fit(build, max_event_bytes)


def repaired_data(
    *, action: str, reason: str, before: Any, after: Any, actor: str, max_event_bytes: int = MAX_EVENT_BYTES
) -> Data:
    """Return the data of `state.repaired`; before and after are head values, None where there is none.

    Where both do not fit, their digests and sizes stand for them: the key's own log holds them whole.
    """

    def build(cut: Cut) -> Data:
        whole = cut.shrink is None
        return {
            "action": action,
            "reason": cut.kept(reason),
            "before": before if whole else _stand_in(before),
            "after": after if whole else _stand_in(after),
            "actor": actor,
        }

    return _fit(build, max_event_bytes)


def _targets(chunks: Sequence[Sequence[TransitionRecord]], index: int, cut: Cut) -> Data:
    return {
        "targets": [target_json(target, cut) for target in chunks[index]],
        "targetChunk": {"index": index, "count": len(chunks)},
    }


def _event_result(result: Data, cut: Cut) -> Data:
    """Return a result with less of its texts; what the report had left out already is counted in."""
    shorter = dict(result)
    for name in ("claim", "command", "error"):
        if name in result:
            shorter[name], omitted = cut.text(result[name])
            shorter[f"{name}OmittedBytes"] = result.get(f"{name}OmittedBytes", 0) + omitted
    shorter["output"], omitted = cut.text(result["output"], EVENT_OUTPUT_BYTES)
    shorter["outputOmittedBytes"] = result["outputOmittedBytes"] + omitted
    return shorter


def _event_reason(reason: Data, cut: Cut) -> Data:
    return {name: cut.kept(value) if name in REASON_TEXTS else value for name, value in reason.items()}


def _stand_in(value: Any) -> Data | None:
    return None if value is None else {"digest": digest(value), "bytes": len(canonical(value))}


def _fit(build: Callable[[Cut], Data], max_event_bytes: int) -> Data:
    return fitted(build, max_bytes=max_event_bytes, size=lambda data: len(canonical(data)))


def _chunks(items: list[Item], size: int) -> list[list[Item]]:
    """Return the items in runs of `size`; one empty run where there are none."""
    return [items[start : start + size] for start in range(0, max(len(items), 1), size)]
