"""What every page needs: an account, an answer for each refusal, and one template for first load and refresh alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect

from fabric_app.access import may, require, visible_workspace
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.streams import Stream
from fabric_app.mesh.tails import sse_response
from fabric_app.models import Workspace
from fabric_app.pages.values import Problem, Tab
from fabric_app.standing import standing_of

View = Callable[..., HttpResponseBase]

TABS = (
    ("Overview", "workspace"),
    ("Timeline", "timeline"),
    ("Runs", "runs"),
    ("Complexity", "complexity"),
    ("Mesh", "events"),
    ("Activity", "activity"),
)


def page(view: View) -> View:
    """Make a view a page: it needs an account, and a typed error becomes a page with the API's sentence."""

    @wraps(view)
    def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        try:
            return view(request, *args, **kwargs)
        except StatehouseError as error:
            return refused(request, error)

    return door


def readable(request: HttpRequest, slug: str) -> Workspace:
    """Return the workspace where the account can read it. Raises NotFound."""
    return visible_workspace(request.user, slug)


def tail(request: HttpRequest, stream: Stream, workspace: Workspace | None = None) -> HttpResponseBase:
    """Return a live stream that ends where the account, its session or its permission does."""
    stands = standing_of(request.user, session=request.session, workspace=workspace)
    return sse_response(request, stream, still_allowed=stands)


def permitted(request: HttpRequest, slug: str, permission: str) -> Workspace:
    """Return the workspace where the account holds the permission. Raises NotFound, NotPermitted, WorkspaceArchived."""
    workspace = visible_workspace(request.user, slug)
    require(request.user, permission, workspace)
    return workspace


def show(
    request: HttpRequest, template: str, context: dict[str, Any], *, live: str = "", status: int = 200
) -> HttpResponse:
    """Render `fabric_app/<template>.html`, or its parts alone (`_<template>.html`) where htmx asks for a refresh.

    live: the address of the stream that tells when the page has to be fetched again; empty for pages that stand still.
    """
    htmx = request.htmx  # type: ignore[attr-defined]  # set by django_htmx's middleware
    is_refresh = live != "" and bool(htmx) and not htmx.history_restore_request
    name = f"fabric_app/_{template}.html" if is_refresh else f"fabric_app/{template}.html"
    full = {
        **context,
        "live_address": live,
        "here_address": request.get_full_path(),
        "parts": f"fabric_app/_{template}.html",
    }
    response = render(request, name, full, status=status)
    patch_vary_headers(response, ["HX-Request"])
    response["Cache-Control"] = "no-store"
    return response


def in_workspace(request: HttpRequest, workspace: Workspace, here: str) -> dict[str, Any]:
    """Return what every page of a workspace prints: its name, its tabs, and what the account may do."""
    names = [*TABS, ("Settings", "workspace-edit")] if request.user.has_perm("fabric_app.change_workspace") else TABS
    is_open = not workspace.is_archived
    return {
        "workspace": workspace,
        "tabs": [Tab(word, reverse(name, args=[workspace.slug]), name == here) for word, name in names],
        "may_write": is_open and may(request.user, "write_workspace", workspace),
        "may_execute": is_open and may(request.user, "execute_workspace", workspace),
        "may_repair": may(request.user, "repair_workspace", workspace),
        "title": workspace.title,
    }


def refused(request: HttpRequest, error: StatehouseError) -> HttpResponse:
    """Return the page that says why something was refused."""
    return show(request, "refused", {"title": "Refused", "problem": problem_of(error)}, status=error.status)


def problem_of(error: StatehouseError) -> Problem:
    """Return the refusal in the API's words."""
    return Problem(sentence=error.sentence(), code=error.code, details=error.details)


def address(name: str, *args: Any, **query: Any) -> str:
    """Return the address of a page; query values that are empty are left out."""
    given = {key: value for key, value in query.items() if value not in (None, "", False)}
    return reverse(name, args=args) + (f"?{urlencode(given, doseq=True)}" if given else "")


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    if request.htmx:  # type: ignore[attr-defined]  # set by django_htmx's middleware
        return HttpResponseClientRedirect(reverse("sign-in"))
    return redirect_to_login(request.get_full_path(), reverse("sign-in"))
