"""Addresses of the pages, at the root of the site."""

from __future__ import annotations

from django.urls import path

from fabric_app.pages import (
    activity,
    complexity,
    home,
    mesh,
    runs,
    sign_in,
    system,
    transitions,
    verify,
    workspace,
    workspaces,
)

WORKSPACE = "workspaces/<slug:slug>/"
RUN = "runs/<uuid:run_id>/"

urlpatterns = [
    path("", home.home, name="home"),
    path("live/", home.live, name="home-live"),
    path("system/", system.system, name="system"),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-in/<str:token>/", sign_in.sign_in_link, name="sign-in-link"),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("new-workspace/", workspaces.create, name="workspace-new"),
    path(WORKSPACE, workspace.overview, name="workspace"),
    path(f"{WORKSPACE}live/", workspace.live, name="workspace-live"),
    path(f"{WORKSPACE}timeline/", workspace.history, name="timeline"),
    path(f"{WORKSPACE}transitions/new/", transitions.record, name="transition-new"),
    path(f"{WORKSPACE}goal/", transitions.goal, name="goal"),
    path(f"{WORKSPACE}verify/", verify.verify, name="verify"),
    path(f"{WORKSPACE}check-goal/", verify.check_goal, name="check-goal"),
    path(f"{WORKSPACE}runs/", runs.listing, name="runs"),
    path(f"{WORKSPACE}complexity/", complexity.ledger, name="complexity"),
    path(f"{WORKSPACE}events/", mesh.events, name="events"),
    path(f"{WORKSPACE}events/download/", mesh.download, name="events-download"),
    path(f"{WORKSPACE}events/<int:sequence>/", mesh.event, name="event"),
    path(f"{WORKSPACE}keys/", mesh.keys, name="keys"),
    path(f"{WORKSPACE}activity/", activity.activity, name="activity"),
    path(f"{WORKSPACE}settings/", workspaces.edit, name="workspace-edit"),
    path(RUN, runs.one, name="run"),
    path(f"{RUN}cancel/", runs.cancel, name="run-cancel"),
    path(f"{RUN}stream/", runs.stream, name="run-stream"),
    path(f"{RUN}window/", runs.window, name="run-window"),
]
