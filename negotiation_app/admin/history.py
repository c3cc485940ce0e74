"""What negotiations recorded: the log, its rows kind by kind, and the current rows projected from them."""

from __future__ import annotations

from django.contrib import admin

from fabric_app.mesh.admin.cells import actor_cell, json_cell, line_cell, time_cell
from fabric_app.mesh.admin.reading import CreatedFilter, ReadOnlyAdmin
from negotiation_app.models import CurrentRow, HistoryRow, NegotiationEntry


@admin.register(NegotiationEntry)
class NegotiationEntryAdmin(ReadOnlyAdmin):
    list_display = ("negotiation", "sequence", "operation", "data_line", "by", "created")
    list_display_links = ("sequence",)
    list_select_related = ("negotiation",)
    list_filter = ("operation", CreatedFilter)
    search_fields = ("operation", "data", "actor")
    json_search = ("data", "actor")
    ordering = ("-id",)
    fields = ("negotiation", "sequence", "operation", "by", "created", "data_shown", "previous_digest", "digest")

    by = actor_cell()
    created = time_cell()
    data_line = line_cell("data")
    data_shown = json_cell("data")


@admin.register(*HistoryRow.__subclasses__())
class HistoryRowAdmin(ReadOnlyAdmin):
    """One kind of protected rows, each as an entry wrote it."""

    list_display = ("negotiation", "key", "sequence", "row_line")
    list_display_links = ("key",)
    list_select_related = ("negotiation",)
    search_fields = ("key", "row")
    json_search = ("row",)
    ordering = ("-id",)
    fields = ("negotiation", "key", "sequence", "row_shown")

    row_line = line_cell("row")
    row_shown = json_cell("row")


@admin.register(CurrentRow)
class CurrentRowAdmin(ReadOnlyAdmin):
    list_display = ("negotiation", "table", "key", "sequence", "row_line")
    list_display_links = ("key",)
    list_select_related = ("negotiation",)
    list_filter = ("table",)
    search_fields = ("table", "key", "row")
    json_search = ("row",)
    ordering = ("-id",)
    fields = ("negotiation", "table", "key", "sequence", "row_shown")

    row_line = line_cell("row")
    row_shown = json_cell("row")
