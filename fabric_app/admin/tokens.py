"""Bearer tokens and sign-in links: neither can be read back; a token can be revoked."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.admin.reading import ReadOnlyAdmin
from fabric_app.models import ServiceToken, SignInLink
from fabric_app.operations.accounts import revoke_token

MANAGES_ACCOUNTS = "auth.change_user"


@admin.register(ServiceToken)
class ServiceTokenAdmin(ReadOnlyAdmin):
    list_display = ("name", "user", "created_at", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("user",)
    list_filter = ("expires_at", "revoked_at")
    search_fields = ("name", "user__username")
    ordering = ("-created_at",)
    fields = ("id", "user", "name", "created_at", "expires_at", "revoked_at", "last_used_at")
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(MANAGES_ACCOUNTS)

    @admin.action(description="Revoke selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ServiceToken]) -> HttpResponse | None:
        """Ask first, then revoke each; one that is revoked already stays as it is."""
        tokens = list(queryset.select_related("user"))
        if "confirmed" not in request.POST:
            context: dict[str, Any] = {
                **self.admin_site.each_context(request),
                "title": "Revoke tokens",
                "opts": self.opts,
                "tokens": tokens,
            }
            return TemplateResponse(request, "admin/fabric_app/revoke_tokens.html", context)
        for token in tokens:
            revoke_token(token_id=token.pk, now=timezone.now(), actor=actor_of(request.user))
        self.message_user(request, f"Revoked: {len(tokens)}.", messages.SUCCESS)
        return None


@admin.register(SignInLink)
class SignInLinkAdmin(ReadOnlyAdmin):
    list_display = ("id", "user", "created_at", "expires_at", "used_at")
    list_select_related = ("user",)
    list_filter = ("expires_at", "used_at")
    search_fields = ("user__username",)
    ordering = ("-id",)
    fields = ("user", "created_at", "expires_at", "used_at")
