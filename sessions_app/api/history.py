"""The log of a session: its events, live and one by one, and its entities with the repair of those in quarantine."""

from __future__ import annotations

from uuid import UUID

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem
from fabric_app.mesh.http.reading import Query, body_of
from fabric_app.mesh.http.reference import AFTER_ENTRY, CURSOR, IF_MATCH, LAST_EVENT_ID, LIMIT, described, parameter
from fabric_app.mesh.http.renderers import EventStreamRenderer
from fabric_app.mesh.http.schemas import SERVER_SENT_EVENT, TEXT, ref
from sessions_app.access import REPAIR, reader_of
from sessions_app.api import bodies
from sessions_app.api.door import Door, expected
from sessions_app.live import SessionEvents
from sessions_app.models import SessionEvent
from sessions_app.operations import quarantine
from sessions_app.protocol.events import EntityStatus, EventKind
from sessions_app.queries import entity_page, event_json, event_page, event_with_changes, settled

KIND = parameter("kind", {"type": "array", "items": TEXT}, "Only events of this kind; may be repeated.")
STATUS = parameter(
    "status", {"type": "string", "enum": [each.value for each in EntityStatus]}, "Only entities of this status."
)


class Events(Door):
    @described(
        "listSessionEvents",
        "List the events of a session, in order",
        tag="sessions",
        parameters=[KIND, CURSOR, LIMIT],
        responses={200: ref("SessionEventPage")},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        query = Query(request)
        kinds = query.texts("kind") or []
        query.paged()
        query.done()
        if not set(kinds) <= set(EventKind):
            detail = f"must be one of: {', '.join(EventKind)}."
            raise InvalidArguments([Problem("/kind", "not_allowed", detail)])
        session = self.session(session_id)
        asked = self.pages.asked(request, place=int)
        found = event_page(session, after=asked.after or 0, limit=asked.limit + 1, kinds=kinds)
        shown = found[: asked.limit]
        next_place = shown[-1].sequence if len(found) > asked.limit else None
        return Response(self.pages.page(request, map(event_json, shown), next_place=next_place))


class OneEvent(Door):
    @described(
        "getSessionEvent",
        "Read an event with what it did to the state, path by path",
        tag="sessions",
        responses={200: ref("SessionEventWithChanges")},
    )
    def get(self, request: Request, session_id: UUID, sequence: int) -> Response:
        Query(request).done()
        session = self.session(session_id)
        event = SessionEvent.objects.filter(session_id=session.pk, sequence=sequence).first()
        if event is None:
            raise NotFound(what="event", name=str(sequence))
        return Response(settled(session, lambda session: event_with_changes(session, event))[1])


class EventTail(Door):
    renderer_classes = (EventStreamRenderer, *Door.renderer_classes)

    @described(
        "streamSessionEvents",
        "Follow the events of a session live, as server-sent events",
        tag="sessions",
        parameters=[LAST_EVENT_ID, AFTER_ENTRY],
        responses={(200, "text/event-stream"): SERVER_SENT_EVENT},
    )
    def get(self, request: Request, session_id: UUID) -> StreamingHttpResponse:
        query = Query(request)
        query.number("after")
        query.done()
        session = self.session(session_id)
        return self.tail(request, SessionEvents(session.pk), still_readable=reader_of(session))


class Entities(Door):
    @described(
        "listEntities",
        "List the entities of a session's state, in order: bootstrap, configurations, turn commits",
        tag="sessions",
        parameters=[STATUS, CURSOR, LIMIT],
        responses={200: ref("EntityPage")},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        query = Query(request)
        status = query.text("status")
        query.paged()
        query.done()
        if status is not None and status not in set(EntityStatus):
            detail = f"must be one of: {', '.join(EntityStatus)}."
            raise InvalidArguments([Problem("/status", "not_allowed", detail)])
        session = self.session(session_id)
        asked = self.pages.asked(request, place=int)
        wanted = None if status is None else EntityStatus(status)
        found = entity_page(session, after=asked.after or 0, limit=asked.limit + 1, status=wanted)
        shown = found[: asked.limit]
        next_place = shown[-1]["sequence"] if len(found) > asked.limit else None
        return Response(self.pages.page(request, shown, next_place=next_place))


class ReleasePreview(Door):
    @described(
        "previewRelease",
        "See what releasing an entity from quarantine would change; nothing is kept",
        tag="sessions",
        responses={200: ref("ActPreview")},
    )
    def post(self, request: Request, session_id: UUID, sequence: int) -> Response:
        session = self.session(session_id)
        body_of(request, bodies.NOTHING)
        _, told = settled(session, lambda session: quarantine.preview_release(session=session, sequence=sequence))
        return Response(told)


class Release(Door):
    @described(
        "releaseEntity",
        "Let a quarantined entity count again at its old place",
        tag="sessions",
        body=bodies.REPAIR,
        parameters=[IF_MATCH],
        responses={200: ref("Act")},
    )
    def post(self, request: Request, session_id: UUID, sequence: int) -> Response:
        session = self.session(session_id, REPAIR)
        body = body_of(request, bodies.REPAIR)
        version = expected(request, body)
        released = quarantine.release_from_quarantine(
            sequence=sequence, reason=body["reason"], expected_version=version, **self.here(session)
        )
        return Response(released)


class SkipPreview(Door):
    @described(
        "previewSkip",
        "See what setting an entity aside for good would change; nothing is kept",
        tag="sessions",
        responses={200: ref("ActPreview")},
    )
    def post(self, request: Request, session_id: UUID, sequence: int) -> Response:
        session = self.session(session_id)
        body_of(request, bodies.NOTHING)
        _, told = settled(session, lambda session: quarantine.preview_skip(session=session, sequence=sequence))
        return Response(told)


class Skip(Door):
    @described(
        "skipEntity",
        "Set a quarantined entity aside for good",
        tag="sessions",
        body=bodies.REPAIR,
        parameters=[IF_MATCH],
        responses={200: ref("Act")},
    )
    def post(self, request: Request, session_id: UUID, sequence: int) -> Response:
        session = self.session(session_id, REPAIR)
        body = body_of(request, bodies.REPAIR)
        version = expected(request, body)
        skipped = quarantine.skip_quarantined(
            sequence=sequence, reason=body["reason"], expected_version=version, **self.here(session)
        )
        return Response(skipped)
