"""World books and their versions, to look at; they are changed on their own pages."""

from __future__ import annotations

from django.contrib import admin

from fabric_app.mesh.admin.cells import actor_cell, json_cell, time_cell
from fabric_app.mesh.admin.reading import CreatedFilter, ReadOnlyAdmin
from sessions_app.models import WorldBook, WorldBookVersion


@admin.register(WorldBook)
class WorldBookAdmin(ReadOnlyAdmin):
    list_display = ("title", "version", "is_archived", "created_at", "updated_at")
    list_filter = ("is_archived", "created_at")
    search_fields = ("title", "entries")
    json_search = ("entries",)
    ordering = ("title", "id")
    fields = ("id", "title", "version", "is_archived", "created_at", "updated_at", "entries_shown", "original_shown")

    entries_shown = json_cell("entries")
    original_shown = json_cell("original")


@admin.register(WorldBookVersion)
class WorldBookVersionAdmin(ReadOnlyAdmin):
    list_display = ("book", "version", "title", "is_archived", "by", "created")
    list_display_links = ("version",)
    list_select_related = ("book",)
    list_filter = ("is_archived", CreatedFilter)
    search_fields = ("title", "entries")
    json_search = ("entries",)
    ordering = ("-id",)
    fields = ("book", "version", "title", "is_archived", "by", "created", "entries_shown")

    by = actor_cell()
    created = time_cell()
    entries_shown = json_cell("entries")
