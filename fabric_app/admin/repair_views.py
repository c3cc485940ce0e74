"""Pages of what needs a person: quarantined heads, lost runs, and the repairs, each with its preview.

A refusal comes back as the same page: the sentence, the preview as it is now, and the reason that was typed.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from fabric_app.access import READ, REPAIR, may, require
from fabric_app.admin.repair_words import BLOCKS, PAGES, RepairPage, released_by
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.admin.cells import plain, pretty
from fabric_app.mesh.admin.reading import BoundedPaginator
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.models import Workspace
from fabric_app.models import RunStatus
from fabric_app.operations import repairs
from fabric_app.operations.repair_plans import LogBroken, Repair, check_log
from fabric_app.queries import quarantined_heads
from fabric_app.queries_repairs import lost_runs

LOST_RUNS_A_PAGE = 50
SILENT = "Its worker has not been heard of for longer than its lease; the next sweep ends it."


def show(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
    """Render a page of the admin."""
    full = {**admin.site.each_context(request), "opts": Workspace._meta, **context}
    return TemplateResponse(request, f"admin/fabric_app/{template}.html", full, status=status)


def readable(request: HttpRequest, workspace_id: uuid.UUID) -> Workspace:
    """Return the workspace where the account can read it. Raises Http404."""
    workspace = get_object_or_404(Workspace, pk=workspace_id)
    if not may(request.user, READ, workspace):
        raise Http404
    return workspace


def quarantined(request: HttpRequest) -> HttpResponse:
    """List the heads that are not trusted, of the workspaces that the account can read."""
    rows = [
        {
            "workspace": found.workspace,
            "reason": found.status.reason.value,
            "explanation": sentence(found.status.explanation),
            "version": found.head.version,
            "released_by": released_by(found.status.reason),
            "may_repair": may(request.user, REPAIR, found.workspace),
        }
        for found in quarantined_heads()
        if may(request.user, READ, found.workspace)
    ]
    return show(request, "quarantined", title="Quarantined heads", rows=rows, blocks=BLOCKS, pages=PAGES)


def lost(request: HttpRequest) -> HttpResponse:
    """List the runs that were lost, with the reason of each."""
    paginator = BoundedPaginator(lost_runs(request.user, now=timezone.now()), LOST_RUNS_A_PAGE)
    page = paginator.get_page(request.GET.get("page"))
    rows = [
        {
            "run": run,
            "code": run.error["code"] if run.error else "SILENT",
            "why": plain(run.error["message"]) if run.error else SILENT,
            "is_open": run.status == RunStatus.RUNNING,
        }
        for run in page
    ]
    return show(request, "lost_runs", title="Lost runs", rows=rows, page=page)


def repair(request: HttpRequest, workspace_id: uuid.UUID, action: str) -> HttpResponse:
    """Show what a repair of the head would do, and carry it out."""
    if action not in PAGES:
        raise Http404
    workspace, page = readable(request, workspace_id), PAGES[action]
    if request.method != "POST":
        return _preview(request, workspace, page)
    reason = request.POST.get("reason", "")
    try:
        require(request.user, REPAIR, workspace)
        answer = page.carry_out(
            workspace=workspace,
            expected_version=_version(request),
            seen=request.POST.get("seen") or None,
            reason=reason,
            user=request.user,
            actor=actor_of(request.user),
            now=timezone.now(),
        )
    except StatehouseError as refused:
        return _preview(request, workspace, page, refused=refused, reason=reason)
    return _done(request, workspace, page.title, answer["event"]["sequence"])


def rebuild(request: HttpRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """Show in what the projection differs from the log, and make it anew."""
    workspace = readable(request, workspace_id)
    if request.method != "POST":
        return _differences(request, workspace)
    reason = request.POST.get("reason", "")
    try:
        require(request.user, REPAIR, workspace)
        answer = repairs.rebuild_projection(
            workspace=workspace,
            reason=reason,
            user=request.user,
            actor=actor_of(request.user),
            now=timezone.now(),
        )
    except StatehouseError as refused:
        return _differences(request, workspace, refused=refused, reason=reason)
    return _done(request, workspace, "Rebuild the projection", answer["event"]["sequence"])


def sentence(text: str) -> str:
    """Return an explanation as a sentence of its own."""
    return text[:1].upper() + text[1:]


def _preview(
    request: HttpRequest,
    workspace: Workspace,
    page: RepairPage,
    *,
    refused: StatehouseError | None = None,
    reason: str = "",
) -> HttpResponse:
    found = page.preview(workspace)
    return show(
        request,
        "repair",
        status=refused.status if refused else 200,
        title=f"{page.title}: {workspace.slug}",
        workspace=workspace,
        page=page,
        pages=PAGES,
        repair=found,
        refused=told(refused),
        refusal=told(found.refusal),
        reason=reason,
        may_repair=may(request.user, REPAIR, workspace),
        before=_head(found.before),
        after=_head(found.after),
        changed=", ".join(_changed(found)),
        events=[(event["kind"], pretty(event)) for event in found.events],
    )


def _differences(
    request: HttpRequest, workspace: Workspace, *, refused: StatehouseError | None = None, reason: str = ""
) -> HttpResponse:
    refusal: StatehouseError | None = None
    try:
        check_log(workspace)
    except LogBroken as broken:
        refusal = broken
    return show(
        request,
        "rebuild",
        status=refused.status if refused else 200,
        title=f"Rebuild the projection: {workspace.slug}",
        workspace=workspace,
        found=repairs.preview_rebuild_projection(workspace),
        refused=told(refused),
        refusal=told(refusal),
        reason=reason,
        may_repair=may(request.user, REPAIR, workspace),
    )


def told(error: StatehouseError | None) -> dict[str, str] | None:
    """Return a refusal as a page shows it."""
    return None if error is None else {"code": error.code, "sentence": plain(error.sentence())}


def _done(request: HttpRequest, workspace: Workspace, title: str, sequence: int) -> HttpResponse:
    messages.success(request, f"{title}: done in {workspace.slug}. Event {sequence} says what was written.")
    return HttpResponseRedirect(reverse("admin:fabric_app_workspace_quarantined"))


def _version(request: HttpRequest) -> int:
    given = request.POST.get("expected_version", "")
    if not (given.isascii() and given.isdigit() and len(given) <= len(str(2**63))):
        raise InvalidArguments([Problem("/expected_version", "required", "name the version that you looked at.")])
    return int(given)


def _head(value: Any) -> str:
    return "no head" if value is None else pretty(value)


def _changed(found: Repair) -> list[str]:
    """Return the members of the head that the repair changes, adds or drops."""
    if not isinstance(found.before, dict) or not isinstance(found.after, dict):
        return []
    names = [*found.before, *(name for name in found.after if name not in found.before)]
    missing = object()
    return [plain(name) for name in names if found.before.get(name, missing) != found.after.get(name, missing)]
