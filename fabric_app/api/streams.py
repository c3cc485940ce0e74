"""What is not JSON: live streams as server-sent events, and a run's output as it came."""

from __future__ import annotations

from uuid import UUID

from django.http import StreamingHttpResponse
from rest_framework.request import Request

from fabric_app.access import reader_of
from fabric_app.api.door import Door
from fabric_app.api.mesh import TOPIC
from fabric_app.api.runs import visible_run
from fabric_app.live import EventStream, RunStream
from fabric_app.mesh.http.reading import Query
from fabric_app.mesh.http.reference import AFTER_ENTRY, LAST_EVENT_ID, described
from fabric_app.mesh.http.renderers import EventStreamRenderer, PlainTextRenderer
from fabric_app.mesh.http.schemas import SERVER_SENT_EVENT, TEXT
from fabric_app.mesh.topics import check_topic
from fabric_app.queries_runs import stored_output


class RunTail(Door):
    renderer_classes = (EventStreamRenderer, *Door.renderer_classes)

    @described(
        "streamRun",
        "Follow a run live: progress and output as server-sent events, ended by `event: end`",
        tag="runs",
        parameters=[LAST_EVENT_ID, AFTER_ENTRY],
        responses={(200, "text/event-stream"): SERVER_SENT_EVENT},
    )
    def get(self, request: Request, run_id: UUID) -> StreamingHttpResponse:
        query = Query(request)
        query.number("after")
        query.done()
        run = visible_run(request, run_id)
        return self.tail(request, RunStream(run.pk), still_readable=reader_of(run.workspace))


class EventTail(Door):
    renderer_classes = (EventStreamRenderer, *Door.renderer_classes)

    @described(
        "streamEvents",
        "Follow the events of a workspace live, as server-sent events",
        tag="mesh",
        parameters=[LAST_EVENT_ID, AFTER_ENTRY, TOPIC],
        responses={(200, "text/event-stream"): SERVER_SENT_EVENT},
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        query = Query(request)
        topic = query.text("topic")
        query.number("after")
        query.done()
        workspace = self.workspace(slug)
        stream = EventStream(workspace.pk, topic=None if topic is None else check_topic(topic))
        return self.tail(request, stream, still_readable=reader_of(workspace))


class RunOutput(Door):
    renderer_classes = (PlainTextRenderer, *Door.renderer_classes)

    @described(
        "downloadRunOutput",
        "Download what a run's commands printed, as far as it is stored, byte for byte",
        tag="runs",
        responses={(200, "text/plain"): TEXT},
    )
    def get(self, request: Request, run_id: UUID) -> StreamingHttpResponse:
        Query(request).done()
        run = visible_run(request, run_id)
        # Never shown by a browser as anything but text: the bytes are a command's own.
        headers = {
            "Content-Disposition": f'attachment; filename="run-{run.pk}.txt"',
            "X-Content-Type-Options": "nosniff",
        }
        return StreamingHttpResponse(stored_output(run.pk), content_type="text/plain; charset=utf-8", headers=headers)
