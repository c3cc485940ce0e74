"""Importing files: cards, world books, chats and whole sessions, as uploads; and books written out again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.errors import InvalidArguments, Problem
from fabric_app.mesh.http.reading import Json, Query
from fabric_app.mesh.http.reference import described, parameter
from fabric_app.mesh.http.schemas import OBJECT, ref, taken
from fabric_app.mesh.http.schemas import UUID as UUID_TEXT
from fabric_app.mesh.strict_json import pointer
from sessions_app.access import ADD, ADD_BOOK, CORRECT, require_everywhere
from sessions_app.api.bodies import TITLE
from sessions_app.api.door import Door
from sessions_app.importers.books import BookForm, stored_book
from sessions_app.importers.exporting import character_book_of, world_info_of
from sessions_app.importers.limits import DEFAULT_IMPORT_LIMITS
from sessions_app.models import Session
from sessions_app.operations.books import book_id_of
from sessions_app.operations.imports import import_file, import_into_session, preview_import

MULTIPART = "multipart/form-data"
FILE = {"type": "string", "format": "binary"}
UPLOAD = taken({"file": FILE, "session": UUID_TEXT, "title": TITLE}, required=("file",))
FORM = parameter(
    "form", {"type": "string", "enum": [each.value for each in BookForm]}, "`world-info` by default, or a card's."
)


class Imports(Door):
    parser_classes = (MultiPartParser,)
    max_file_bytes = DEFAULT_IMPORT_LIMITS.file_bytes

    @described(
        "importFile",
        "Import a card, world book, chat or exported session: as a new session or book, or into `session`",
        tag="sessions",
        body=UPLOAD,
        body_type=MULTIPART,
        responses={201: ref("Imported")},
    )
    def post(self, request: Request) -> Response:
        content, filename, session, title = _upload(self, request)
        if session is not None:
            told = import_into_session(session_id=session.pk, content=content, filename=filename, **self.caller())
            return Response(told, status=201)
        require_everywhere(request.user, ADD)
        require_everywhere(request.user, ADD_BOOK)
        told = import_file(content=content, filename=filename, title=title, **self.caller())
        return Response(told, status=201)


class ImportPreview(Door):
    parser_classes = (MultiPartParser,)
    max_file_bytes = DEFAULT_IMPORT_LIMITS.file_bytes

    @described(
        "previewImport",
        "See what importing a file would bring, and what could not be carried over; nothing is kept",
        tag="sessions",
        body=UPLOAD,
        body_type=MULTIPART,
        responses={200: OBJECT},
    )
    def post(self, request: Request) -> Response:
        content, filename, session, _ = _upload(self, request)
        if session is None:
            require_everywhere(request.user, ADD)
        return Response(preview_import(content=content, filename=filename, session=session))


class BookExport(Door):
    @described(
        "exportWorldBook",
        "Write a world book out as SillyTavern's World Info, or as a card's character_book",
        tag="world books",
        parameters=[FORM],
        responses={200: OBJECT},
    )
    def get(self, request: Request, book_id: UUID) -> Response:
        query = Query(request)
        form = query.text("form") or BookForm.WORLD_INFO.value
        query.done()
        if form not in set(BookForm):
            raise InvalidArguments([Problem("/form", "not_allowed", f"must be one of: {', '.join(BookForm)}.")])
        book = self.book(book_id)
        kept = stored_book(title=book.title, entries=book.entries, original=book.original)
        told: Any = world_info_of(kept) if form == BookForm.WORLD_INFO else character_book_of(kept)
        headers = {"Content-Disposition": f'attachment; filename="world-book-{book_id}.json"'}
        return Response(told, headers=headers)


def _upload(door: Door, request: Request) -> tuple[bytes, str, Session | None, str | None]:
    """Return the file's content and name, the session that it goes into, and a title. Raises InvalidArguments."""
    data: Any = request.data
    fields: Json = dict(data.items())
    problems = [
        Problem(pointer("", name), "unknown_member", "is no part of this form.")
        for name in fields
        if name not in {"file", "session", "title"}
    ]
    file, limit = fields.get("file"), DEFAULT_IMPORT_LIMITS.file_bytes
    if not isinstance(file, UploadedFile):
        problems.append(Problem("/file", "required", "Send the file as a part named file."))
    elif (file.size or 0) > limit:
        problems.append(Problem("/file", "too_long", f"must have at most {limit} bytes."))
    named, title = fields.get("session"), fields.get("title")
    session_id = book_id_of(named) if named else None
    if named and session_id is None:
        problems.append(Problem("/session", "wrong_form", "must be the id of a session."))
    if title is not None and not isinstance(title, str):
        problems.append(Problem("/title", "wrong_type", "must be a text."))
    if problems or not isinstance(file, UploadedFile):
        raise InvalidArguments(problems)
    session = None if session_id is None else door.session(session_id, CORRECT)
    return file.read(), str(file.name or ""), session, title
