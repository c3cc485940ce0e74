"""Creating and changing workspaces: for operators."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fabric_app.access import ADD, CHANGE, require_everywhere
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.http.forms import text, with_problems
from fabric_app.mesh.http.pages import page, show
from fabric_app.mesh.http.values import Field
from fabric_app.models import Workspace
from fabric_app.operations.workspaces import DEFAULT_GROUP, WorkspaceChange, change_workspace, create_workspace
from fabric_app.pages.doors import in_workspace, readable
from fabric_app.pages.workspace import audit_of

MAX_VERSION_DIGITS = 18
CONTROLS = {"workerGroup": "worker_group"}


@page
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """Show the form of a new workspace, or create it."""
    require_everywhere(request.user, ADD)
    if request.method != "POST":
        return _create_form(request, None)
    form = request.POST
    try:
        workspace = create_workspace(
            slug=text(form, "slug").strip(),
            title=text(form, "title").strip(),
            root=text(form, "root").strip(),
            worker_group=text(form, "worker_group").strip(),
            actor=actor_of(request.user),
            now=timezone.now(),
        )
    except StatehouseError as error:
        return _create_form(request, error)
    messages.success(request, "The workspace is there.")
    return redirect("workspace", slug=workspace.slug)


@page
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the settings of a workspace, or change them: title, root, worker group, or whether it is archived."""
    require_everywhere(request.user, CHANGE)
    workspace = readable(request, slug)
    if request.method != "POST":
        return _edit_form(request, workspace, None)
    try:
        change_workspace(
            workspace=workspace,
            expected=_version(request),
            change=_change(request),
            actor=actor_of(request.user),
            now=timezone.now(),
        )
    except StatehouseError as error:
        return _edit_form(request, readable(request, slug), error)
    messages.success(request, "The change is recorded.")
    return redirect("workspace-edit", slug=slug)


def _change(request: HttpRequest) -> WorkspaceChange:
    form = request.POST
    if "archive" in form:
        if form.get("sure") != "yes":
            raise InvalidArguments([Problem("/sure", "required", "say that you are sure.")])
        return WorkspaceChange(is_archived=form["archive"] == "yes")
    return WorkspaceChange(
        title=text(form, "title").strip(),
        root=text(form, "root").strip(),
        worker_group=text(form, "worker_group").strip(),
    )


def _version(request: HttpRequest) -> int:
    given = request.POST.get("version", "")
    # Anything else is a version that nobody can have read.
    return int(given) if given.isdecimal() and len(given) <= MAX_VERSION_DIGITS else -1


def _create_form(request: HttpRequest, error: StatehouseError | None) -> HttpResponse:
    typed = request.POST
    slug = Field(
        "slug",
        "Name in addresses",
        text(typed, "slug"),
        required=True,
        help="Letters, digits, - and _. It stays as it is.",
    )
    group = text(typed, "worker_group") if request.method == "POST" else DEFAULT_GROUP
    plain = [slug, *_usual(text(typed, "title"), text(typed, "root"), group)]
    fields, problem = with_problems(plain, error, CONTROLS)
    context = {"title": "New workspace", "fields": fields, "problem": problem}
    return show(request, "fabric_app/workspace_new", context, status=200 if error is None else error.status)


def _edit_form(request: HttpRequest, workspace: Workspace, error: StatehouseError | None) -> HttpResponse:
    is_typed = request.method == "POST" and "title" in request.POST
    typed = request.POST
    plain = (
        _usual(text(typed, "title"), text(typed, "root"), text(typed, "worker_group"))
        if is_typed
        else _usual(workspace.title, workspace.root, workspace.worker_group)
    )
    sure = Field("sure", "I am sure", kind="checkbox", required=True)
    fields, problem = with_problems([*plain, sure], error, CONTROLS)
    context: dict[str, Any] = {
        **in_workspace(request, workspace, "workspace-edit"),
        "title": f"Settings of {workspace.title}",
        "fields": fields[:-1],
        "sure": fields[-1],
        "problem": problem,
        "is_moved": is_typed and typed.get("version", "") != str(workspace.version),
        **audit_of(workspace),
    }
    return show(request, "fabric_app/workspace_edit", context, status=200 if error is None else error.status)


def _usual(title: str, root: str, group: str) -> list[Field]:
    roots = ", ".join(map(str, settings.STATEHOUSE["WORKSPACE_ROOTS"]))
    return [
        Field("title", "Title", title, required=True),
        Field("root", "Root folder", root, is_machine=True, help=f"Where commands run; at or below {roots}."),
        Field("worker_group", "Worker group", group, required=True, help="The workers that have its files."),
    ]
