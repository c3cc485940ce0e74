"""Turns: begun, committed (or corrected, where a commit was refused), cancelled; and configurations of the state."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.errors import InvalidArguments, Problem
from fabric_app.mesh.http.preconditions import InvalidHeader, idempotency
from fabric_app.mesh.http.reading import Json, Query, body_of
from fabric_app.mesh.http.reference import IDEMPOTENCY_KEY, IF_MATCH, described
from fabric_app.mesh.http.schemas import ref
from fabric_app.mesh.idempotency import Idempotency
from sessions_app.access import CONFIGURE, CORRECT, WRITE
from sessions_app.api import bodies
from sessions_app.api.door import Door, expected
from sessions_app.api.problems import within
from sessions_app.models import Session
from sessions_app.operations import commits, configurations, turns
from sessions_app.operations.loading import turn_of
from sessions_app.queries import settled, turn_json


class Turns(Door):
    @described(
        "beginTurn",
        "Begin a reply of the assistant: a message that the turn's commit completes",
        tag="sessions",
        body=bodies.NEW_TURN,
        parameters=[IDEMPOTENCY_KEY],
        responses={201: ref("BegunTurn")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.NEW_TURN)
        begun = turns.begin_turn(
            name=body.get("name", ""), idempotency=idempotency(request, body), **self.here(session)
        )
        return Response(begun, status=201)


class OneTurn(Door):
    @described("getTurn", "Read how a turn stands", tag="sessions", responses={200: ref("Turn")})
    def get(self, request: Request, session_id: UUID, number: int) -> Response:
        Query(request).done()
        return Response(turn_json(turn_of(self.session(session_id), number)))


class Commit(Door):
    @described(
        "commitTurn",
        "Commit a turn: effects on the state, all or nothing; or mend a refused commit by patches (`retry`)",
        tag="sessions",
        body=bodies.COMMIT,
        responses={200: ref("CommittedTurn")},
    )
    def post(self, request: Request, session_id: UUID, number: int) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.COMMIT)
        if not body.keys() & {"effects", "text", "retry"}:
            raise InvalidArguments([Problem("/effects", "required", "Send effects ([] for none), a text, or retry.")])
        if "retry" not in body:
            content = _content(body)
            return Response(commits.commit_turn(number=number, content=content, **self.here(session)))
        if len(body) > 1:
            raise InvalidArguments([Problem("/retry", "not_allowed", "A correction has no other member beside retry.")])
        correction = commits.Correction(token=body["retry"]["token"], patches=body["retry"]["patches"])
        with within("/retry/patches"):
            return Response(commits.correct_commit(number=number, correction=correction, **self.here(session)))


class CommitPreview(Door):
    @described(
        "previewCommit",
        "See what committing a turn would answer; nothing is kept",
        tag="sessions",
        body=bodies.COMMIT_PREVIEW,
        responses={200: ref("CommitPreview")},
    )
    def post(self, request: Request, session_id: UUID, number: int) -> Response:
        session = self.session(session_id)
        content = _content(body_of(request, bodies.COMMIT_PREVIEW))

        def preview(session: Session) -> Json:
            return commits.preview_commit(session=session, number=number, content=content)

        return Response(settled(session, preview)[1])


class Cancellation(Door):
    @described(
        "cancelTurn",
        "End a turn without a commit, and retract what it owns",
        tag="sessions",
        body=bodies.CANCELLATION,
        responses={200: ref("Act")},
    )
    def post(self, request: Request, session_id: UUID, number: int) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.CANCELLATION)
        cancelled = turns.cancel_turn(
            number=number, text=body.get("text"), reason=body.get("reason", ""), **self.here(session)
        )
        return Response(cancelled)


class Configurations(Door):
    @described(
        "configureState",
        "Create, update, reset or delete a namespace, for a reply (`turn` or `message`) or as the host (`reason`)",
        tag="sessions",
        body=bodies.CONFIGURATION,
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        responses={201: ref("Configured")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        self.session(session_id)
        body = body_of(request, bodies.CONFIGURATION, free=("request",))
        key = idempotency(request, body)
        is_of_host = "reason" in body and not {"turn", "message"} & body.keys()
        with within("/request"):
            told = self._corrected(session_id, body, key) if is_of_host else self._configured(session_id, body, key)
        return Response(told, status=201)

    def _corrected(self, session_id: UUID, body: Json, key: Idempotency | None) -> Json:
        session = self.session(session_id, CORRECT)
        return configurations.correct_state(
            request=body["request"],
            reason=body["reason"],
            expected_version=expected(self.request, body),
            idempotency=key,
            **self.here(session),
        )

    def _configured(self, session_id: UUID, body: Json, key: Idempotency | None) -> Json:
        session = self.session(session_id, CONFIGURE)
        if "If-Match" in self.request.headers:
            rule = "a reply's configuration names the revision that it was decided on in its request."
            raise InvalidHeader(header="If-Match", rule=rule)
        owner = _owner(body)
        return configurations.configure_state(
            owner=owner, request=body["request"], idempotency=key, **self.here(session)
        )


class ConfigurationPreview(Door):
    @described(
        "previewConfiguration",
        "See what a configuration would answer; nothing is kept",
        tag="sessions",
        body=bodies.CONFIGURATION_PREVIEW,
        responses={200: ref("ConfigurationPreview")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id)
        body = body_of(request, bodies.CONFIGURATION_PREVIEW, free=("request",))

        def preview(session: Session) -> Json:
            return configurations.preview_configuration(session=session, request=body["request"])

        with within("/request"):
            return Response(settled(session, preview)[1])


def _content(body: Json) -> commits.Content:
    epoch = body.get("epoch")
    return commits.Content(
        effects=body.get("effects", []), text=body.get("text"), epoch=None if epoch is None else int(epoch)
    )


def _owner(body: Json) -> configurations.Owner:
    misplaced = [name for name in ("reason", "expectedVersion") if name in body]
    if misplaced:
        raise InvalidArguments(
            [Problem(f"/{name}", "not_allowed", "is for the host's own configurations.") for name in misplaced]
        )
    turn, message = body.get("turn"), body.get("message")
    return configurations.Owner(
        turn=None if turn is None else int(turn), message=None if message is None else int(message)
    )
