"""Workspaces: to look at, with the ways to their repairs and grants. Their settings are changed on their own page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.urls import URLPattern, path

from fabric_app.admin.grant_views import grants
from fabric_app.admin.repair_views import lost, quarantined, rebuild, repair
from fabric_app.mesh.admin.reading import ReadOnlyAdmin
from fabric_app.mesh.models import Workspace


@admin.register(Workspace)
class WorkspaceAdmin(ReadOnlyAdmin):
    list_display = ("slug", "title", "root", "worker_group", "is_archived", "version", "created_at")
    list_filter = ("is_archived", "worker_group", "created_at")
    search_fields = ("slug", "title", "root")
    ordering = ("slug",)
    fields = ("id", "slug", "title", "root", "worker_group", "is_archived", "version", "created_at")

    def get_urls(self) -> list[URLPattern]:
        """Put the pages of repair before Django's own, which take any word for an id."""
        guarded = self.admin_site.admin_view
        pages: list[tuple[str, Any, str]] = [
            ("quarantined/", quarantined, "quarantined"),
            ("lost-runs/", lost, "lost_runs"),
            ("<uuid:workspace_id>/repair/<slug:action>/", repair, "repair"),
            ("<uuid:workspace_id>/rebuild/", rebuild, "rebuild"),
            ("<uuid:workspace_id>/grants/", grants, "grants"),
        ]
        own = [path(route, guarded(view), name=f"fabric_app_workspace_{name}") for route, view, name in pages]
        return [*own, *super().get_urls()]
