"""Workspaces: listed for everybody who can read them, created and changed by operators."""

from __future__ import annotations

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.access import ADD, CHANGE, require_everywhere, visible_workspace, visible_workspaces
from fabric_app.api import schemas
from fabric_app.api.door import Door
from fabric_app.api.wire import activity_json, workspace_json
from fabric_app.mesh.http.preconditions import etag, version_required
from fabric_app.mesh.http.reading import Json, Query, body_of, version_in
from fabric_app.mesh.http.reference import ARCHIVED, CURSOR, IF_MATCH, LIMIT, described
from fabric_app.mesh.http.schemas import ref
from fabric_app.mesh.validation import Schema
from fabric_app.models import Workspace
from fabric_app.operations.workspaces import (
    WorkspaceChange,
    archive_workspace,
    change_workspace,
    create_workspace,
    unarchive_workspace,
)
from fabric_app.queries_activity import activity_page

EXPECTED = "expectedVersion"


class Workspaces(Door):
    @described(
        "listWorkspaces",
        "List the workspaces that you can read, by slug",
        tag="workspaces",
        parameters=[ARCHIVED, CURSOR, LIMIT],
        responses={200: ref("WorkspacePage")},
    )
    def get(self, request: Request) -> Response:
        query = Query(request)
        include_archived = query.flag("includeArchived") or False
        query.paged()
        query.done()
        asked = self.pages.asked(request, place=str)
        rows = visible_workspaces(request.user).order_by("slug")
        if not include_archived:
            rows = rows.filter(is_archived=False)
        if asked.after is not None:
            rows = rows.filter(slug__gt=asked.after)
        found = list(rows[: asked.limit + 1])
        shown = found[: asked.limit]
        next_place = shown[-1].slug if len(found) > asked.limit else None
        return Response(self.pages.page(request, map(workspace_json, shown), next_place=next_place))

    @described(
        "createWorkspace",
        "Create a workspace (operators)",
        tag="workspaces",
        body=schemas.NEW_WORKSPACE,
        responses={201: ref("Workspace")},
        headers={201: ("ETag", "Location")},
    )
    def post(self, request: Request) -> Response:
        require_everywhere(request.user, ADD)
        body = body_of(request, schemas.NEW_WORKSPACE)
        workspace = create_workspace(
            slug=body["slug"],
            title=body["title"],
            root=body.get("root", ""),
            worker_group=body.get("workerGroup", "default"),
            actor=self.actor(),
            now=self.now(),
        )
        location = reverse("api:workspace", args=[workspace.slug])
        return _answer(workspace, status=201, headers={"Location": request.build_absolute_uri(location)})


class OneWorkspace(Door):
    @described(
        "getWorkspace",
        "Read a workspace",
        tag="workspaces",
        responses={200: ref("Workspace")},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, slug: str) -> Response:
        Query(request).done()
        return _answer(self.workspace(slug))

    @described(
        "changeWorkspace",
        "Rename a workspace, give it a root or another group of workers (operators)",
        tag="workspaces",
        body=schemas.WORKSPACE_CHANGE,
        parameters=[IF_MATCH],
        responses={200: ref("Workspace")},
        headers={200: ("ETag",)},
    )
    def patch(self, request: Request, slug: str) -> Response:
        workspace, expected, body = _to_change(request, slug, schemas.WORKSPACE_CHANGE)
        change = WorkspaceChange(title=body.get("title"), root=body.get("root"), worker_group=body.get("workerGroup"))
        changed = change_workspace(
            workspace=workspace, expected=expected, change=change, actor=self.actor(), now=self.now()
        )
        return _answer(changed)


class ArchivedWorkspace(Door):
    @described(
        "archiveWorkspace",
        "Close a workspace to everything but reading and repair (operators)",
        tag="workspaces",
        body=schemas.VERSION_ONLY,
        parameters=[IF_MATCH],
        responses={200: ref("Workspace")},
        headers={200: ("ETag",)},
    )
    def post(self, request: Request, slug: str) -> Response:
        workspace, expected, _ = _to_change(request, slug, schemas.VERSION_ONLY)
        return _answer(archive_workspace(workspace=workspace, expected=expected, actor=self.actor(), now=self.now()))


class UnarchivedWorkspace(Door):
    @described(
        "unarchiveWorkspace",
        "Open an archived workspace again (operators)",
        tag="workspaces",
        body=schemas.VERSION_ONLY,
        parameters=[IF_MATCH],
        responses={200: ref("Workspace")},
        headers={200: ("ETag",)},
    )
    def post(self, request: Request, slug: str) -> Response:
        workspace, expected, _ = _to_change(request, slug, schemas.VERSION_ONLY)
        return _answer(unarchive_workspace(workspace=workspace, expected=expected, actor=self.actor(), now=self.now()))


class WorkspaceActivity(Door):
    @described(
        "listActivity",
        "List who did what in a workspace, newest first",
        tag="workspaces",
        parameters=[CURSOR, LIMIT],
        responses={200: ref("ActivityPage")},
    )
    def get(self, request: Request, slug: str) -> Response:
        query = Query(request)
        query.paged()
        query.done()
        workspace = self.workspace(slug)
        asked = self.pages.asked(request, place=int)
        found = activity_page(workspace.pk, before=asked.after, limit=asked.limit + 1)
        shown = found[: asked.limit]
        next_place = shown[-1].pk if len(found) > asked.limit else None
        return Response(self.pages.page(request, map(activity_json, shown), next_place=next_place))


def _to_change(request: Request, slug: str, schema: Schema) -> tuple[Workspace, int, Json]:
    """Return the workspace, the version that the request names, and its body, once all are in order."""
    workspace = visible_workspace(request.user, slug)
    require_everywhere(request.user, CHANGE)
    body = body_of(request, schema)
    return workspace, version_required(request, version_in(body, EXPECTED), member=EXPECTED), body


def _answer(workspace: Workspace, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(
        workspace_json(workspace), status=status, headers={"ETag": etag(workspace.version), **(headers or {})}
    )
