"""The overview of a workspace, its timeline, and the stream that keeps both right."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from fabric_app.access import reader_of
from fabric_app.live import WorkspaceChanges
from fabric_app.mesh.http.filters import FilterField, filter_bar, flag, kept_query, position, split_values, values_of
from fabric_app.mesh.http.pages import address, page, show, tail
from fabric_app.mesh.http.values import Pager
from fabric_app.models import Workspace
from fabric_app.pages.doors import in_workspace, readable
from fabric_app.pages.rows import lines, run_row, transition_rows
from fabric_app.pages.state_view import certificate_view, goal_view, head_view, moves, trend
from fabric_app.queries import current_state
from fabric_app.queries_timeline import KINDS, TimelineFilter, timeline
from fabric_app.queries_watch import activity_page, latest_goal_check, runs_list

GRAPH_TRANSITIONS = 60
OVERVIEW_TRANSITIONS = 12
OVERVIEW_RUNS = 6
AUDIT_LINES = 10
PAGE_TRANSITIONS = 40
ARCHIVED = "includeArchived"


@page
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show where a workspace stands: head, graph, timeline, runs, goal, complexity."""
    workspace = readable(request, slug)
    context = {**in_workspace(request, workspace, "workspace"), **_overview(workspace)}
    return show(request, "fabric_app/workspace", context, live=address("workspace-live", slug))


@page
@require_safe
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the timeline, filtered and paged by sequence."""
    workspace = readable(request, slug)
    labels, without = split_values(values_of(request, "label"))
    kinds, without_kinds = split_values(values_of(request, "kind"))
    wanted = TimelineFilter(labels, without, kinds, without_kinds, flag(request, ARCHIVED))
    before = position(request, "before")
    state = current_state(workspace)
    found = timeline(workspace, wanted, before=before, size=PAGE_TRANSITIONS)
    query = kept_query(request, "label", "kind", ARCHIVED)
    fields = (
        FilterField("label", "Label", suggestions=tuple(state["recentLabels"])),
        FilterField("kind", "Kind", choices=tuple(KINDS)),
    )
    context = {
        **in_workspace(request, workspace, "timeline"),
        "transitions": transition_rows(
            found,
            slug=slug,
            head_id=(state["head"] or {}).get("transitionId"),
            include_archived=wanted.include_archived,
        ),
        "include_archived": wanted.include_archived,
        "is_filtered": wanted.is_narrow,
        "bar": filter_bar(request, fields, flags=[(ARCHIVED, "With archived transitions")]),
        "archived_address": address("timeline", slug, **{**query, ARCHIVED: "true"}),
        "pager": Pager(
            newer=address("timeline", slug, **query) if before is not None else "",
            older=address("timeline", slug, **query, before=found["next"]) if found["next"] else "",
        ),
        **audit_of(workspace),
    }
    return show(request, "fabric_app/timeline", context, live=address("workspace-live", slug))


@page
@require_safe
def live(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Stream `changed` whenever a page of the workspace would show something else."""
    workspace = readable(request, slug)
    return tail(request, WorkspaceChanges(workspace.pk), still_readable=reader_of(workspace))


def audit_of(workspace: Workspace) -> dict[str, Any]:
    """Return the audit trail that ends a workspace's screens."""
    return {
        "audit": lines(activity_page([workspace.pk], size=AUDIT_LINES)),
        "audit_more": address("activity", workspace.slug),
    }


def _overview(workspace: Workspace) -> dict[str, Any]:
    state = current_state(workspace)
    found = timeline(workspace, TimelineFilter(), size=GRAPH_TRANSITIONS)
    head_id = (state["head"] or {}).get("transitionId")
    rows = transition_rows(found, slug=workspace.slug, head_id=head_id)
    complexity = state["complexity"]
    # A boundary archives claims; the files they counted are the same before and after it.
    counted = timeline(workspace, TimelineFilter(include_archived=True), size=GRAPH_TRANSITIONS)
    return {
        "head": head_view(workspace, state),
        "certificate": certificate_view(workspace, state["certification"]["current"]),
        "moves": moves(rows),
        "moves_cut": found["next"] is not None,
        "transitions": rows[:OVERVIEW_TRANSITIONS],
        "archived_address": address("timeline", workspace.slug, **{ARCHIVED: "true"}),
        "is_more": len(rows) > OVERVIEW_TRANSITIONS or found["next"] is not None,
        "runs": [run_row(run) for run in runs_list([workspace.pk], size=OVERVIEW_RUNS)],
        "goal": goal_view(state["goal"], latest_goal_check(workspace.pk)),
        "complexity": {
            "files": complexity["files"],
            "decision_points": complexity["decisionPoints"],
            "last_delta": complexity["lastNetDelta"],
        },
        "trend": trend(counted["transitions"], total=complexity["decisionPoints"]),
        **audit_of(workspace),
    }
