"""What every page needs: an account, an answer for each refusal, and one template for first load and refresh alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.http.standing import standing_of
from fabric_app.mesh.http.values import Problem
from fabric_app.mesh.streams import Stream
from fabric_app.mesh.tails import sse_response

View = Callable[..., HttpResponseBase]


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


def tail(
    request: HttpRequest, stream: Stream, *, still_readable: Callable[[Any], bool] | None = None
) -> HttpResponseBase:
    """Return a live stream that ends where the account, its session or its permission (`still_readable`) does."""
    stands = standing_of(request.user, session=request.session, still_readable=still_readable)
    return sse_response(request, stream, still_allowed=stands)


def show(
    request: HttpRequest, template: str, context: dict[str, Any], *, live: str = "", status: int = 200
) -> HttpResponse:
    """Render `<template>.html`, or its parts alone (`_<name>.html` beside it) where htmx asks for a refresh.

    template: folder and name, as in `fabric_app/home`.
    live: the address of the stream that tells when the page has to be fetched again; empty for pages that stand still.
    """
    htmx = request.htmx  # type: ignore[attr-defined]  # set by django_htmx's middleware
    is_refresh = live != "" and bool(htmx) and not htmx.history_restore_request
    whole = f"{template}.html"
    parts = str(PurePosixPath(whole).with_name(f"_{PurePosixPath(whole).name}"))
    full = {
        **context,
        "live_address": live,
        "here_address": request.get_full_path(),
        "parts": parts,
    }
    response = render(request, parts if is_refresh else whole, full, status=status)
    patch_vary_headers(response, ["HX-Request"])
    response["Cache-Control"] = "no-store"
    return response


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
