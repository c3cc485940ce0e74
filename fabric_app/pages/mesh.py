"""The mesh as it is stored: events as a list and raw, one event, the whole log as a download, and keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import NotFound
from fabric_app.mesh.http.filters import FilterField, filter_bar, flag, kept_query, position, row_filter
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Pager, moment_of_ms, who
from fabric_app.mesh.topics import event_json
from fabric_app.models import Event, Workspace
from fabric_app.pages.doors import in_workspace, readable
from fabric_app.pages.state_view import pretty
from fabric_app.pages.workspace import audit_of
from fabric_app.queries import mesh_list, mesh_read
from fabric_app.queries_watch import event_at, events_page

PAGE_EVENTS = 50
PAGE_KEYS = 100
TEXT_CHARS = 300
STATE_KINDS = (
    "transition",
    "transition.committed",
    "transition.rejected",
    "state.certified",
    "state.violated",
    "state.goal.met",
    "state.repaired",
)


@page
@require_safe
def events(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the events of the log, newest first: as rows, or raw (`view=raw`)."""
    workspace = readable(request, slug)
    is_raw = request.GET.get("view") == "raw"
    before = position(request, "before")
    found = events_page(
        workspace.pk,
        topics=row_filter(request, "topic"),
        kinds=row_filter(request, "kind"),
        before=before,
        size=PAGE_EVENTS + 1,
    )
    shown = found[:PAGE_EVENTS]
    query = {**kept_query(request, "topic", "kind"), "view": "raw" if is_raw else ""}
    fields = (FilterField("topic", "Topic"), FilterField("kind", "Kind", suggestions=STATE_KINDS))
    bar = filter_bar(request, fields, kept=[("view", "raw")] if is_raw else ())
    context = {
        **in_workspace(request, workspace, "events"),
        "bar": bar,
        "is_filtered": bar.is_narrow,
        "is_raw": is_raw,
        "rows_address": address("events", slug, **{**query, "view": ""}, before=before),
        "raw_address": address("events", slug, **{**query, "view": "raw"}, before=before),
        "events": [_row(event, slug, is_raw=is_raw) for event in shown],
        "pager": Pager(
            newer=address("events", slug, **query) if before else "",
            older=address("events", slug, **query, before=shown[-1].sequence) if len(found) > PAGE_EVENTS else "",
        ),
        **audit_of(workspace),
    }
    return show(request, "fabric_app/events", context, live=address("workspace-live", slug))


@page
@require_safe
def event(request: HttpRequest, slug: str, sequence: int) -> HttpResponse:
    """Show one event, whole unless it is larger than a page can bear (`whole=true` shows the rest)."""
    workspace = readable(request, slug)
    row = event_at(workspace.pk, sequence)
    if row is None:
        raise NotFound(what="event", name=str(sequence))
    value = event_json(row)
    text = pretty(value, is_whole=flag(request, "whole"))
    data = row.data if isinstance(row.data, dict) else {}
    context = {
        **in_workspace(request, workspace, "events"),
        "title": f"Event {sequence} of {workspace.title}",
        "event": _row(row, slug, is_raw=False),
        "digest": row.digest,
        "pretty": text,
        "is_cut": not flag(request, "whole") and text != pretty(value, is_whole=True),
        "whole_address": address("event", slug, sequence, whole="true"),
        "summary": data.get("summary", "") if row.kind == "transition" else "",
        "evidence": [each for each in data.get("evidence") or () if isinstance(each, str)],
        "reasons": [str(each.get("message", "")) for each in data.get("reasons") or () if isinstance(each, dict)],
        "targets": [_target(workspace, each) for each in data.get("targets") or () if isinstance(each, dict)],
        "earlier": address("event", slug, sequence - 1) if sequence > 1 else "",
        "later": address("event", slug, sequence + 1) if event_at(workspace.pk, sequence + 1) else "",
        **audit_of(workspace),
    }
    return show(request, "fabric_app/event", context)


@page
@require_safe
def download(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the whole log as JSON, an event a line, in the form of the API."""
    workspace = readable(request, slug)
    headers = {"Content-Disposition": f'attachment; filename="{workspace.slug}-events.jsonl"'}
    return StreamingHttpResponse(_all_events(workspace), content_type="application/x-ndjson", headers=headers)


@page
@require_safe
def keys(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the keys with their values and versions, in order."""
    workspace = readable(request, slug)
    prefix = request.GET.get("prefix", "").strip()[:600].replace("\0", "")
    after = request.GET.get("after", "")[:600].replace("\0", "")
    found = mesh_list(workspace, prefix=prefix, after=after, limit=PAGE_KEYS + 1)
    shown = found[:PAGE_KEYS]
    context = {
        **in_workspace(request, workspace, "events"),
        "prefix": prefix,
        "keys": [
            {
                "key": each["key"],
                "version": each["version"],
                "at": moment_of_ms(each["updatedAt"]),
                "by": who(each["updatedBy"]),
                "pretty": pretty(each["value"]),
            }
            for each in shown
        ],
        "pager": Pager(
            newer=address("keys", slug, prefix=prefix) if after else "",
            older=address("keys", slug, prefix=prefix, after=shown[-1]["key"]) if len(found) > PAGE_KEYS else "",
        ),
        **audit_of(workspace),
    }
    return show(request, "fabric_app/keys", context, live=address("workspace-live", slug))


def _row(event: Event, slug: str, *, is_raw: bool) -> dict[str, Any]:
    data = event.data if isinstance(event.data, dict) else {}
    told = event.text if isinstance(event.text, str) else data.get("label") or data.get("error") or ""
    return {
        "sequence": event.sequence,
        "address": address("event", slug, event.sequence),
        "topic": event.topic,
        "kind": event.kind,
        "actor": who(event.actor),
        "to": event.to or "",
        "at": moment_of_ms(event.created_at_ms),
        "text": str(told)[:TEXT_CHARS],
        "raw": pretty(event_json(event)) if is_raw else "",
    }


def _target(workspace: Workspace, target: dict[str, Any]) -> dict[str, str]:
    return {
        "label": str(target.get("label", "")),
        "to": str(target.get("to", "")),
        "address": address("timeline", workspace.slug, label=str(target.get("label", "")), includeArchived="true"),
    }


def _all_events(workspace: Workspace) -> Iterator[bytes]:
    after = 0
    while found := mesh_read(workspace, after=after, limit=200):
        after = found[-1]["sequence"]
        yield b"".join(dumps(each).encode("utf-8", "replace") + b"\n" for each in found)
