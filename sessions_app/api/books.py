"""World books, and which of them a session has."""

from __future__ import annotations

from uuid import UUID

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.http.preconditions import etag, idempotency, version_required
from fabric_app.mesh.http.reading import Query, body_of, version_in
from fabric_app.mesh.http.reference import ARCHIVED, CURSOR, IDEMPOTENCY_KEY, IF_MATCH, LIMIT, described
from fabric_app.mesh.http.schemas import ref
from sessions_app.access import ADD_BOOK, CORRECT, WRITE_BOOK, require_everywhere
from sessions_app.api import bodies
from sessions_app.api.door import EXPECTED, Door
from sessions_app.models import WorldBook
from sessions_app.operations import books
from sessions_app.queries import attached_books, book_json
from sessions_app.queries_books import book_page, book_place


class WorldBooks(Door):
    @described(
        "listWorldBooks",
        "List the world books that you can read, by title",
        tag="world books",
        parameters=[ARCHIVED, CURSOR, LIMIT],
        responses={200: ref("WorldBookPage")},
    )
    def get(self, request: Request) -> Response:
        query = Query(request)
        include_archived = query.flag("includeArchived") or False
        query.paged()
        query.done()
        asked = self.pages.asked(request, place=str)
        found = book_page(request.user, after=asked.after, limit=asked.limit + 1, include_archived=include_archived)
        shown = found[: asked.limit]
        next_place = book_place(shown[-1]) if len(found) > asked.limit else None
        told = [book_json(book, with_entries=False) for book in shown]
        return Response(self.pages.page(request, told, next_place=next_place))

    @described(
        "createWorldBook",
        "Make a world book; conditions of its entries have to compile",
        tag="world books",
        body=bodies.NEW_BOOK,
        parameters=[IDEMPOTENCY_KEY],
        responses={201: ref("NewWorldBook")},
        headers={201: ("Location",)},
    )
    def post(self, request: Request) -> Response:
        require_everywhere(request.user, ADD_BOOK)
        body = body_of(request, bodies.NEW_BOOK, free=("entries",))
        made = books.create_book(
            title=body["title"], entries=body["entries"], idempotency=idempotency(request, body), **self.caller()
        )
        location = reverse("sessions-api:world-book", args=[made["id"]])
        return Response(made, status=201, headers={"Location": request.build_absolute_uri(location)})


class OneWorldBook(Door):
    @described(
        "getWorldBook",
        "Read a world book",
        tag="world books",
        responses={200: ref("WorldBook")},
        headers={200: ("ETag",)},
    )
    def get(self, request: Request, book_id: UUID) -> Response:
        Query(request).done()
        return _answer(self.book(book_id))

    @described(
        "saveWorldBook",
        "Give a world book another title and other entries, whole",
        tag="world books",
        body=bodies.BOOK_CHANGE,
        parameters=[IF_MATCH],
        responses={200: ref("WorldBook")},
        headers={200: ("ETag",)},
    )
    def put(self, request: Request, book_id: UUID) -> Response:
        self.book(book_id, WRITE_BOOK)
        body = body_of(request, bodies.BOOK_CHANGE, free=("entries",))
        version = version_required(request, version_in(body, EXPECTED), member=EXPECTED)
        books.save_book(
            book_id=book_id,
            title=body["title"],
            entries=body["entries"],
            expected_version=version,
            actor=self.actor(),
            now=self.now(),
        )
        return _answer(self.book(book_id))


class ArchivedWorldBook(Door):
    @described(
        "archiveWorldBook",
        "Put a world book into the archive: it is attached to nothing new, and active nowhere",
        tag="world books",
        body=bodies.VERSION_ONLY,
        parameters=[IF_MATCH],
        responses={200: ref("WorldBook")},
        headers={200: ("ETag",)},
    )
    def post(self, request: Request, book_id: UUID) -> Response:
        return _archived(self, request, book_id, is_archived=True)


class UnarchivedWorldBook(Door):
    @described(
        "unarchiveWorldBook",
        "Take a world book out of the archive",
        tag="world books",
        body=bodies.VERSION_ONLY,
        parameters=[IF_MATCH],
        responses={200: ref("WorldBook")},
        headers={200: ("ETag",)},
    )
    def post(self, request: Request, book_id: UUID) -> Response:
        return _archived(self, request, book_id, is_archived=False)


class Attachments(Door):
    @described(
        "listAttachedBooks",
        "List the world books of a session, in binding order",
        tag="world books",
        responses={200: ref("AttachedBooks")},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        Query(request).done()
        told = [
            {"id": str(book_id), "isHere": False}
            if book is None
            else {"id": str(book_id), "isHere": True, "title": book.title, "version": book.version}
            for book_id, book in attached_books(self.session(session_id))
        ]
        return Response({"results": told})

    @described(
        "attachBook",
        "Attach a world book to a session",
        tag="world books",
        body=bodies.ATTACHMENT,
        responses={201: ref("AttachedBook")},
    )
    def post(self, request: Request, session_id: UUID) -> Response:
        session = self.session(session_id, CORRECT)
        book = self.book_named(body_of(request, bodies.ATTACHMENT)["book"], "/book")
        attached = books.attach_book(book=book, **self.here(session))
        return Response(attached, status=201)


class OneAttachment(Door):
    @described(
        "detachBook",
        "Take a world book out of a session",
        tag="world books",
        responses={200: ref("AttachedBook")},
    )
    def delete(self, _request: Request, session_id: UUID, book_id: UUID) -> Response:
        session = self.session(session_id, CORRECT)
        return Response(books.detach_book(book_id=book_id, **self.here(session)))


def _archived(door: Door, request: Request, book_id: UUID, *, is_archived: bool) -> Response:
    door.book(book_id, WRITE_BOOK)
    body = body_of(request, bodies.VERSION_ONLY)
    version = version_required(request, version_in(body, EXPECTED), member=EXPECTED)
    books.archive_book(
        book_id=book_id, is_archived=is_archived, expected_version=version, actor=door.actor(), now=door.now()
    )
    return _answer(door.book(book_id))


def _answer(book: WorldBook) -> Response:
    return Response(book_json(book), headers={"ETag": etag(book.version)})
