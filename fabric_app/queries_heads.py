"""Heads across workspaces: the one of a workspace, those in quarantine, and a line a workspace for the dashboard."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max

from fabric_app.access import visible_workspaces
from fabric_app.mesh.models import KeyEntry, Workspace
from fabric_app.models import Activity, Run, RunStatus, TransitionState
from fabric_app.protocol.certificates import Outcome, durable_certificate
from fabric_app.protocol.heads import Quarantined
from fabric_app.protocol.records import CERTIFIED, PENDING
from fabric_app.queries_state import quarantine_json
from fabric_app.state_keys import HEAD_KEY
from fabric_app.stored_heads import HeadReading, head_of, read_head

OPEN = (RunStatus.QUEUED, RunStatus.RUNNING)


@dataclass(frozen=True)
class QuarantinedHead:
    """A stored head that is not trusted, with the workspace that it holds up."""

    workspace: Workspace
    head: HeadReading
    status: Quarantined


def accepted_head(workspace_id: uuid.UUID) -> HeadReading:
    """Return the stored head: its identity where it is accepted, or why it is quarantined."""
    return read_head(workspace_id)


def quarantined_heads() -> list[QuarantinedHead]:
    """Return every head that is not trusted, by workspace."""
    rows = KeyEntry.objects.filter(key=HEAD_KEY, is_deleted=False).select_related("workspace")
    found = [(row.workspace, head_of(row.workspace_id, row)) for row in rows.order_by("workspace__slug")]
    return [
        QuarantinedHead(workspace, head, head.status)
        for workspace, head in found
        if isinstance(head.status, Quarantined)
    ]


def workspace_summaries(user: Any) -> list[dict[str, Any]]:
    """Return a line for each workspace that the account can read, by name, at a fixed number of queries.

    `{slug, title, isArchived, head, quarantine, certification, openRuns, lastActivity}`; certification is
    `certified`, `pending`, `none`, or null without a head.
    """
    workspaces = list(visible_workspaces(user).order_by("slug"))
    ids = [workspace.id for workspace in workspaces]
    rows = KeyEntry.objects.filter(workspace_id__in=ids, key=HEAD_KEY)
    heads = {row.workspace_id: head_of(row.workspace_id, row) for row in rows}
    outcomes = _outcomes(heads)
    runs = dict(
        Run.objects.filter(workspace_id__in=ids, status__in=OPEN)
        .values_list("workspace_id")
        .annotate(count=Count("pk"))
    )
    activity = _latest_activity(ids)
    return [
        {
            "slug": workspace.slug,
            "title": workspace.title,
            "isArchived": workspace.is_archived,
            **_head_members(heads.get(workspace.id), outcomes.get(workspace.id)),
            "openRuns": runs.get(workspace.id, 0),
            "lastActivity": activity.get(workspace.id),
        }
        for workspace in workspaces
    ]


def _head_members(head: HeadReading | None, outcome: Outcome | None) -> dict[str, Any]:
    identity = head.identity if head else None
    if head is None or identity is None:
        quarantine = quarantine_json(head) if head else None
        return {"head": None, "quarantine": quarantine, "certification": None, "isRefuted": False}
    shown = {
        "label": identity.label,
        "to": identity.to,
        "summary": head.value.get("summary", ""),
        "ts": head.value.get("ts"),
        "version": head.version,
        "transitionId": identity.transition_id,
    }
    certified = durable_certificate(head.value, identity, outcome) is not None
    pending = PENDING if head.value.get("certificationStatus") == PENDING else "none"
    return {
        "head": shown,
        "quarantine": None,
        "certification": CERTIFIED if certified else pending,
        "isRefuted": outcome is not None and not outcome.certified,
    }


def _outcomes(heads: dict[uuid.UUID, HeadReading]) -> dict[uuid.UUID, Outcome]:
    """Return the latest outcome of each head's transition; the event's id is not asked for here."""
    named = {key: head.identity.transition_id for key, head in heads.items() if head.identity}
    rows = TransitionState.objects.filter(
        workspace_id__in=named, transition_id__in=named.values(), outcome_sequence__isnull=False
    )
    return {
        row.workspace_id: Outcome(event_id="", sequence=row.outcome_sequence or 0, certified=row.outcome == CERTIFIED)
        for row in rows
        if named[row.workspace_id] == row.transition_id
    }


def _latest_activity(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID | None, dict[str, Any]]:
    latest = (
        Activity.objects.filter(workspace_id__in=ids).values("workspace_id").annotate(last=Max("pk")).values("last")
    )
    return {
        row.workspace_id: {
            "kind": row.kind,
            "name": row.name,
            "outcome": row.outcome,
            "actor": row.actor,
            "createdAt": row.created_at_ms,
        }
        for row in Activity.objects.filter(pk__in=latest)
    }
