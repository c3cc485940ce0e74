"""The world books of a session: attached and detached, and which entries are active for a text, and why not."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.http.forms import text
from fabric_app.mesh.http.pages import address, page, problem_of, show
from sessions_app.access import CORRECT, READ_BOOK, book_for, holds
from sessions_app.models import Session
from sessions_app.operations.books import attach_book, book_id_of, detach_book
from sessions_app.pages.doors import in_session, live_of, on, readable
from sessions_app.pages.event_rows import audit_of
from sessions_app.pages.printing import INLINE_CHARS, cut
from sessions_app.pages.states import ACTIVE_ENTRY, INACTIVE_ENTRY
from sessions_app.protocol.world_book import NOT_CONSIDERED, Reason
from sessions_app.queries import attached_books, settled
from sessions_app.queries_books import activations, book_page

Json = dict[str, Any]
CHOICES = 200
SHOWN_ENTRIES = 100
TEXT_CHARS = 100_000
REASONS = {
    Reason.CONSTANT: "constant: it is always active",
    Reason.KEY_MATCH: "one of its keys stands in the text",
    Reason.DISABLED: "it is switched off",
    Reason.EMPTY: "it has no content",
    Reason.GATE_CLOSED: "its condition does not hold",
    Reason.CONDITION_FAILED: "its condition cannot be decided",
    Reason.CONDITION_INVALID: "its condition cannot be read",
    Reason.STATE_UNAVAILABLE: "there is no state to ask",
    Reason.NO_KEY_MATCH: "none of its keys stands in the text",
    Reason.SECONDARY_KEYS: "its secondary keys do not agree",
    Reason.PATTERN_KEYS: "its keys are regular expressions, which never match",
}


@page
@require_http_methods(["GET", "HEAD", "POST"])
def books(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show the attached books, and for a text that is sent which entries are active and why the others are not."""
    return _books_page(request, readable(request, session_id))


@page
@require_POST
def attach(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Attach the world book that the form names."""
    session = readable(request, session_id, CORRECT)
    try:
        chosen = book_id_of(request.POST.get("book"))
        if chosen is None:
            raise InvalidArguments([Problem("/book", "required", "Choose a world book.")])
        attach_book(book=book_for(request.user, chosen, READ_BOOK), **on(request, session))
    except StatehouseError as error:
        return _books_page(request, session, error)
    notices.success(request, "The world book is attached.")
    return redirect("session-books", session.pk)


@page
@require_POST
def detach(request: HttpRequest, session_id: uuid.UUID, book_id: uuid.UUID) -> HttpResponse:
    """Take a world book out of the session; the book stays."""
    session = readable(request, session_id, CORRECT)
    try:
        detach_book(book_id=book_id, **on(request, session))
    except StatehouseError as error:
        return _books_page(request, session, error)
    notices.success(request, "The world book is detached.")
    return redirect("session-books", session.pk)


def _books_page(request: HttpRequest, session: Session, error: StatehouseError | None = None) -> HttpResponse:
    typed = text(request.POST, "text")[:TEXT_CHARS]
    is_asked = "text" in request.POST

    def read(session: Session) -> tuple[Any, Any]:
        return attached_books(session), activations(session, typed) if is_asked else []

    session, (attached, told) = settled(session, read)
    titles = {str(book_id): book.title for book_id, book in attached if book is not None}
    open_books = book_page(request.user, after=None, limit=CHOICES)
    context = {
        **in_session(request, session, "session-books"),
        "title": f"World books of {session.title}",
        "problem": None if error is None else problem_of(error),
        "attached": [_attached(request, session, book_id, book) for book_id, book in attached],
        "choices": [(str(book.pk), book.title) for book in open_books if str(book.pk) not in titles],
        "typed": typed,
        "is_asked": is_asked,
        "entries": [_entry(each, titles) for each in told[:SHOWN_ENTRIES]],
        "left": max(len(told) - SHOWN_ENTRIES, 0),
        "active_count": sum(each["active"] for each in told),
        "not_considered": NOT_CONSIDERED,
        **audit_of(session),
    }
    return show(
        request,
        "sessions_app/session_books",
        context,
        live="" if is_asked else live_of(session),
        status=200 if error is None else error.status,
    )


def _attached(request: HttpRequest, session: Session, book_id: uuid.UUID, book: Any) -> Json:
    detach_address = address("session-book-detach", session.pk, book_id)
    if book is None:
        return {"title": str(book_id), "is_here": False, "detach": detach_address}
    return {
        "title": book.title,
        "is_here": True,
        "is_archived": book.is_archived,
        "count": len(book.entries),
        "address": address("world-book", book_id) if holds(request.user, READ_BOOK, book) else "",
        "detach": detach_address,
    }


def _entry(told: Json, titles: dict[str, str]) -> Json:
    return {
        "title": told["title"] or f"entry {told['id']}",
        "book": titles.get(told["book"], ""),
        "order": told["order"],
        "state": ACTIVE_ENTRY if told["active"] else INACTIVE_ENTRY,
        "reason": REASONS[Reason(told["reason"])],
        "diagnostics": [cut(each["message"], INLINE_CHARS).shown for each in told["diagnostics"]],
        "content": cut(told.get("content", ""), INLINE_CHARS),
    }
