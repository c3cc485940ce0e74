"""Runs: to look at. They are started and cancelled on their pages and through the API."""

from __future__ import annotations

from django.contrib import admin

from fabric_app.mesh.admin.cells import actor_cell, json_cell, line, moment_cell
from fabric_app.mesh.admin.reading import ReadOnlyAdmin
from fabric_app.models import Run


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "workspace", "action", "status", "why", "by", "worker", "created", "ended")
    list_select_related = ("workspace",)
    list_filter = ("status", "action", "workspace", "created_at")
    search_fields = ("worker", "arguments", "error", "requested_by")
    json_search = ("arguments", "error", "requested_by")
    ordering = ("-created_at",)
    fields = (
        "id", "workspace", "action", "status", "worker_group", "by", "created", "sent", "worker", "started",
        "heartbeat", "ended", "cancel_requested", "cancelled_by", "cancel_reason", "command_count",
        "command_index", "output_bytes", "entry_count", "arguments_shown", "plan_shown", "report_shown", "error_shown",
    )  # fmt: skip

    by = actor_cell("requested_by", "requested by")
    cancelled_by = actor_cell("cancel_requested_by", "cancel requested by")
    created = moment_cell("created_at")
    sent = moment_cell("sent_at")
    started = moment_cell("started_at")
    heartbeat = moment_cell("heartbeat_at")
    ended = moment_cell("ended_at")
    cancel_requested = moment_cell("cancel_requested_at")
    arguments_shown = json_cell("arguments")
    plan_shown = json_cell("plan")
    report_shown = json_cell("report")
    error_shown = json_cell("error")

    @admin.display(description="reason")
    def why(self, run: Run) -> str:
        return line(run.error["message"]) if run.error else "-"
