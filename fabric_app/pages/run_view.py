"""What the page of one run prints: its facts, its progress, the steps of a cancellation, its results, its output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import moment, size, span, who
from fabric_app.models import Run, RunEntry, RunEntryKind, RunStatus
from fabric_app.pages.rows import ACTIONS
from fabric_app.pages.states import run_state

SHOWN_FAILURES = 50
RAN_TO_THE_END = (RunStatus.CONFIRMED, RunStatus.VIOLATED)


@dataclass(frozen=True)
class Piece:
    """A part of the output: what a command printed, or a note between (`look`: good, bad or plain)."""

    sequence: int
    text: str
    is_note: bool = False
    look: str = "plain"


def run_view(run: Run, durations_ms: Mapping[int, int]) -> dict[str, Any]:
    """Return the facts of a run. Its plan and report are read, so it has to be a whole row.

    durations_ms: how long each command took, by its number from 1.
    """
    plan, report = run.plan or {}, run.report or {}
    workspace = run.workspace.slug
    certificate = report.get("certificate") or {}
    return {
        "id": str(run.pk),
        "short_id": str(run.pk)[:8],
        "action": ACTIONS.get(run.action, run.action),
        "state": run_state(run.status),
        "is_over": run.is_over,
        "is_running": run.status == RunStatus.RUNNING,
        "by": who(run.requested_by),
        "worker": run.worker,
        "worker_group": run.worker_group,
        "root": plan.get("root") or run.workspace.root,
        "timeout": span((plan.get("timeoutMs") or run.arguments.get("timeoutMs") or 0) / 1000),
        "created_at": moment(run.created_at),
        "started_at": moment(run.started_at),
        "ended_at": moment(run.ended_at),
        "heartbeat_at": moment(run.heartbeat_at),
        "took": _took(run),
        "command_index": run.command_index,
        "command_count": run.command_count,
        "done_count": run.command_count if run.status in RAN_TO_THE_END else max(run.command_index - 1, 0),
        "output_size": size(run.output_bytes),
        "targets": _targets(plan, workspace),
        "evidence_digest": plan.get("evidenceDigest", ""),
        "result_digest": report.get("resultDigest", ""),
        "cancel": _cancel(run),
        "error": (run.error or {}).get("message", ""),
        "error_code": (run.error or {}).get("code", ""),
        "results": _results(report, plan, durations_ms),
        "failures": [each.get("message", "") for each in report.get("failures", [])[:SHOWN_FAILURES]],
        "reporting_error": report.get("reportingError", ""),
        "certificate_address": address("event", workspace, certificate["sequence"]) if certificate else "",
        "certificate_is_current": bool(certificate.get("current")),
        "is_verification": run.action == "verify",
        "met": report.get("passed"),
    }


def pieces(entries: Iterable[RunEntry]) -> list[Piece]:
    """Return entries as the output shows them; those that say nothing to a reader are left out."""
    return [piece for entry in entries if (piece := _piece(entry)) is not None]


def _piece(entry: RunEntry) -> Piece | None:
    if entry.output is not None:
        return Piece(entry.sequence, bytes(entry.output).decode(errors="replace"))
    words = NOTES.get(entry.kind)
    if words is None:
        return None
    data = entry.data if isinstance(entry.data, dict) else {}
    return Piece(entry.sequence, words(data), is_note=True, look=_look(data.get("status")))


def _not_stored(data: dict[str, Any]) -> str:
    return f"What follows is not stored: a run keeps {size(int(data.get('omittedAfterBytes', 0)))} of output."


def _finished(data: dict[str, Any]) -> str:
    parts = [str(data.get("status", ""))]
    if data.get("exitCode") is not None:
        parts.append(f"exit {data['exitCode']}")
    if "durationMs" in data:
        parts.append(span(data["durationMs"] / 1000))
    if data.get("error"):
        parts.append(str(data["error"]))
    return ", ".join(parts)


NOTES: dict[str, Callable[[dict[str, Any]], str]] = {
    RunEntryKind.OUTPUT: _not_stored,
    RunEntryKind.COMMAND_STARTED: lambda data: f"$ {data.get('command', '')}",
    RunEntryKind.COMMAND_FINISHED: _finished,
    RunEntryKind.STATUS: lambda data: str(data.get("status", "")),
    RunEntryKind.ENDED: lambda data: f"ended: {data.get('status', '')}",
}


def _look(status: Any) -> str:
    return {"confirmed": "good", "violated": "bad", "error": "bad"}.get(str(status), "plain")


def _took(run: Run) -> str:
    if run.started_at is None or run.ended_at is None:
        return ""
    return span((run.ended_at - run.started_at).total_seconds())


def _targets(plan: dict[str, Any], slug: str) -> list[dict[str, Any]]:
    return [
        {
            "label": each.get("label", ""),
            "to": each.get("to", ""),
            "summary": each.get("summary", ""),
            "sequence": each.get("sequence"),
            "address": address("event", slug, each["sequence"]) if each.get("sequence") else "",
        }
        for each in plan.get("targets", [])
    ]


def _cancel(run: Run) -> dict[str, Any] | None:
    """Return the steps of a cancellation: requested, acknowledged by the worker, stopped."""
    if run.cancel_requested_at is None:
        return None
    return {
        "at": moment(run.cancel_requested_at),
        "by": who(run.cancel_requested_by),
        "reason": run.cancel_reason,
        "is_stopped": run.is_over,
        "stopped_at": moment(run.ended_at),
        "was_in_time": run.status == RunStatus.CANCELLED,
    }


def _results(report: dict[str, Any], plan: dict[str, Any], durations_ms: Mapping[int, int]) -> list[dict[str, Any]]:
    if "passed" in report:
        command = (plan.get("commands") or [{}])[0].get("command", "")
        status = "confirmed" if report["passed"] else "error" if report.get("error") else "violated"
        return [_result({**report, "command": command, "status": status}, durations_ms.get(1))]
    return [
        _result(result, durations_ms.get(number)) for number, result in enumerate(report.get("results", []), start=1)
    ]


def _result(result: dict[str, Any], duration_ms: int | None) -> dict[str, Any]:
    total = result.get("outputBytes")
    return {
        "command": result.get("command", ""),
        "state": run_state(str(result.get("status", ""))),
        "exit_code": "none" if result.get("exitCode") is None else result["exitCode"],
        "error": result.get("error", ""),
        "bytes": "" if total is None else size(total),
        "digest": result.get("outputDigest", ""),
        "duration": "" if duration_ms is None else span(duration_ms / 1000),
    }
