"""Recording a transition, and setting the goal, by hand."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fabric_app.access import FORCE, REPRESENT, WRITE, may, require
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.http.forms import KEY, given, idempotency_of, lines, new_key, text, with_problems, words
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Field
from fabric_app.models import Workspace
from fabric_app.operations.goals import set_goal
from fabric_app.operations.transitions import record_transition
from fabric_app.pages.doors import in_workspace, permitted
from fabric_app.pages.limits import max_timeout_ms
from fabric_app.pages.state_view import head_view
from fabric_app.pages.workspace import audit_of
from fabric_app.protocol.arguments import GoalArguments, TransitionArguments, parse
from fabric_app.queries import current_state

KINDS = (("state", "state: a step"), ("representation", "representation: archives everything before it"))
CONTROLS = {"complexity": "files"}


@page
@require_http_methods(["GET", "HEAD", "POST"])
def record(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form, or record what it says; a conflict shows the same form with the newer head beside it."""
    workspace = permitted(request, slug, WRITE)
    if request.method != "POST":
        return _record_form(request, workspace, None)
    try:
        recorded = _record(request, workspace)
    except StatehouseError as error:
        return _record_form(request, workspace, error)
    messages.success(request, f"Recorded: {recorded['event']['data']['label']}.")
    return redirect("workspace", slug=slug)


@page
@require_http_methods(["GET", "HEAD", "POST"])
def goal(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the goal's form, or set the goal."""
    workspace = permitted(request, slug, WRITE)
    if request.method != "POST":
        return _goal_form(request, workspace, None)
    try:
        arguments = parse(
            "goal",
            {"check": text(request.POST, "check"), **given({"description": text(request.POST, "description")})},
            max_timeout_ms=max_timeout_ms(),
        )
        set_goal(
            workspace=workspace,
            arguments=cast("GoalArguments", arguments),
            actor=actor_of(request.user),
            now=timezone.now(),
        )
    except StatehouseError as error:
        return _goal_form(request, workspace, error)
    messages.success(request, "The goal is set.")
    return redirect("workspace", slug=slug)


def _record(request: HttpRequest, workspace: Workspace) -> dict[str, Any]:
    arguments = cast("TransitionArguments", parse("transition", _typed(request), max_timeout_ms=max_timeout_ms()))
    if arguments.force:
        require(request.user, FORCE, workspace)
    if arguments.kind == "representation":
        require(request.user, REPRESENT, workspace)
    return record_transition(
        workspace=workspace,
        arguments=arguments,
        actor=actor_of(request.user),
        now=timezone.now(),
        idempotency=idempotency_of(request),
    )


def _typed(request: HttpRequest) -> dict[str, Any]:
    form = request.POST
    files = lines(form, "files")
    optional = {
        "from": text(form, "from"),
        "evidence": lines(form, "evidence"),
        "tags": words(form, "tags"),
        "kind": form.get("kind", ""),
        "complexity": {"files": files} if files else None,
        "force": form.get("force") == "yes",
    }
    return {**{name: text(form, name) for name in ("label", "to", "summary")}, **given(optional)}


def _record_form(request: HttpRequest, workspace: Workspace, error: StatehouseError | None) -> HttpResponse:
    state = current_state(workspace)
    head = head_view(workspace, state)
    typed = request.POST if request.method == "POST" else None
    fields, problem = with_problems(_record_fields(request, workspace, typed, head), error, CONTROLS)
    is_moved = typed is not None and typed.get("seenVersion", "") != str(head.get("version", ""))
    context = {
        **in_workspace(request, workspace, "workspace"),
        "title": f"Record a transition in {workspace.title}",
        "fields": fields,
        "problem": problem,
        "head": head,
        "is_moved": is_moved,
        # A form that was refused left nothing behind, so that its next sending is a new request.
        KEY: new_key(),
        **audit_of(workspace),
    }
    return show(
        request,
        "fabric_app/transition_form",
        context,
        live=address("workspace-live", workspace.slug),
        status=200 if error is None else error.status,
    )


def _record_fields(request: HttpRequest, workspace: Workspace, typed: Any, head: dict[str, Any]) -> list[Field]:
    def value(name: str, default: str = "") -> str:
        return default if typed is None else text(typed, name)

    fields = [
        Field(
            "label",
            "Label",
            value("label"),
            required=True,
            help="The name of this step, for example applied-auth-patch.",
        ),
        Field(
            "from",
            "From",
            value("from", head.get("to", "")),
            help="Where the head has to stand. Empty: wherever it stands.",
        ),
        Field("to", "To", value("to"), required=True, help="Where the head stands afterwards."),
        Field(
            "summary",
            "Claim",
            value("summary"),
            kind="textarea",
            rows=3,
            required=True,
            help="What holds now, in your words.",
        ),
        Field(
            "evidence",
            "Evidence",
            value("evidence"),
            kind="textarea",
            rows=4,
            is_machine=True,
            help="One command a line; one that ends in a backslash goes on. They run only when somebody verifies.",
        ),
        Field("tags", "Tags", value("tags"), help="Parted by commas."),
        Field(
            "files",
            "Files to count",
            value("files"),
            kind="textarea",
            rows=2,
            is_machine=True,
            help="One path a line, from the workspace's root. Their decision points are counted now.",
        ),
    ]
    if may(request.user, REPRESENT, workspace):
        fields.append(Field("kind", "Kind", value("kind", "state"), kind="select", required=True, choices=KINDS))
    if may(request.user, FORCE, workspace):
        is_forced = typed is not None and typed.get("force") == "yes"
        fields.append(
            Field("force", "Record it although the head stands elsewhere (force)", is_forced, kind="checkbox")
        )
    return fields


def _goal_form(request: HttpRequest, workspace: Workspace, error: StatehouseError | None) -> HttpResponse:
    stored = current_state(workspace)["goal"] or {}
    typed = request.POST if request.method == "POST" else None

    def value(name: str) -> str:
        return str(stored.get(name, "")) if typed is None else text(typed, name)

    plain = [
        Field(
            "check",
            "Check",
            value("check"),
            kind="textarea",
            rows=3,
            required=True,
            is_machine=True,
            help="A shell command. The goal is met when it exits with 0.",
        ),
        Field("description", "Description", value("description"), help="In words, for people."),
    ]
    fields, problem = with_problems(plain, error, {})
    context = {
        **in_workspace(request, workspace, "workspace"),
        "title": f"Goal of {workspace.title}",
        "fields": fields,
        "problem": problem,
        **audit_of(workspace),
    }
    return show(request, "fabric_app/goal_form", context, status=200 if error is None else error.status)
