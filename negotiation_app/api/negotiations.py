"""Negotiations: listed, made, and read: the state as it is or was, history, log, live."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem
from fabric_app.mesh.http.preconditions import etag
from fabric_app.mesh.http.reading import Query
from fabric_app.mesh.http.reference import (
    AFTER_ENTRY,
    CURSOR,
    IDEMPOTENCY_KEY,
    LAST_EVENT_ID,
    LIMIT,
    described,
    parameter,
)
from fabric_app.mesh.http.renderers import EventStreamRenderer
from fabric_app.mesh.http.schemas import OBJECT, SEQUENCE, SERVER_SENT_EVENT, Schema, ref
from negotiation_app.access import ADD, reader_of, require_everywhere
from negotiation_app.api.door import Door, key_of
from negotiation_app.live import NegotiationEntries
from negotiation_app.operations.performing import create_negotiation
from negotiation_app.protocol.errors import AppendOnly
from negotiation_app.protocol.names import Status
from negotiation_app.queries import (
    entry_json,
    entry_page,
    history_page,
    negotiation_json,
    negotiation_page,
    part_of,
    state_document,
    state_document_at,
)

# What no row ever answers to being changed; the refusal is that of any operation.
_GONE: dict[int | tuple[int, str], Schema] = {}
STATUS = parameter("status", {"type": "string", "enum": [each.value for each in Status]}, "Only those of this status.")
VERSION = parameter("version", SEQUENCE, "The state as it was at this stateVersion.")
MOMENT = parameter("at", {"type": "string", "format": "date-time"}, "The state as it was at this time.")


class Negotiations(Door):
    @described(
        "listNegotiations",
        "List the negotiations in which you have a role, by ref",
        tag="negotiations",
        parameters=[STATUS, CURSOR, LIMIT],
        responses={200: ref("NegotiationPage")},
    )
    def get(self, request: Request) -> Response:
        query = Query(request)
        status = query.text("status")
        query.paged()
        query.done()
        if status is not None and status not in set(Status):
            raise InvalidArguments([Problem("/status", "not_allowed", f"must be one of: {', '.join(Status)}.")])
        asked = self.pages.asked(request, place=str)
        found = negotiation_page(request.user, after=asked.after, limit=asked.limit + 1, status=status)
        shown = found[: asked.limit]
        next_place = shown[-1].ref if len(found) > asked.limit else None
        return Response(self.pages.page(request, map(negotiation_json, shown), next_place=next_place))

    @described(
        "createNegotiation",
        "Open a negotiation, of which you are the orchestrator",
        tag="negotiations",
        body=OBJECT,
        parameters=[IDEMPOTENCY_KEY],
        responses={201: ref("NegotiationAnswer")},
        headers={201: ("ETag", "Location")},
    )
    def post(self, request: Request) -> Response:
        require_everywhere(request.user, ADD)
        answer = create_negotiation(
            body=request.data, user=request.user, actor=self.actor(), now=self.now(), key=key_of(request)
        )
        headers = {"ETag": etag(answer["stateVersion"])}
        body = request.data
        if isinstance(body, dict) and isinstance(body.get("ref"), str):
            location = reverse("negotiations-api:negotiation", args=[body["ref"]])
            headers["Location"] = request.build_absolute_uri(location)
        return Response(answer, status=201, headers=headers)


class OneNegotiation(Door):
    @described(
        "getNegotiation",
        "Read a negotiation in short",
        tag="negotiations",
        responses={200: ref("Negotiation")},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, ref: str) -> Response:
        Query(request).done()
        negotiation, roles = self.negotiation(ref)
        told = {**negotiation_json(negotiation), "roles": sorted(roles)}
        return Response(told, headers={"ETag": etag(negotiation.state_version)})


class State(Door):
    @described(
        "getNegotiationState",
        "Read the whole canonical state, as it is, at a version or at a time",
        tag="negotiations",
        parameters=[VERSION, MOMENT],
        responses={200: OBJECT},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, ref: str) -> Response:
        query = Query(request)
        version, moment = query.number("version", least=1), query.moment("at")
        query.done()
        if version is not None and moment is not None:
            raise InvalidArguments([Problem("/at", "not_allowed", "must not stand beside version.")])
        negotiation, _ = self.negotiation(ref)
        if moment is None:
            told = state_document(negotiation, now=self.now(), version=version)
        else:
            told = state_document_at(negotiation, moment=min(moment, self.now()))
        return Response(told, headers={"ETag": etag(told["negotiation"]["stateVersion"])})


class History(Door):
    @described(
        "listNegotiationHistory",
        "List the history events of a negotiation in order, each with its changes and its ten steps",
        tag="negotiations",
        parameters=[CURSOR, LIMIT],
        responses={200: ref("NegotiationEventPage")},
    )
    def get(self, request: Request, ref: str) -> Response:
        query = Query(request)
        query.paged()
        query.done()
        negotiation, _ = self.negotiation(ref)
        asked = self.pages.asked(request, place=int)
        found = history_page(negotiation, after=asked.after or 0, limit=asked.limit + 1)
        shown = found[: asked.limit]
        next_place = shown[-1]["seq"] if len(found) > asked.limit else None
        return Response(self.pages.page(request, shown, next_place=next_place))


class Log(Door):
    @described(
        "listNegotiationEntries",
        "List the log of a negotiation in order: every accepted write with the rows that it wrote",
        tag="negotiations",
        parameters=[CURSOR, LIMIT],
        responses={200: ref("NegotiationEntryPage")},
    )
    def get(self, request: Request, ref: str) -> Response:
        query = Query(request)
        query.paged()
        query.done()
        negotiation, _ = self.negotiation(ref)
        asked = self.pages.asked(request, place=int)
        found = entry_page(negotiation, after=asked.after or 0, limit=asked.limit + 1)
        shown = found[: asked.limit]
        next_place = shown[-1].sequence if len(found) > asked.limit else None
        return Response(self.pages.page(request, map(entry_json, shown), next_place=next_place))


class LogTail(Door):
    renderer_classes = (EventStreamRenderer, *Door.renderer_classes)

    @described(
        "streamNegotiationEntries",
        "Follow the log of a negotiation live, as server-sent events",
        tag="negotiations",
        parameters=[LAST_EVENT_ID, AFTER_ENTRY],
        responses={(200, "text/event-stream"): SERVER_SENT_EVENT},
    )
    def get(self, request: Request, ref: str) -> StreamingHttpResponse:
        query = Query(request)
        query.number("after")
        query.done()
        negotiation, _ = self.negotiation(ref)
        return self.tail(request, NegotiationEntries(negotiation.pk), still_readable=reader_of(negotiation))


class Row(Door):
    """One part of the canonical state under its own address; nobody changes or deletes it there."""

    @described(
        "getNegotiationRow",
        "Read one part of the state, such as `concessions/c1` or `boundaries/price/FLOOR`",
        tag="negotiations",
        responses={200: OBJECT},
    )
    def get(self, request: Request, ref: str, target: str) -> Response:
        Query(request).done()
        negotiation, _ = self.negotiation(ref)
        found = part_of(state_document(negotiation, now=self.now()), target)
        if found is None:
            raise NotFound(what="part of the state", name=target[:200])
        return Response({"path": target, "value": found}, headers={"ETag": etag(negotiation.state_version)})

    @described(
        "replaceNegotiationRow", "Refused: rows are append-only", tag="negotiations", body=OBJECT, responses=_GONE
    )
    def put(self, _request: Request, ref: str, target: str) -> Response:
        return self._refused(ref, target)

    @described(
        "changeNegotiationRow", "Refused: rows are append-only", tag="negotiations", body=OBJECT, responses=_GONE
    )
    def patch(self, _request: Request, ref: str, target: str) -> Response:
        return self._refused(ref, target)

    @described("deleteNegotiationRow", "Refused: rows are append-only", tag="negotiations", responses=_GONE)
    def delete(self, _request: Request, ref: str, target: str) -> Response:
        return self._refused(ref, target)

    def _refused(self, ref: str, target: str) -> Response:
        self.negotiation(ref)
        raise AppendOnly(target=target[:200])
