"""What stands beside the canonical state: artefacts, kept answers, who was given which role, and e-mails to send."""

from __future__ import annotations

from django.contrib import admin

from fabric_app.mesh.admin.cells import actor_cell, json_cell, line_cell, time_cell
from fabric_app.mesh.admin.reading import CreatedFilter, ReadOnlyAdmin
from negotiation_app.models import Artefact, KeptAnswer, NotificationMail, RoleGrant


@admin.register(Artefact)
class ArtefactAdmin(ReadOnlyAdmin):
    list_display = ("negotiation", "sequence", "state_version", "form", "digest")
    list_display_links = ("sequence",)
    list_select_related = ("negotiation",)
    list_filter = ("form",)
    search_fields = ("digest", "text")
    ordering = ("-id",)
    fields = ("negotiation", "sequence", "state_version", "form", "digest", "text_line")

    text_line = line_cell("text")


@admin.register(KeptAnswer)
class KeptAnswerAdmin(ReadOnlyAdmin):
    list_display = ("negotiation", "key", "answer_line", "created_at")
    list_display_links = ("key",)
    list_select_related = ("negotiation",)
    list_filter = ("created_at",)
    search_fields = ("key", "answer")
    json_search = ("answer",)
    ordering = ("-id",)
    fields = ("negotiation", "key", "request_digest", "created_at", "answer_shown")

    answer_line = line_cell("answer")
    answer_shown = json_cell("answer")


@admin.register(RoleGrant)
class RoleGrantAdmin(ReadOnlyAdmin):
    list_display = ("negotiation", "account", "role", "is_granted", "reason_line", "by", "created")
    list_display_links = ("account",)
    list_select_related = ("negotiation",)
    list_filter = ("role", "is_granted", CreatedFilter)
    search_fields = ("account", "role", "reason", "actor")
    json_search = ("actor",)
    ordering = ("-id",)
    fields = ("negotiation", "account", "role", "is_granted", "reason", "by", "created")

    by = actor_cell()
    created = time_cell()
    reason_line = line_cell("reason")


@admin.register(NotificationMail)
class NotificationMailAdmin(ReadOnlyAdmin):
    list_display = ("negotiation", "notification", "user", "attempts", "next_try_at", "sent_at", "error_line")
    list_display_links = ("notification",)
    list_select_related = ("negotiation", "user")
    list_filter = ("sent_at",)
    search_fields = ("notification", "error")
    ordering = ("-id",)
    fields = ("negotiation", "notification", "user", "attempts", "next_try_at", "sent_at", "error")

    error_line = line_cell("error")
