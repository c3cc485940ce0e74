"""The home page: what needs a person, counts, workspaces, latest activity; and the stream that keeps it right."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from fabric_app.access import ADD, visible_workspaces
from fabric_app.live import FabricChanges
from fabric_app.mesh.http.filters import flag, position
from fabric_app.mesh.http.home import contributions
from fabric_app.mesh.http.pages import address, page, show, tail
from fabric_app.mesh.http.values import Pager, moment_of_ms
from fabric_app.models import Run, RunStatus
from fabric_app.pages.attention import needs_of
from fabric_app.pages.rows import lines, progress_words
from fabric_app.pages.state_view import head_state
from fabric_app.pages.states import run_state
from fabric_app.queries import workspace_summaries
from fabric_app.queries_watch import activity_page, latest_ended_badly, open_runs, queues

PAGE_WORKSPACES = 40
ACTIVITY_LINES = 12
BAD_RUNS = 20


@page
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what needs attention, and every workspace that the account can read."""
    visible = list(visible_workspaces(request.user))
    by_slug = {workspace.slug: workspace for workspace in visible}
    ids = [workspace.pk for workspace in visible]
    summaries = workspace_summaries(request.user)
    runs = {run.workspace.slug: run for run in open_runs(ids).values()}
    seen = settings.STATEHOUSE["WORKER_SEEN_SECONDS"]
    needs = needs_of(
        summaries=[summary for summary in summaries if not summary["isArchived"]],
        bad_runs=latest_ended_badly(ids, size=BAD_RUNS),
        queues=queues(now=timezone.now(), alive_seconds=seen),
        groups={workspace.worker_group for workspace in visible if not workspace.is_archived and workspace.root},
        now=timezone.now(),
    )
    others = contributions(request)
    context = {
        "title": "Home",
        "place": "home",
        "needs": [*needs, *(need for part in others for need in part.needs)],
        "counts": [*_counts(summaries, runs), *(count for part in others for count in part.counts)],
        "others": others,
        **_listed(request, [summary for summary in summaries if summary["slug"] in by_slug], runs),
        "may_create": request.user.has_perm(f"fabric_app.{ADD}"),
        "audit": lines(activity_page(ids, size=ACTIVITY_LINES), with_workspace=True),
        "refresh_seconds": 15,
    }
    return show(request, "fabric_app/home", context, live=address("home-live"))


@page
@require_safe
def live(request: HttpRequest) -> HttpResponseBase:
    """Stream `changed` whenever the home page may show something else."""
    return tail(request, FabricChanges())


def _listed(request: HttpRequest, summaries: list[dict[str, Any]], runs: dict[str, Run]) -> dict[str, Any]:
    name, archived = request.GET.get("name", "").strip()[:100], flag(request, "archived")
    wanted = name.casefold()
    fitting = [
        summary
        for summary in summaries
        if (archived or not summary["isArchived"])
        and (wanted in summary["title"].casefold() or wanted in summary["slug"].casefold())
    ]
    start = position(request, "from") or 0
    more = start + PAGE_WORKSPACES
    query = {"name": name, "archived": "yes" if archived else ""}
    return {
        "workspaces": [_row(summary, runs.get(summary["slug"])) for summary in fitting[start:more]],
        "filter": {"name": name, "archived": archived},
        "pager": Pager(
            newer=address("home", **query) if start else "",
            older=address("home", **query, **{"from": more}) if len(fitting) > more else "",
        ),
    }


def _row(summary: dict[str, Any], run: Run | None) -> dict[str, Any]:
    head = summary["head"] or {}
    latest = summary["lastActivity"]
    return {
        "address": address("workspace", summary["slug"]),
        "title": summary["title"],
        "is_archived": summary["isArchived"],
        "to": head.get("to", ""),
        "label": head.get("label", ""),
        "state": head_state(
            has_head=bool(head),
            is_quarantined=summary["quarantine"] is not None,
            certification=summary["certification"],
            is_refuted=summary["isRefuted"],
        ),
        "run": {"address": address("run", run.pk), "state": run_state(run.status), "progress": progress_words(run)}
        if run
        else None,
        "at": moment_of_ms(latest["createdAt"]) if latest else None,
    }


def _counts(summaries: list[dict[str, Any]], runs: dict[str, Run]) -> list[dict[str, Any]]:
    active = [summary for summary in summaries if not summary["isArchived"]]
    certified = sum(summary["certification"] == "certified" for summary in active)
    headed = sum(summary["head"] is not None for summary in active)
    running = sum(run.status == RunStatus.RUNNING for run in runs.values())
    return [
        {"word": "workspaces", "number": len(active)},
        {"word": "heads certified", "number": certified},
        {"word": "heads not certified", "number": headed - certified},
        {"word": "quarantined", "number": sum(summary["quarantine"] is not None for summary in active)},
        {"word": "runs at work", "number": running},
        {"word": "open runs in all", "number": sum(summary["openRuns"] for summary in summaries)},
    ]
