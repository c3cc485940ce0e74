"""Runs: the list, and one run with its progress, its output as it comes, its result, and its cancellation."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from fabric_app.access import EXECUTE, READ, may, reader_of, require_held
from fabric_app.live import RunStream
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import NotFound, StatehouseError
from fabric_app.mesh.http.filters import FilterField, filter_bar, kept_query, position, row_filter
from fabric_app.mesh.http.pages import address, page, problem_of, show, tail
from fabric_app.mesh.http.values import Pager, Problem
from fabric_app.models import Run, RunAction, RunStatus
from fabric_app.operations.runs import cancel_run
from fabric_app.pages.doors import in_workspace, readable
from fabric_app.pages.rows import lines, run_row
from fabric_app.pages.run_view import pieces, run_view
from fabric_app.pages.workspace import AUDIT_LINES, audit_of
from fabric_app.queries_runs import entry_json, is_worker_listening, open_runs, run_with
from fabric_app.queries_watch import (
    OutputWindow,
    activity_page,
    command_durations,
    neighbours,
    output_window,
    runs_list,
)

PAGE_RUNS = 40
WINDOW_BYTES = 64 * 1024
WINDOW_ENTRIES = 400
REASON_CHARS = 1000


@page
@require_safe
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the runs of a workspace, filtered, newest first."""
    workspace = readable(request, slug)
    before = _older_than(request, workspace.pk)
    found = runs_list(
        [workspace.pk],
        status=row_filter(request, "status"),
        action=row_filter(request, "action"),
        before=before,
        size=PAGE_RUNS + 1,
    )
    shown = found[:PAGE_RUNS]
    query = kept_query(request, "status", "action")
    fields = (
        FilterField("status", "State", choices=tuple(RunStatus.values)),
        FilterField("action", "Action", choices=tuple(RunAction.values)),
    )
    bar = filter_bar(request, fields)
    context = {
        **in_workspace(request, workspace, "runs"),
        "bar": bar,
        "is_filtered": bar.is_narrow,
        "runs": [run_row(run) for run in shown],
        "pager": Pager(
            newer=address("runs", slug, **query) if before else "",
            older=address("runs", slug, **query, before=shown[-1].pk) if len(found) > PAGE_RUNS else "",
        ),
        **audit_of(workspace),
    }
    return show(request, "fabric_app/runs", context, live=address("workspace-live", slug))


@page
@require_safe
def one(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Show a run; with `before`, an earlier part of its output, which then stands still."""
    return _shown(request, _readable_run(request, run_id), None)


@page
@require_POST
def cancel(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Ask for the end of a run, with a reason."""
    run = _readable_run(request, run_id)
    require_held(request.user, EXECUTE, run.workspace)
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:REASON_CHARS]
    if not reason:
        return _shown(request, run, Problem("Say why the run is to end; the reason is kept."), status=400)
    try:
        cancel_run(run_id=run.pk, reason=reason, actor=actor_of(request.user), now=timezone.now())
    except StatehouseError as error:
        return _shown(request, _readable_run(request, run_id), problem_of(error), status=error.status)
    messages.success(request, "The cancellation was requested.")
    return redirect("run", run_id=run.pk)


@page
@require_safe
def stream(request: HttpRequest, run_id: UUID) -> HttpResponseBase:
    """Stream the entries of a run, from the one after the last that the reader has."""
    run = _readable_run(request, run_id)
    return tail(request, RunStream(run.pk), still_readable=reader_of(run.workspace))


@page
@require_safe
def window(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Return an earlier part of a run's output as JSON: `{entries, first, isMore}`."""
    run = _readable_run(request, run_id)
    found = _window(run, position(request, "before"))
    entries = [entry_json(entry) for entry in found.entries]
    return JsonResponse({"entries": entries, "first": found.first, "isMore": found.is_more})


def _why_it_waits(run: Run) -> dict[str, Any]:
    """Return what a queued run waits for: an earlier run of its workspace, or a worker that lives, or neither."""
    if run.status != RunStatus.QUEUED:
        return {}
    first = next(iter(open_runs([run.workspace_id])), run)
    return {
        "waits_for": address("run", first.pk) if first.pk != run.pk else "",
        "no_worker": not is_worker_listening(run.worker_group, now=timezone.now()),
    }


def _shown(request: HttpRequest, run: Run, problem: Problem | None, *, status: int = 200) -> HttpResponse:
    workspace = run.workspace
    before = position(request, "before")
    found = _window(run, before)
    earlier, later = neighbours(run)
    may_execute = may(request.user, EXECUTE, workspace)
    context: dict[str, Any] = {
        **in_workspace(request, workspace, "runs"),
        "title": f"{run.action} in {workspace.title}",
        "run": run_view(run, command_durations(run.pk) if run.is_over else {}),
        **_why_it_waits(run),
        "problem": problem,
        "may_cancel": may_execute and not run.is_over,
        "earlier_run": address("run", earlier.pk) if earlier else "",
        "later_run": address("run", later.pk) if later else "",
        "pieces": pieces(found.entries),
        "first": found.first,
        "last": found.entries[-1].sequence if found.entries else 0,
        "is_tail": before is None,
        "earlier_address": address("run", run.pk, before=found.first) if found.is_more else "",
        "window_address": address("run-window", run.pk),
        "stream_address": address("run-stream", run.pk),
        "output_address": reverse("api:run-output", args=[run.pk]),
        "audit": lines(activity_page([workspace.pk], run_id=run.pk, size=AUDIT_LINES)),
        "audit_more": address("activity", workspace.slug),
    }
    return show(request, "fabric_app/run", context, live=address("workspace-live", workspace.slug), status=status)


def _window(run: Run, before: int | None) -> OutputWindow:
    return output_window(run.pk, before=before, max_bytes=WINDOW_BYTES, max_entries=WINDOW_ENTRIES)


def _readable_run(request: HttpRequest, run_id: UUID) -> Run:
    run = run_with(run_id)
    if not may(request.user, READ, run.workspace):
        raise NotFound(what="run", name=str(run_id))
    return run


def _older_than(request: HttpRequest, workspace_id: UUID) -> Run | None:
    """Return the run that `before` names, if it names one of the workspace."""
    try:
        run = run_with(UUID(request.GET.get("before", "")))
    except (ValueError, NotFound):
        return None
    return run if run.workspace_id == workspace_id else None
