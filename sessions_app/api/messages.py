"""Messages and their variants. Acts that take back what a message owns have a preview, and can name its version."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.errors import InvalidArguments, NotPermitted, Problem
from fabric_app.mesh.http.preconditions import etag, idempotency
from fabric_app.mesh.http.reading import Json, Query, body_of
from fabric_app.mesh.http.reference import CURSOR, IDEMPOTENCY_KEY, IF_MATCH, LIMIT, described, parameter
from fabric_app.mesh.http.schemas import BOOLEAN, ref
from sessions_app.access import CORRECT, WRITE, holds
from sessions_app.api import bodies
from sessions_app.api.door import Door, expected
from sessions_app.models import Session
from sessions_app.operations import messages, turns
from sessions_app.protocol.events import Role
from sessions_app.queries import message_page, messages_json, said_in, settled, variants_json

NEWEST = parameter("newestFirst", BOOLEAN, "The latest message first; `false` by default.")


class Messages(Door):
    @described(
        "listMessages",
        "List the messages of a session, in their order",
        tag="sessions",
        parameters=[NEWEST, CURSOR, LIMIT],
        responses={200: ref("MessagePage")},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        query = Query(request)
        newest_first = query.flag("newestFirst") or False
        query.paged()
        query.done()
        session = self.session(session_id)
        asked = self.pages.asked(request, place=int)
        found = message_page(session, after=asked.after, limit=asked.limit + 1, newest_first=newest_first)
        shown = found[: asked.limit]
        next_place = shown[-1]["message"] if len(found) > asked.limit else None
        return Response(self.pages.page(request, shown, next_place=next_place))

    @described(
        "addMessage",
        "Add a message at the end; a reply that a model is writing is begun as a turn instead",
        tag="sessions",
        body=bodies.NEW_MESSAGE,
        parameters=[IDEMPOTENCY_KEY],
        responses={201: ref("NewMessage")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.NEW_MESSAGE)
        role = Role(body["role"])
        if role is Role.HOST and not holds(request.user, CORRECT, session):
            raise NotPermitted(permission=CORRECT, target=f"session {session.title}")
        added = messages.add_message(
            role=role,
            text=body["text"],
            name=body.get("name", ""),
            is_hidden=body.get("hidden", False),
            idempotency=idempotency(request, body),
            **self.here(session),
        )
        return Response(added, status=201)


class OneMessage(Door):
    @described(
        "getMessage",
        "Read a message",
        tag="sessions",
        responses={200: ref("Message")},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, session_id: UUID, number: int) -> Response:
        Query(request).done()
        session = self.session(session_id)
        found = said_in(session, number)
        return Response(messages_json(session, [found])[0], headers={"ETag": etag(found.message.version)})

    @described(
        "editMessage",
        "Give a message another text; what it owns stays as it is",
        tag="sessions",
        body=bodies.MESSAGE_CHANGE,
        parameters=[IF_MATCH],
        responses={200: ref("EditedMessage")},
        headers={200: ("ETag",)},
    )
    def patch(self, request: Request, session_id: UUID, number: int) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.MESSAGE_CHANGE)
        edited = messages.edit_message(
            number=number, text=body["text"], expected_version=expected(request, body), **self.here(session)
        )
        return Response(edited, headers={"ETag": etag(edited["version"])})

    @described(
        "deleteMessage",
        "Delete a message, and retract what it owns; versions are the message's",
        tag="sessions",
        body=bodies.MESSAGE_REMOVAL,
        parameters=[IF_MATCH],
        responses={200: ref("Act")},
    )
    def delete(self, request: Request, session_id: UUID, number: int) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.MESSAGE_REMOVAL)
        version = expected(request, body)
        deleted = messages.delete_message(
            number=number, reason=body.get("reason", ""), expected_version=version, **self.here(session)
        )
        return Response(deleted)


class Deletion(Door):
    @described(
        "deleteMessages",
        "Delete messages, or all from one on, and retract what they own",
        tag="sessions",
        body=bodies.DELETION,
        parameters=[IF_MATCH],
        responses={200: ref("Act")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.DELETION)
        deleted = messages.delete_messages(
            numbers=_numbers(session, body),
            reason=body.get("reason", ""),
            expected_version=expected(request, body),
            **self.here(session),
        )
        return Response(deleted)


class DeletionPreview(Door):
    @described(
        "previewDeletion",
        "See what deleting messages would change; nothing is kept",
        tag="sessions",
        body=bodies.DELETION_PREVIEW,
        responses={200: ref("ActPreview")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id)
        body = body_of(request, bodies.DELETION_PREVIEW)

        def preview(session: Session) -> Json:
            return messages.preview_deletion(session=session, numbers=_numbers(session, body))

        return Response(settled(session, preview)[1])


class Regeneration(Door):
    @described(
        "regenerateReply",
        "Retract what a reply owns and begin its next variant: a turn to be committed",
        tag="sessions",
        body=bodies.VERSION_ONLY,
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        responses={201: ref("Regeneration")},
    )
    def post(self, request: Request, session_id: UUID, number: int) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.VERSION_ONLY)
        begun = turns.regenerate(
            number=number,
            expected_version=expected(request, body),
            idempotency=idempotency(request, body),
            **self.here(session),
        )
        return Response(begun, status=201)


class RegenerationPreview(Door):
    @described(
        "previewRegeneration",
        "See what regenerating a reply would take back; nothing is kept",
        tag="sessions",
        responses={200: ref("ActPreview")},
    )
    def post(self, request: Request, session_id: UUID, number: int) -> Response:
        session = self.session(session_id)
        body_of(request, bodies.NOTHING)
        _, told = settled(session, lambda session: turns.preview_regeneration(session=session, number=number))
        return Response(told)


class Variants(Door):
    @described("listVariants", "List the variants of a message", tag="sessions", responses={200: ref("Variants")})
    def get(self, request: Request, session_id: UUID, number: int) -> Response:
        Query(request).done()
        return Response({"results": variants_json(self.session(session_id), number)})


class Selection(Door):
    @described(
        "selectVariant",
        "Let another variant of a reply count, with what it owned",
        tag="sessions",
        body=bodies.VERSION_ONLY,
        parameters=[IF_MATCH],
        responses={200: ref("Act")},
    )
    def post(self, request: Request, session_id: UUID, number: int, variant: int) -> Response:
        session = self.session(session_id, WRITE)
        body = body_of(request, bodies.VERSION_ONLY)
        selected = messages.select_variant(
            number=number, variant=variant, expected_version=expected(request, body), **self.here(session)
        )
        return Response(selected)


class SelectionPreview(Door):
    @described(
        "previewSelection",
        "See what choosing a variant would change; nothing is kept",
        tag="sessions",
        responses={200: ref("ActPreview")},
    )
    def post(self, request: Request, session_id: UUID, number: int, variant: int) -> Response:
        session = self.session(session_id)
        body_of(request, bodies.NOTHING)

        def preview(session: Session) -> Json:
            return messages.preview_selection(session=session, number=number, variant=variant)

        return Response(settled(session, preview)[1])


def _numbers(session: Session, body: Json) -> list[int]:
    """Return the messages that a body names: a list, or all from one on."""
    if ("messages" in body) == ("from" in body):
        raise InvalidArguments([Problem("/messages", "required", "must be there, or `from`: one of them, not both.")])
    if "from" in body:
        return messages.numbers_from(session, int(body["from"]))
    return [int(each) for each in body["messages"]]
