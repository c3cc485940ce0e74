"""Sessions: to look at, with the ways to the repair of what is quarantined and to the proof of their state."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.urls import URLPattern, path

from fabric_app.mesh.admin.cells import json_cell
from fabric_app.mesh.admin.reading import ReadOnlyAdmin
from sessions_app.admin.repair_views import compare, quarantined, repair
from sessions_app.models import Session


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ("title", "id", "revision", "log_sequence", "epoch", "version", "updated_at")
    list_filter = ("created_at", "updated_at")
    search_fields = ("title",)
    ordering = ("-updated_at", "id")
    fields = (
        "id", "title", "revision", "epoch", "version", "log_sequence", "log_digest", "tail_count", "origin_shown",
        "created_at", "updated_at",
    )  # fmt: skip

    origin_shown = json_cell("origin")

    def get_urls(self) -> list[URLPattern]:
        """Put the pages of repair before Django's own, which take any word for an id."""
        guarded = self.admin_site.admin_view
        pages: list[tuple[str, Any, str]] = [
            ("quarantined/", quarantined, "quarantined"),
            ("<uuid:session_id>/entities/<int:sequence>/<slug:action>/", repair, "repair"),
            ("<uuid:session_id>/compare/", compare, "compare"),
        ]
        own = [path(route, guarded(view), name=f"sessions_app_session_{name}") for route, view, name in pages]
        return [*own, *super().get_urls()]
