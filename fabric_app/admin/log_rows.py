"""Append-only rows: events, key versions, entries of runs, activity. Nothing here can be added, changed or deleted.

Lists follow an index: events by workspace and sequence, the rest by their own number. Activity is the one in the order
of time across workspaces.
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from fabric_app.mesh.admin.cells import actor_cell, block, cut, json_cell, line, line_cell, time_cell
from fabric_app.mesh.admin.reading import CreatedFilter, ReadOnlyAdmin
from fabric_app.mesh.models import Event, KeyVersion
from fabric_app.models import Activity, RunEntry
from fabric_app.protocol.certificates import STATE_CERTIFIED, STATE_VIOLATED
from fabric_app.protocol.effects import TRANSITION_COMMITTED, TRANSITION_REJECTED
from fabric_app.protocol.records import TRANSITION
from fabric_app.protocol.repairs import REPAIRED

STATE_KINDS = (
    TRANSITION,
    TRANSITION_COMMITTED,
    TRANSITION_REJECTED,
    STATE_CERTIFIED,
    STATE_VIOLATED,
    "state.goal.met",
    REPAIRED,
)


class StateKindFilter(admin.SimpleListFilter):
    """Events of one kind of the state layer."""

    title = "kind"
    parameter_name = "state-kind"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(kind, kind) for kind in STATE_KINDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Event]) -> QuerySet[Event]:
        return queryset.filter(kind=self.value()) if self.value() in STATE_KINDS else queryset


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ("workspace", "sequence", "topic", "kind", "text_line", "by", "created")
    list_display_links = ("sequence",)
    list_select_related = ("workspace",)
    list_filter = ("workspace", StateKindFilter, CreatedFilter)
    search_fields = ("topic", "kind", "to", "text", "data")
    json_search = ("text", "data")
    ordering = ("-workspace_id", "-sequence")
    fields = (
        "id", "workspace", "sequence", "topic", "kind", "to", "by", "created", "text_shown", "data_shown",
        "previous_digest", "digest",
    )  # fmt: skip

    by = actor_cell()
    created = time_cell()
    text_line = line_cell("text")
    text_shown = json_cell("text")
    data_shown = json_cell("data")


@admin.register(KeyVersion)
class KeyVersionAdmin(ReadOnlyAdmin):
    list_display = ("workspace", "sequence", "key", "version", "is_deletion", "value_line", "by", "created")
    list_display_links = ("sequence",)
    list_select_related = ("workspace",)
    list_filter = ("workspace", "is_deletion", CreatedFilter)
    search_fields = ("key", "value")
    json_search = ("value",)
    ordering = ("-id",)
    fields = (
        "workspace", "sequence", "key", "version", "is_deletion", "by", "created", "value_shown",
        "previous_digest", "digest",
    )  # fmt: skip

    by = actor_cell()
    created = time_cell()
    value_line = line_cell("value")
    value_shown = json_cell("value")


@admin.register(RunEntry)
class RunEntryAdmin(ReadOnlyAdmin):
    list_display = ("run", "sequence", "kind", "command_index", "content", "created")
    list_display_links = ("sequence",)
    list_select_related = ("run",)
    list_filter = ("kind", CreatedFilter)
    ordering = ("-id",)
    fields = ("run", "sequence", "kind", "command_index", "created", "data_shown", "output_shown")

    created = time_cell()
    data_shown = json_cell("data")

    @admin.display
    def content(self, entry: RunEntry) -> str:
        return line(entry.data) if entry.output is None else line(_decoded(entry))

    @admin.display(description="output")
    def output_shown(self, entry: RunEntry) -> str:
        return "-" if entry.output is None else block(cut(_decoded(entry)))


@admin.register(Activity)
class ActivityAdmin(ReadOnlyAdmin):
    list_display = ("id", "workspace", "kind", "name_line", "outcome", "by", "created")
    list_select_related = ("workspace",)
    list_filter = ("workspace", CreatedFilter)
    search_fields = ("kind", "outcome", "name", "detail", "actor")
    json_search = ("name", "detail", "actor")
    ordering = ("-id",)
    fields = (
        "workspace", "kind", "name_shown", "outcome", "by", "created", "detail_shown", "run", "event_sequence",
    )  # fmt: skip

    by = actor_cell()
    created = time_cell()
    name_line = line_cell("name")
    name_shown = json_cell("name")
    detail_shown = json_cell("detail")


def _decoded(entry: RunEntry) -> str:
    return bytes(entry.output or b"").decode(errors="replace")
