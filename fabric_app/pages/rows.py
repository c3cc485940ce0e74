"""Rows of lists as templates print them: runs, activity lines, transitions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import Line, Moment, State, Who, moment, moment_of_ms, span, who
from fabric_app.models import Activity, Run, RunAction
from fabric_app.pages.states import CERTIFIED, PENDING, UNCERTIFIED, VIOLATED, outcome_state, run_state

ACTIONS: dict[str, str] = {RunAction.VERIFY: "verify", RunAction.CHECK_GOAL: "check goal"}
NAME_CHARS = 160


@dataclass(frozen=True)
class RunRow:
    """One run in a list."""

    address: str
    short_id: str
    action: str
    state: State
    progress: str
    by: Who
    worker: str
    created_at: Moment | None
    took: str


@dataclass(frozen=True)
class TransitionRow:
    """One transition of a timeline, a graph or a list."""

    transition_id: str
    sequence: int
    label: str
    origin: str
    to: str
    summary: str
    at: Moment | None
    state: State
    evidence: tuple[str, ...]
    tags: tuple[str, ...]
    delta: str
    is_representation: bool
    is_boundary: bool
    is_current: bool
    address: str
    certificate_address: str

    @property
    def css(self) -> str:
        if self.is_representation:
            return "timeline-boundary"
        return {CERTIFIED: "timeline-certified", PENDING: "timeline-pending", VIOLATED: "timeline-refuted"}.get(
            self.state, ""
        )


def run_row(run: Run) -> RunRow:
    """Return a run as lists print it; `run.workspace` is not asked for."""
    took = ""
    if run.started_at and run.ended_at:
        took = span((run.ended_at - run.started_at).total_seconds())
    return RunRow(
        address=address("run", run.pk),
        short_id=str(run.pk)[:8],
        action=ACTIONS.get(run.action, run.action),
        state=run_state(run.status),
        progress=progress_words(run),
        by=who(run.requested_by),
        worker=run.worker,
        created_at=moment(run.created_at),
        took=took,
    )


def progress_words(run: Run) -> str:
    """Return `command n of m` for a run at work."""
    if run.status != "running" or not run.command_count:
        return ""
    return f"command {max(run.command_index, 1)} of {run.command_count}"


def lines(rows: Iterable[Activity], *, with_workspace: bool = False) -> list[Line]:
    """Return activity lines as audit trails print them."""
    return [_line(row, with_workspace=with_workspace) for row in rows]


def transition_rows(
    page: dict[str, Any], *, slug: str, head_id: str | None, include_archived: bool = False
) -> list[TransitionRow]:
    """Return a page of the timeline (wire JSON) as templates print it, in its order."""
    boundary = page["boundary"]
    hidden_from = None if include_archived else boundary
    rows = [_transition(each, slug, head_id, boundary, hidden_from) for each in page["transitions"]]
    refuted = set(page["refuted"])
    return [replace(row, state=VIOLATED) if row.transition_id in refuted else row for row in rows]


def signed(number: Any) -> str:
    """Return a change with its sign; empty where there is none."""
    return f"{number:+g}" if isinstance(number, int | float) and not isinstance(number, bool) else ""


def _line(row: Activity, *, with_workspace: bool) -> Line:
    workspace = row.workspace if with_workspace else None
    if row.run_id:
        target = address("run", row.run_id)
    elif row.event_sequence and row.workspace:
        target = address("event", row.workspace.slug, row.event_sequence)
    else:
        target = ""
    detail = row.detail if isinstance(row.detail, dict) else {}
    return Line(
        at=moment_of_ms(row.created_at_ms),
        actor=who(row.actor),
        kind=row.kind,
        name=str(row.name)[:NAME_CHARS],
        state=outcome_state(row.outcome),
        reason=str(detail.get("reason", ""))[:1000],
        address=target,
        workspace=workspace.title if workspace else "",
        workspace_address=address("workspace", workspace.slug) if workspace else "",
    )


def _transition(
    record: dict[str, Any], slug: str, head_id: str | None, boundary: str | None, hidden_from: str | None
) -> TransitionRow:
    certificate = record.get("certificate") or {}
    status = record.get("certificationStatus")
    complexity = record.get("complexity") or {}
    return TransitionRow(
        transition_id=record["transitionId"],
        sequence=record["sequence"],
        label=record["label"],
        origin="" if record["transitionId"] == hidden_from else record.get("from", ""),
        to=record["to"],
        summary=record.get("summary", ""),
        at=moment_of_ms(record.get("ts")),
        state={"certified": CERTIFIED, "pending": PENDING}.get(str(status), UNCERTIFIED),
        evidence=tuple(record.get("evidence", ())),
        tags=tuple(record.get("tags", ())),
        delta=signed(complexity.get("netDelta")),
        is_representation=record.get("kind") == "representation",
        is_boundary=record["transitionId"] == boundary,
        is_current=record["transitionId"] == head_id,
        address=address("event", slug, record["sequence"]),
        certificate_address=address("event", slug, certificate["sequence"]) if "sequence" in certificate else "",
    )
