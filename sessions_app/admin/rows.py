"""Rows of sessions: the log and what is projected from it. Nothing here can be added, changed or deleted."""

from __future__ import annotations

from django.contrib import admin

from fabric_app.mesh.admin.cells import actor_cell, json_cell, line_cell, time_cell
from fabric_app.mesh.admin.reading import CreatedFilter, ReadOnlyAdmin
from sessions_app.models import Entity, Message, Namespace, SessionEvent, Tombstone, Turn


@admin.register(SessionEvent)
class SessionEventAdmin(ReadOnlyAdmin):
    list_display = ("session", "sequence", "kind", "data_line", "by", "created")
    list_display_links = ("sequence",)
    list_select_related = ("session",)
    list_filter = ("kind", CreatedFilter)
    search_fields = ("kind", "data", "actor")
    json_search = ("data", "actor")
    ordering = ("-id",)
    fields = ("session", "sequence", "kind", "by", "created", "data_shown", "previous_digest", "digest")

    by = actor_cell()
    created = time_cell()
    data_line = line_cell("data")
    data_shown = json_cell("data")


@admin.register(Entity)
class EntityAdmin(ReadOnlyAdmin):
    list_display = ("session", "sequence", "kind", "status", "message", "reason_line", "since")
    list_display_links = ("sequence",)
    list_select_related = ("session",)
    list_filter = ("status", "kind")
    search_fields = ("body", "reason")
    json_search = ("body", "reason")
    ordering = ("-id",)
    fields = (
        "session",
        "sequence",
        "kind",
        "status",
        "since",
        "message",
        "variant",
        "turn",
        "reason_shown",
        "body_shown",
    )

    reason_line = line_cell("reason")
    reason_shown = json_cell("reason")
    body_shown = json_cell("body")


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    list_display = ("session", "number", "role", "name", "selected", "version", "is_hidden", "is_deleted")
    list_display_links = ("number",)
    list_select_related = ("session",)
    list_filter = ("role", "is_deleted", "is_hidden")
    search_fields = ("name",)
    ordering = ("-id",)
    fields = ("session", "number", "role", "name", "selected", "version", "is_hidden", "is_deleted")


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    list_display = ("session", "number", "status", "message", "variant", "committed_sequence")
    list_display_links = ("number",)
    list_select_related = ("session",)
    list_filter = ("status",)
    ordering = ("-id",)
    fields = ("session", "number", "status", "message", "variant", "committed_sequence", "fingerprints_shown")

    fingerprints_shown = json_cell("fingerprints")


@admin.register(Namespace)
class NamespaceAdmin(ReadOnlyAdmin):
    list_display = ("session", "name", "revision", "value_line")
    list_display_links = ("name",)
    list_select_related = ("session",)
    search_fields = ("name", "value")
    json_search = ("value",)
    ordering = ("-id",)
    fields = (
        "session",
        "name",
        "revision",
        "value_shown",
        "initial_shown",
        "definition",
        "setup_shown",
        "commit_shown",
    )

    value_line = line_cell("value")
    value_shown = json_cell("value")
    initial_shown = json_cell("initial_value", "initial value")
    setup_shown = json_cell("setup")
    commit_shown = json_cell("last_commit", "last commit")


@admin.register(Tombstone)
class TombstoneAdmin(ReadOnlyAdmin):
    list_display = ("session_id", "reason_line", "by", "event_count", "erased")
    list_display_links = ("session_id",)
    search_fields = ("reason", "actor")
    json_search = ("reason", "actor")
    ordering = ("-id",)
    fields = ("session_id", "reason_shown", "by", "event_count", "log_digest", "erased")

    by = actor_cell()
    erased = time_cell("erased_at_ms", "erased")
    reason_line = line_cell("reason")
    reason_shown = json_cell("reason")
