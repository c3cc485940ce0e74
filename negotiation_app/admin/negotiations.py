"""Negotiations: to look at, with the ways to what waits in all of them and to the proof of their state."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.urls import URLPattern, path

from fabric_app.mesh.admin.reading import ReadOnlyAdmin
from negotiation_app.admin.repair_views import compare
from negotiation_app.admin.waiting import waiting
from negotiation_app.models import Negotiation


@admin.register(Negotiation)
class NegotiationAdmin(ReadOnlyAdmin):
    list_display = ("ref", "title", "mode", "status", "state_version", "log_sequence", "updated_at")
    list_filter = ("status", "mode", "created_at", "updated_at")
    search_fields = ("ref", "title")
    ordering = ("-updated_at", "id")
    fields = (
        "id", "ref", "title", "mode", "status", "state_version", "version", "log_sequence", "log_digest", "created_at",
        "updated_at",
    )  # fmt: skip

    def get_urls(self) -> list[URLPattern]:
        """Put these pages before Django's own, which take any word for an id."""
        guarded = self.admin_site.admin_view
        pages: list[tuple[str, Any, str]] = [
            ("waiting/", waiting, "waiting"),
            ("<uuid:negotiation_id>/compare/", compare, "compare"),
        ]
        own = [path(route, guarded(view), name=f"negotiation_app_negotiation_{name}") for route, view, name in pages]
        return [*own, *super().get_urls()]
