"""Before anything runs: the exact commands, their digest, and a button that runs those and no others."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fabric_app.access import EXECUTE
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.http.forms import KEY, given, idempotency_of, new_key, with_problems
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Field, span
from fabric_app.models import Run, RunAction, Workspace
from fabric_app.operations.requested_once import request_run_once
from fabric_app.operations.run_plan import RunArguments
from fabric_app.operations.runs import preview_run
from fabric_app.pages.doors import in_workspace, permitted
from fabric_app.pages.limits import max_timeout_ms
from fabric_app.pages.workspace import audit_of
from fabric_app.protocol.arguments import parse
from fabric_app.protocol.bounds import DEFAULT_TIMEOUT_MS
from fabric_app.queries import current_state

TITLES = {RunAction.VERIFY: "Verify", RunAction.CHECK_GOAL: "Check the goal of"}
CONTROLS = {"timeoutMs": "timeout", "labels": "label"}
MS = 1000


@page
@require_http_methods(["GET", "HEAD", "POST"])
def verify(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what a verification would run, or start it."""
    return _answer(request, slug, RunAction.VERIFY)


@page
@require_http_methods(["GET", "HEAD", "POST"])
def check_goal(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what a goal check would run, or start it."""
    return _answer(request, slug, RunAction.CHECK_GOAL)


def _answer(request: HttpRequest, slug: str, action: RunAction) -> HttpResponse:
    workspace = permitted(request, slug, EXECUTE)
    if request.method != "POST":
        return _shown(request, workspace, action, request.GET, None)
    try:
        run = _requested(request, workspace, action)
    except StatehouseError as error:
        return _shown(request, workspace, action, request.POST, error)
    return redirect("run", run_id=run.pk)


def _requested(request: HttpRequest, workspace: Workspace, action: RunAction) -> Run:
    return request_run_once(
        idempotency=idempotency_of(request),
        workspace=workspace,
        action=action,
        arguments=_arguments(action, request.POST, digest=request.POST.get("expectedEvidenceDigest", "")),
        user=request.user,
        actor=actor_of(request.user),
        now=timezone.now(),
    )


def _arguments(action: RunAction, form: QueryDict, *, digest: str = "") -> RunArguments:
    seconds = form.get("timeout", "").strip()
    typed: dict[str, Any] = {"expectedEvidenceDigest": digest}
    if seconds:
        # Not a number: left as it is, and refused by the reader with its own sentence.
        typed["timeoutMs"] = float(seconds) * MS if seconds.replace(".", "", 1).isdecimal() else seconds
    if action == RunAction.VERIFY:
        typed["labels"] = [label for label in form.getlist("label") if label.strip()]
        typed["includeArchived"] = form.get("includeArchived") in ("yes", "true")
    return cast("RunArguments", parse(action, given(typed), max_timeout_ms=max_timeout_ms()))


def _shown(
    request: HttpRequest, workspace: Workspace, action: RunAction, form: QueryDict, error: StatehouseError | None
) -> HttpResponse:
    preview = None
    try:
        preview = preview_run(workspace=workspace, action=action, arguments=_arguments(action, form))
    except StatehouseError as refusal:
        error = error or refusal
    fields, problem = with_problems(_fields(action, form), error, CONTROLS)
    context = {
        **in_workspace(request, workspace, "workspace"),
        "title": f"{TITLES[action]} {workspace.title}",
        "action": action.value,
        "here": address("verify" if action == RunAction.VERIFY else "check-goal", workspace.slug),
        "fields": fields,
        "problem": problem,
        "preview": preview,
        "timeout_words": span(preview["timeoutMs"] / MS) if preview else "",
        "kept": [(name, value) for name, values in form.lists() if name in KEPT for value in values if value],
        "recent_labels": current_state(workspace)["recentLabels"] if action == RunAction.VERIFY else [],
        KEY: new_key(),
        **audit_of(workspace),
    }
    status = 200 if error is None or request.method != "POST" else error.status
    return show(request, "fabric_app/verify", context, status=status)


KEPT = ("label", "includeArchived", "timeout")


def _fields(action: RunAction, form: QueryDict) -> list[Field]:
    usual = DEFAULT_TIMEOUT_MS // MS
    timeout = Field(
        "timeout",
        "Seconds for each command",
        form.get("timeout", ""),
        help=f"Empty: {usual}. At most {max_timeout_ms() // MS}. A command that takes longer is killed.",
    )
    if action != RunAction.VERIFY:
        return [timeout]
    is_archived = form.get("includeArchived") in ("yes", "true")
    return [
        Field(
            "label",
            "Only what this names",
            form.get("label", ""),
            help="A label, destination or origin. Empty: the current head.",
        ),
        timeout,
        Field("includeArchived", "Archived transitions too", is_archived, kind="checkbox"),
    ]
