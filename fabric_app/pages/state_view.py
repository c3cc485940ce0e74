"""What the overview prints of a workspace's state: the head with its certificate, the graph, the trend, the goal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from fabric_app.mesh.http.pages import address
from fabric_app.mesh.http.values import State, moment, moment_of_ms
from fabric_app.models import Run, RunStatus, Workspace
from fabric_app.pages.rows import TransitionRow, signed
from fabric_app.pages.states import CERTIFIED, NO_HEAD, PENDING, QUARANTINED, UNCERTIFIED, VIOLATED, run_state
from fabric_app.queries import accepted_head
from fabric_app.queries_watch import run_of_certificate
from fabric_app.stored_heads import transition_state

RAW_CHARS = 20_000
THREE = {CERTIFIED: "three-certified", PENDING: "three-pending", VIOLATED: "three-refuted"}


def head_state(*, has_head: bool, is_quarantined: bool, certification: str | None, is_refuted: bool = False) -> State:
    """Return how a head is shown; `certification` is `certified`, `pending` or anything else for none."""
    if is_quarantined:
        return QUARANTINED
    if not has_head:
        return NO_HEAD
    if certification == "certified":
        return CERTIFIED
    if is_refuted:
        return VIOLATED
    return PENDING if certification == "pending" else UNCERTIFIED


def head_view(workspace: Workspace, state: dict[str, Any]) -> dict[str, Any]:
    """Return what the head panel prints. state: the answer of `state.get`."""
    if state["quarantine"]:
        return _quarantined(workspace, state["quarantine"])
    head = state["head"]
    if head is None:
        return {"state": NO_HEAD}
    refuted_at = _refuted_at(workspace, head["transitionId"])
    certification = "certified" if state["certification"]["current"] else head.get("certificationStatus")
    shown = head_state(
        has_head=True, is_quarantined=False, certification=certification, is_refuted=refuted_at is not None
    )
    return {
        "state": shown,
        "certificate_class": THREE.get(shown, ""),
        "transition_id": head["transitionId"],
        "to": head["to"],
        "label": head["label"],
        "origin": head.get("from", ""),
        "summary": head.get("summary", ""),
        "version": head["version"],
        "at": moment_of_ms(head.get("ts")),
        "evidence": non_blank(head.get("evidence")),
        "tags": non_blank(head.get("tags")),
        "is_representation": head.get("kind") == "representation",
        "is_reduction": head.get("certificationStatus") == "pending",
        "refuted_address": address("event", workspace.slug, refuted_at) if refuted_at else "",
    }


def certificate_view(workspace: Workspace, certificate: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what the certificate panel prints, or None where the head has no certificate."""
    if certificate is None:
        return None
    run_id = run_of_certificate(workspace.pk, certificate["certificateId"])
    return {
        "at": moment_of_ms(certificate.get("ts")),
        "sequence": certificate["sequence"],
        "address": address("event", workspace.slug, certificate["sequence"]),
        "run_address": address("run", run_id) if run_id else "",
        "evidence_digest": certificate["evidenceDigest"],
        "result_digest": certificate["resultDigest"],
    }


def goal_view(goal: Any, latest: Run | None) -> dict[str, Any] | None:
    """Return what the goal panel prints. latest: the last goal check that is over; it counts for this goal alone."""
    if not isinstance(goal, dict) or not isinstance(goal.get("check"), str):
        return None
    checked = latest is not None and latest.plan is not None and latest.plan.get("goal") == goal
    run = latest if checked else None
    is_met = run is not None and run.status == RunStatus.CONFIRMED
    return {
        "check": goal["check"],
        "description": goal.get("description") or "",
        "state": _goal_state(run),
        "is_met": is_met,
        "run_address": address("run", run.pk) if run else "",
        "at": moment(run.ended_at) if run else None,
    }


def trend(rows: Iterable[dict[str, Any]], *, total: int) -> list[dict[str, Any]]:
    """Return recorded decision points over time, newest first, from transitions newest first.

    total: of all ledgers now. Going back, each change is taken away again, and each first count with it.
    """
    points = []
    for record in rows:
        complexity = record.get("complexity")
        if not complexity:
            continue
        at = moment_of_ms(record.get("ts"))
        if at is not None:
            delta = signed(complexity["netDelta"])
            points.append({"at": at, "label": record["label"], "total": total, "delta": delta})
        total -= sum(_added(each) for each in complexity["files"])
    return points


def moves(rows: Sequence[TransitionRow]) -> list[TransitionRow]:
    """Return transitions oldest first, as the graph reads them."""
    return list(reversed(rows))


def pretty(value: Any, *, is_whole: bool = False) -> str:
    """Return JSON for people, cut to what a page can bear unless the whole is wanted."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if is_whole or len(text) <= RAW_CHARS else f"{text[:RAW_CHARS]}\n… cut after {RAW_CHARS} characters"


def non_blank(texts: Any) -> list[str]:
    """Return the texts of a stored list that show something."""
    return [text for text in texts or () if isinstance(text, str) and text.strip()]


def _quarantined(workspace: Workspace, quarantine: dict[str, Any]) -> dict[str, Any]:
    explanation = quarantine["explanation"]
    return {
        "state": QUARANTINED,
        "quarantine": explanation[:1].upper() + explanation[1:],
        "raw": pretty(accepted_head(workspace.pk).value),
    }


def _refuted_at(workspace: Workspace, transition_id: str) -> int | None:
    row = transition_state(workspace.pk, transition_id)
    return row.outcome_sequence if row is not None and row.outcome == "violated" else None


def _goal_state(run: Run | None) -> State:
    if run is None:
        return State("not checked", "idle", "idle")
    if run.status == RunStatus.CONFIRMED:
        return State("met", "good", "good")
    if run.status == RunStatus.VIOLATED:
        return State("not met", "bad", "bad")
    return run_state(run.status)


def _added(file: dict[str, Any]) -> int:
    """Return by how much one file moved the total: its change, or all of its first count."""
    if file.get("baseline"):
        return int(file.get("current") or 0)
    return int(file.get("delta") or 0)
