"""The admin's name, and its door: accounts sign in on the product's own page, with a link or a password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.urls import reverse


def sign_in(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Send people to the sign-in page and back; refuse an account that is signed in and is no staff."""
    del extra_context
    if request.user.is_authenticated and not admin.site.has_permission(request):
        raise PermissionDenied
    wanted = request.GET.get("next") or reverse("admin:index")
    return redirect_to_login(wanted, resolve_url(settings.LOGIN_URL))


admin.site.site_header = "Statehouse admin"
admin.site.site_title = "Statehouse admin"
admin.site.index_title = "Records"
# The first operator has no password: a link is all that signs it in.
admin.site.login = sign_in  # type: ignore[method-assign]
