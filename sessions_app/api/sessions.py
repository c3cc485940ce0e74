"""Sessions: listed, made, read, renamed, forked, written out and erased."""

from __future__ import annotations

from uuid import UUID

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.http.preconditions import etag, idempotency
from fabric_app.mesh.http.reading import Query, body_of
from fabric_app.mesh.http.reference import CURSOR, IDEMPOTENCY_KEY, IF_MATCH, LIMIT, described, parameter
from fabric_app.mesh.http.schemas import TEXT, ref
from sessions_app.access import ADD, ERASE, WRITE, require_everywhere
from sessions_app.api import bodies
from sessions_app.api.door import Door, expected
from sessions_app.api.problems import within
from sessions_app.models import Session
from sessions_app.operations.documents import export_session
from sessions_app.operations.erasing import erase_session
from sessions_app.operations.forks import fork_session
from sessions_app.operations.sessions import create_session, rename_session
from sessions_app.queries import place_of, session_page, sessions_json, settled
from sessions_app.stored_state import stored_projection

TITLE = parameter("title", TEXT, "Only sessions whose title contains this, in any case.")


class Sessions(Door):
    @described(
        "listSessions",
        "List the sessions that you can read, the newest first",
        tag="sessions",
        parameters=[TITLE, CURSOR, LIMIT],
        responses={200: ref("SessionPage")},
    )
    def get(self, request: Request) -> Response:
        query = Query(request)
        title = query.text("title")
        query.paged()
        query.done()
        asked = self.pages.asked(request, place=str)
        found = session_page(request.user, after=asked.after, limit=asked.limit + 1, title=title)
        shown = found[: asked.limit]
        next_place = place_of(shown[-1]) if len(found) > asked.limit else None
        return Response(self.pages.page(request, sessions_json(shown), next_place=next_place))

    @described(
        "createSession",
        "Make a session, with its first namespaces or without any",
        tag="sessions",
        body=bodies.NEW_SESSION,
        parameters=[IDEMPOTENCY_KEY],
        responses={201: ref("NewSession")},
        headers={201: ("Location",)},
    )
    def post(self, request: Request) -> Response:
        require_everywhere(request.user, ADD)
        body = body_of(request, bodies.NEW_SESSION)
        key = idempotency(request, body)
        with within("/bootstrap"):
            made = create_session(
                title=body["title"], bootstrap=body.get("bootstrap"), idempotency=key, **self.caller()
            )
        return _made(request, made)


class OneSession(Door):
    @described(
        "getSession",
        "Read a session with its state",
        tag="sessions",
        responses={200: ref("SessionWithState")},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        Query(request).done()
        return _answer(self.session(session_id))

    @described(
        "renameSession",
        "Give a session another title",
        tag="sessions",
        body=bodies.SESSION_CHANGE,
        parameters=[IF_MATCH],
        responses={200: ref("SessionWithState")},
        headers={200: ("ETag",)},
    )
    def patch(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.SESSION_CHANGE)
        version = expected(request, body)
        rename_session(title=body["title"], expected_version=version, **self.here(session))
        return _answer(self.session(session_id))

    @described(
        "eraseSession",
        "Erase a session whole; what stays is a tombstone with digests (operators)",
        tag="sessions",
        body=bodies.ERASURE,
        parameters=[IF_MATCH],
        responses={200: ref("ErasedSession")},
    )
    def delete(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id, ERASE)
        body = body_of(request, bodies.ERASURE)
        version = expected(request, body)
        return Response(erase_session(reason=body["reason"], expected_version=version, **self.here(session)))


class Fork(Door):
    @described(
        "forkSession",
        "Make a session that begins as this one was up to a message, or as it is",
        tag="sessions",
        body=bodies.FORK,
        parameters=[IDEMPOTENCY_KEY],
        responses={201: ref("NewSession")},
        headers={201: ("Location",)},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id)
        require_everywhere(request.user, ADD)
        body = body_of(request, bodies.FORK)
        made = fork_session(
            session=session,
            message=_number(body.get("message")),
            title=body["title"],
            idempotency=idempotency(request, body),
            **self.caller(),
        )
        return _made(request, made)


class Export(Door):
    @described(
        "exportSession",
        "Read a whole session as one document, which can be read in again",
        tag="sessions",
        responses={200: ref("SessionDocument")},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        Query(request).done()
        document = export_session(self.session(session_id))
        headers = {"Content-Disposition": f'attachment; filename="session-{session_id}.json"'}
        return Response(document, headers=headers)


def _number(value: float | None) -> int | None:
    return None if value is None else int(value)


def _made(request: Request, made: dict[str, str]) -> Response:
    location = reverse("sessions-api:session", args=[made["id"]])
    return Response(made, status=201, headers={"Location": request.build_absolute_uri(location)})


def _answer(session: Session) -> Response:
    found, projection = settled(session, stored_projection)
    told = {**sessions_json([found])[0], "projection": projection.as_json()}
    return Response(told, headers={"ETag": etag(found.version)})
