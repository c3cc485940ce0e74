"""Addresses of the fabric's API, below `/api/v1/`.

Plural nouns, a trailing slash, a verb only where an act has no noun. A key is the rest of its address, slashes
included, so that it has no trailing slash.
"""

from __future__ import annotations

from django.urls import path

from fabric_app.api import mesh, runs, state, streams, workspaces

app_name = "api"
WORKSPACE = "workspaces/<str:slug>/"
RUN = "runs/<uuid:run_id>/"

urlpatterns = [
    path("workspaces/", workspaces.Workspaces.as_view(), name="workspaces"),
    path(WORKSPACE, workspaces.OneWorkspace.as_view(), name="workspace"),
    path(f"{WORKSPACE}archive/", workspaces.ArchivedWorkspace.as_view(), name="workspace-archive"),
    path(f"{WORKSPACE}unarchive/", workspaces.UnarchivedWorkspace.as_view(), name="workspace-unarchive"),
    path(f"{WORKSPACE}activity/", workspaces.WorkspaceActivity.as_view(), name="activity"),
    path(f"{WORKSPACE}state/", state.State.as_view(), name="state"),
    path(f"{WORKSPACE}transitions/", state.Transitions.as_view(), name="transitions"),
    path(f"{WORKSPACE}complexity/", state.Complexity.as_view(), name="complexity"),
    path(f"{WORKSPACE}goal/", state.Goal.as_view(), name="goal"),
    path(f"{WORKSPACE}runs/", runs.Runs.as_view(), name="runs"),
    path(f"{WORKSPACE}runs/preview/", runs.RunPreview.as_view(), name="run-preview"),
    path(f"{WORKSPACE}events/", mesh.Events.as_view(), name="events"),
    path(f"{WORKSPACE}events/stream/", streams.EventTail.as_view(), name="events-stream"),
    path(f"{WORKSPACE}keys/", mesh.Keys.as_view(), name="keys"),
    path(f"{WORKSPACE}keys/<path:key>", mesh.Key.as_view(), name="key"),
    path(RUN, runs.OneRun.as_view(), name="run"),
    path(f"{RUN}cancel/", runs.CancelledRun.as_view(), name="run-cancel"),
    path(f"{RUN}entries/", runs.RunEntries.as_view(), name="run-entries"),
    path(f"{RUN}stream/", streams.RunTail.as_view(), name="run-stream"),
    path(f"{RUN}output/", streams.RunOutput.as_view(), name="run-output"),
]
