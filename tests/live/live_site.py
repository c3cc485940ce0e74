"""The product's streams under addresses that ask nobody who they are: for tests of the tails alone."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path

from fabric_app.live import EventStream, FabricChanges, RunStream, WorkspaceChanges
from fabric_app.mesh.tails import sse_response
from sessions_app.live import SessionChanges, SessionEvents, SessionsChanges


def run(request: HttpRequest, run_id: uuid.UUID) -> StreamingHttpResponse:
    return sse_response(request, RunStream(run_id), still_allowed=lambda: True)


def events(request: HttpRequest, workspace_id: uuid.UUID) -> StreamingHttpResponse:
    return sse_response(request, EventStream(workspace_id, topic=request.GET.get("topic")), still_allowed=lambda: True)


def changes(request: HttpRequest, workspace_id: uuid.UUID) -> StreamingHttpResponse:
    return sse_response(request, WorkspaceChanges(workspace_id), still_allowed=lambda: True)


def fabric(request: HttpRequest) -> StreamingHttpResponse:
    return sse_response(request, FabricChanges(), still_allowed=lambda: True)


def session_events(request: HttpRequest, session_id: uuid.UUID) -> StreamingHttpResponse:
    return sse_response(request, SessionEvents(session_id), still_allowed=lambda: True)


def session_changes(request: HttpRequest, session_id: uuid.UUID) -> StreamingHttpResponse:
    return sse_response(request, SessionChanges(session_id), still_allowed=lambda: True)


def sessions(request: HttpRequest) -> StreamingHttpResponse:
    return sse_response(request, SessionsChanges(), still_allowed=lambda: True)


urlpatterns = [
    path("runs/<uuid:run_id>/", run),
    path("events/<uuid:workspace_id>/", events),
    path("changes/<uuid:workspace_id>/", changes),
    path("fabric/", fabric),
    path("session-events/<uuid:session_id>/", session_events),
    path("session-changes/<uuid:session_id>/", session_changes),
    path("sessions/", sessions),
]
