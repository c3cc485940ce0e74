"""The page of who may do what on one workspace: grants are given and taken back through operations alone."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from guardian.shortcuts import get_users_with_perms

from fabric_app.access import CHANGE, PERMISSIONS, require_everywhere
from fabric_app.admin.repair_views import readable, show, told
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.models import Workspace
from fabric_app.operations.accounts import grant
from fabric_app.operations.grants import withdraw


def grants(request: HttpRequest, workspace_id: uuid.UUID) -> HttpResponse:
    """Show the accounts with grants on the workspace; give and take permissions."""
    workspace = readable(request, workspace_id)
    if request.method != "POST":
        return _listed(request, workspace)
    try:
        require_everywhere(request.user, CHANGE)
        said = _carried_out(request, workspace)
    except StatehouseError as refused:
        return _listed(request, workspace, refused=refused)
    messages.success(request, said)
    return HttpResponseRedirect(reverse("admin:fabric_app_workspace_grants", args=[workspace.pk]))


def _carried_out(request: HttpRequest, workspace: Workspace) -> str:
    account = _account(request.POST.get("account", ""))
    permissions = request.POST.getlist("permissions")
    actor, now = actor_of(request.user), timezone.now()
    name = account.get_username()
    if request.POST.get("what") == "withdraw":
        withdrawn = withdraw(user=account, workspace=workspace, permissions=permissions, actor=actor, now=now)
        return f"Taken from {name}: {', '.join(withdrawn) or 'nothing, it held none of them'}."
    if not permissions:
        raise InvalidArguments([Problem("/permissions", "required", "choose at least one.")])
    grant(user=account, workspace=workspace, permissions=permissions, actor=actor, now=now)
    return f"Granted to {name}: {', '.join(permissions)}."


def _account(name: str) -> Any:
    account = get_user_model().objects.filter(username=name.replace("\0", "")).first()
    if account is None:
        raise InvalidArguments([Problem("/account", "not_allowed", "there is no account of this name.")])
    return account


def _listed(request: HttpRequest, workspace: Workspace, *, refused: StatehouseError | None = None) -> HttpResponse:
    short = {name: word for word, name in PERMISSIONS.items()}
    held: Any = get_users_with_perms(workspace, attach_perms=True, with_group_users=False)
    rows = [
        (user.get_username(), [short[name] for name in PERMISSIONS.values() if name in names])
        for user, names in sorted(held.items(), key=lambda each: each[0].get_username())
    ]
    return show(
        request,
        "grants",
        status=refused.status if refused else 200,
        title=f"Grants: {workspace.slug}",
        workspace=workspace,
        rows=rows,
        words=list(PERMISSIONS),
        refused=told(refused),
        may_grant=request.user.has_perm(f"fabric_app.{CHANGE}"),
        typed=request.POST.get("account", ""),
    )
