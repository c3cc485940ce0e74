"""Signing in and out. A one-time link is spent by pressing a button: programs that look at links spend none."""

from __future__ import annotations

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.http.pages import problem_of, show
from fabric_app.mesh.http.values import Field, Problem
from fabric_app.mesh.sign_in_links import use_sign_in_link

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"
NO_MATCH = Problem("This name and password do not belong together, or the account is switched off.")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in by name and password, and go on to the page that asked for it."""
    name = request.POST.get("username", "")
    if request.method != "POST":
        if request.user.is_authenticated:
            return redirect(_next(request))
        return _form(request, name, None)
    # No account is named with NUL, and PostgreSQL cannot be asked for one.
    user = None if "\0" in name else authenticate(request, username=name, password=request.POST.get("password", ""))
    if user is None:
        return _form(request, name, NO_MATCH)
    login(request, user)
    return redirect(_next(request))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show the button of a one-time link, or spend the link."""
    if request.method != "POST":
        return show(request, "fabric_app/sign_in_link", {"title": "Sign in"})
    try:
        user = use_sign_in_link(token, now=timezone.now())
    except StatehouseError as error:
        return show(
            request, "fabric_app/sign_in_link", {"title": "Sign in", "problem": problem_of(error)}, status=error.status
        )
    login(request, user, backend=MODEL_BACKEND)
    return redirect("home")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return redirect("sign-in")


def _form(request: HttpRequest, name: str, problem: Problem | None) -> HttpResponse:
    context = {
        "title": "Sign in",
        "problem": problem,
        "next": _next(request),
        "fields": [
            Field("username", "Account", name[:150], required=True, autocomplete="username"),
            Field("password", "Password", kind="password", required=True, autocomplete="current-password"),
        ],
    }
    return show(request, "fabric_app/sign_in", context, status=200 if problem is None else 400)


def _next(request: HttpRequest) -> str:
    """Return the page to go on to; another site's address is not followed."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure()):
        return wanted
    return reverse("home")
