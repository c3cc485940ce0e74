"""Who did what, when and why: the whole audit trail of a workspace."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from fabric_app.mesh.http.filters import FilterField, filter_bar, kept_query, position, row_filter
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Pager
from fabric_app.pages.doors import in_workspace, readable
from fabric_app.pages.rows import lines
from fabric_app.queries_watch import activity_page

PAGE_LINES = 50
KINDS = ("transition", "verify", "checkGoal", "goal", "workspace.changed", "permission.granted", "repair")


@page
@require_safe
def activity(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the activity of a workspace, filtered, newest first."""
    workspace = readable(request, slug)
    before = position(request, "before")
    found = activity_page([workspace.pk], kinds=row_filter(request, "kind"), before=before, size=PAGE_LINES + 1)
    shown = found[:PAGE_LINES]
    query = kept_query(request, "kind")
    bar = filter_bar(request, [FilterField("kind", "Kind", suggestions=KINDS)])
    context = {
        **in_workspace(request, workspace, "activity"),
        "bar": bar,
        "is_filtered": bar.is_narrow,
        "audit": lines(shown),
        "pager": Pager(
            newer=address("activity", slug, **query) if before else "",
            older=address("activity", slug, **query, before=shown[-1].pk) if len(found) > PAGE_LINES else "",
        ),
    }
    return show(request, "fabric_app/activity", context, live=address("workspace-live", slug))
