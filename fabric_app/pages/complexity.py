"""The ledger of decision points: what was recorded of each file, and on request what the files hold now."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.http.filters import flag
from fabric_app.mesh.http.pages import address, page, problem_of, show
from fabric_app.mesh.http.values import Pager, moment_of_ms, who
from fabric_app.models import Workspace
from fabric_app.pages.doors import in_workspace, readable
from fabric_app.pages.rows import signed
from fabric_app.pages.state_view import trend
from fabric_app.pages.workspace import audit_of
from fabric_app.protocol.arguments import ComplexityArguments
from fabric_app.queries import complexity, current_state, mesh_list
from fabric_app.queries_timeline import TimelineFilter, timeline
from fabric_app.state_keys import LEDGER_PREFIX, ledger_file

PAGE_FILES = 200
TREND_TRANSITIONS = 200


@page
@require_safe
def ledger(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the ledgers with their trend; with `now=true` each file is counted again beside its record."""
    workspace = readable(request, slug)
    after = request.GET.get("after", "")[:600].replace("\0", "")
    found = mesh_list(workspace, prefix=LEDGER_PREFIX, after=after, limit=PAGE_FILES + 1)
    shown = found[:PAGE_FILES]
    counted, problem = _counted(workspace, shown) if flag(request, "now") else ({}, None)
    totals = current_state(workspace)["complexity"]
    history = timeline(workspace, TimelineFilter(include_archived=True), size=TREND_TRANSITIONS)
    context = {
        **in_workspace(request, workspace, "complexity"),
        "files": [_row(entry, counted) for entry in shown],
        "is_counted": bool(counted),
        "problem": problem,
        "now_address": address("complexity", slug, now="true"),
        "totals": totals,
        "trend": trend(history["transitions"], total=totals["decisionPoints"]),
        "pager": Pager(
            newer=address("complexity", slug) if after else "",
            older=address("complexity", slug, after=shown[-1]["key"]) if len(found) > PAGE_FILES else "",
        ),
        **audit_of(workspace),
    }
    return show(request, "fabric_app/complexity", context, live=address("workspace-live", slug))


def _counted(workspace: Workspace, entries: list[dict[str, Any]]) -> tuple[dict[str, dict[str, Any]], Any]:
    files = tuple(ledger_file(entry["key"]) for entry in entries)
    try:
        compared = complexity(workspace, ComplexityArguments(files=files))
    except StatehouseError as error:
        return {}, problem_of(error)
    return {each["file"]: each for each in compared["files"]}, None


def _row(entry: dict[str, Any], counted: dict[str, dict[str, Any]]) -> dict[str, Any]:
    value = entry["value"] if isinstance(entry["value"], dict) else {}
    file = str(value.get("file") or ledger_file(entry["key"]))
    now = counted.get(file, {})
    return {
        "file": file,
        "language": value.get("language", ""),
        "count": value.get("count", ""),
        "last_delta": signed(value.get("lastDelta")),
        "at": moment_of_ms(value.get("ts")),
        "by": who(entry["updatedBy"]),
        "now": "missing" if now.get("missing") else now.get("current", ""),
        "delta": signed(now.get("delta")),
    }
