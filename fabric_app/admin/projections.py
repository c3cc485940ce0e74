"""Rows that are made from the log, or that the product keeps for itself: to look at. The log says what they hold."""

from __future__ import annotations

from django.contrib import admin

from fabric_app.mesh.admin.cells import actor_cell, json_cell, line, line_cell, time_cell
from fabric_app.mesh.admin.reading import ReadOnlyAdmin
from fabric_app.mesh.models import KeyEntry, LogHead
from fabric_app.models import Certificate, CertificateTarget, IdempotencyRecord, TransitionState, WorkerSeen


@admin.register(LogHead)
class LogHeadAdmin(ReadOnlyAdmin):
    list_display = ("workspace", "event_sequence", "key_sequence", "event_digest")
    list_select_related = ("workspace",)
    search_fields = ("workspace__slug",)
    ordering = ("workspace__slug",)
    fields = ("workspace", "event_sequence", "event_digest", "key_sequence", "key_digest")


@admin.register(KeyEntry)
class KeyEntryAdmin(ReadOnlyAdmin):
    list_display = ("workspace", "key", "version", "is_deleted", "value_line", "by", "updated")
    list_display_links = ("key",)
    list_select_related = ("workspace",)
    list_filter = ("workspace", "is_deleted")
    search_fields = ("key", "value")
    json_search = ("value",)
    ordering = ("workspace_id", "key")
    fields = ("workspace", "key", "version", "is_deleted", "by", "updated", "value_shown")

    by = actor_cell("updated_by")
    updated = time_cell("updated_at_ms", "updated at")
    value_line = line_cell("value")
    value_shown = json_cell("value")


@admin.register(TransitionState)
class TransitionStateAdmin(ReadOnlyAdmin):
    list_display = (
        "workspace", "sequence", "label", "phase", "is_visible", "is_representation", "net_delta", "outcome",
    )  # fmt: skip
    list_display_links = ("sequence",)
    list_select_related = ("workspace",)
    list_filter = ("workspace", "is_visible", "is_representation", "outcome")
    search_fields = ("transition_id", "record")
    json_search = ("record",)
    ordering = ("-id",)
    fields = (
        "workspace", "transition_id", "sequence", "phase", "is_visible", "is_representation", "net_delta",
        "committed_sequence", "rejected_sequence", "outcome", "outcome_sequence", "record_shown",
    )  # fmt: skip

    record_shown = json_cell("record")

    @admin.display(description="label → to")
    def label(self, row: TransitionState) -> str:
        record = row.record or {}
        return line(f"{record.get('label', '-')} → {record.get('to', '-')}")


@admin.register(Certificate)
class CertificateAdmin(ReadOnlyAdmin):
    list_display = ("workspace", "sequence", "event_id")
    list_display_links = ("sequence",)
    list_select_related = ("workspace",)
    list_filter = ("workspace",)
    search_fields = ("value",)
    json_search = ("value",)
    ordering = ("-workspace_id", "-sequence")
    fields = ("event", "workspace", "sequence", "value_shown")

    value_shown = json_cell("value")


@admin.register(CertificateTarget)
class CertificateTargetAdmin(ReadOnlyAdmin):
    list_display = ("id", "workspace", "transition_id", "certificate_id")
    list_select_related = ("workspace",)
    list_filter = ("workspace",)
    search_fields = ("transition_id",)
    ordering = ("-id",)
    fields = ("certificate", "workspace", "transition_id")


@admin.register(WorkerSeen)
class WorkerSeenAdmin(ReadOnlyAdmin):
    list_display = ("name", "worker_group", "seen_at", "started_at")
    list_filter = ("worker_group", "seen_at")
    search_fields = ("name",)
    ordering = ("-seen_at",)
    fields = ("name", "worker_group", "seen_at", "started_at")


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(ReadOnlyAdmin):
    list_display = ("user", "key", "status", "created_at")
    list_display_links = ("key",)
    list_select_related = ("user",)
    list_filter = ("status", "created_at")
    search_fields = ("key", "user__username")
    ordering = ("-id",)
    fields = ("user", "key", "request_digest", "status", "created_at", "answer_shown")

    answer_shown = json_cell("answer")
