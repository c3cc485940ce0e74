"""World books: listed, made, their entries edited one by one with each checked as it is typed, archived."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem, StatehouseError, VersionConflict
from fabric_app.mesh.http.filters import flag, position, values_of
from fabric_app.mesh.http.forms import KEY, idempotency_of, new_key, text, with_problems
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Field, Pager, moment
from sessions_app.access import ADD_BOOK, WRITE_BOOK, book_for, holds, require_everywhere
from sessions_app.limits import protocol_limits
from sessions_app.models import WorldBook
from sessions_app.operations.books import archive_book, create_book, save_book
from sessions_app.pages.doors import PLACE, by_whom, number_in
from sessions_app.pages.printing import cut
from sessions_app.protocol.errors import ProtocolRefusal
from sessions_app.protocol.world_book import SecondaryLogic
from sessions_app.protocol.world_book_reading import read_entries
from sessions_app.queries_books import book_page, book_place

Json = dict[str, Any]
PAGE_BOOKS = 40
PAGE_ENTRIES = 50
SHOWN_CHARS = 240
EDITABLE_CHARS = 60_000
METHODS = ["GET", "HEAD", "POST"]
LOGIC = tuple((each.value, words) for each, words in (
    (SecondaryLogic.AND_ANY, "one of them stands in the text"),
    (SecondaryLogic.AND_ALL, "all of them stand in the text"),
    (SecondaryLogic.NOT_ANY, "none of them stands in the text"),
    (SecondaryLogic.NOT_ALL, "not all of them stand in the text"),
))  # fmt: skip
FLAGS = (
    ("enabled", "Enabled"),
    ("constant", "Constant: active without any key"),
    ("caseSensitive", "Keys are case sensitive"),
    ("wholeWords", "Keys match whole words alone"),
)


@page
@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Show the world books that the account can read, by title."""
    archived = flag(request, "archived")
    after = next(iter(values_of(request, "after")), "") or None
    found = book_page(request.user, after=after, limit=PAGE_BOOKS + 1, include_archived=archived)
    shown = found[:PAGE_BOOKS]
    query = {"archived": "true" if archived else ""}
    context = {
        "title": "World books",
        "place": PLACE,
        "archived": archived,
        "books": [
            {
                "address": address("world-book", book.pk),
                "title": book.title,
                "count": len(book.entries),
                "version": book.version,
                "is_archived": book.is_archived,
                "at": moment(book.updated_at),
            }
            for book in shown
        ],
        "may_create": request.user.has_perm(f"sessions_app.{ADD_BOOK}"),
        "pager": Pager(
            newer=address("world-books", **query) if after else "",
            older=address("world-books", **query, after=book_place(shown[-1])) if len(found) > PAGE_BOOKS else "",
        ),
    }
    return show(request, "sessions_app/books", context, live=address("sessions-live"))


@page
@require_http_methods(METHODS)
def create(request: HttpRequest) -> HttpResponse:
    """Show the form of a new world book, or make it, empty."""
    require_everywhere(request.user, ADD_BOOK)
    error = None
    if request.method == "POST":
        try:
            made = create_book(
                title=text(request.POST, "title"),
                entries=[],
                user=request.user,
                idempotency=idempotency_of(request),
                **by_whom(request),
            )
        except StatehouseError as refused:
            error = refused
        else:
            notices.success(request, "The world book is there; it has no entries yet.")
            return redirect("world-book", made["id"])
    fields, problem = with_problems([Field("title", "Title", text(request.POST, "title"), required=True)], error, {})
    context = {"title": "New world book", "place": PLACE, "fields": fields, "problem": problem, KEY: new_key()}
    return show(request, "sessions_app/book_new", context, status=200 if error is None else error.status)


@page
@require_http_methods(METHODS)
def book(request: HttpRequest, book_id: uuid.UUID) -> HttpResponse:
    """Show a world book with its entries, or name it anew, archive it or take it out of the archive."""
    found = book_for(request.user, book_id, WRITE_BOOK if request.method == "POST" else "read_worldbook")
    if request.method != "POST":
        return _book_page(request, found)
    try:
        _change(request, found)
    except StatehouseError as error:
        return _book_page(request, book_for(request.user, book_id), error)
    notices.success(request, "The change is kept.")
    return redirect("world-book", found.pk)


@page
@require_http_methods(METHODS)
def entry(request: HttpRequest, book_id: uuid.UUID) -> HttpResponse:
    """Show one entry (`id`; without it a new one) to edit, or save or remove it; a conflict keeps what was typed."""
    found = book_for(request.user, book_id, WRITE_BOOK)
    named = request.GET.get("id", "")[:200]
    if request.method != "POST":
        return _entry_form(request, found, named)
    try:
        entries = _without(found, named) if "remove" in request.POST else _with(found, named, request)
        save_book(
            book_id=found.pk,
            title=found.title,
            entries=entries,
            expected_version=number_in(request, "version"),
            **by_whom(request),
        )
    except StatehouseError as error:
        return _entry_form(request, book_for(request.user, book_id, WRITE_BOOK), named, error)
    notices.success(request, "The entry is removed." if "remove" in request.POST else "The entry is kept.")
    return redirect("world-book", found.pk)


@page
@require_POST
def check(request: HttpRequest, book_id: uuid.UUID) -> HttpResponse:
    """Say what is wrong with an entry as it is typed."""
    book_for(request.user, book_id)
    try:
        read_entries([_typed(request, {})], protocol_limits())
    except (ProtocolRefusal, InvalidArguments) as error:
        problems = [
            {"path": each.path.removeprefix("/entries/0"), "line": None, "detail": each.detail}
            for each in error.problems
        ]
        return render(request, "sessions_app/parts/verdict.html", {"problems": problems})
    return render(request, "sessions_app/parts/entry_good.html")


def _change(request: HttpRequest, found: WorldBook) -> None:
    form, version = request.POST, number_in(request, "version")
    if "archive" in form:
        archive_book(
            book_id=found.pk, is_archived=form["archive"] == "yes", expected_version=version, **by_whom(request)
        )
        return
    save_book(
        book_id=found.pk,
        title=text(form, "title"),
        entries=found.entries,
        expected_version=version,
        **by_whom(request),
    )


def _book_page(request: HttpRequest, found: WorldBook, error: StatehouseError | None = None) -> HttpResponse:
    form = request.POST
    typed = text(form, "title") if "title" in form else found.title
    fields, problem = with_problems([Field("title", "Title", typed, required=True)], error, {})
    start = position(request, "from") or 0
    shown = found.entries[start : start + PAGE_ENTRIES]
    more = start + PAGE_ENTRIES
    context = {
        "title": found.title,
        "place": PLACE,
        "book": found,
        "at": moment(found.updated_at),
        "may_write": holds(request.user, WRITE_BOOK, found),
        "fields": fields,
        "problem": problem,
        "is_moved": isinstance(error, VersionConflict),
        "entries": [_row(found, each) for each in shown],
        "pager": Pager(
            newer=address("world-book", found.pk) if start else "",
            older=address("world-book", found.pk, **{"from": more}) if len(found.entries) > more else "",
        ),
    }
    return show(request, "sessions_app/book", context, status=200 if error is None else error.status)


def _row(found: WorldBook, told: Mapping[str, Any]) -> Json:
    return {
        "address": address("world-book-entry", found.pk, id=told["id"]),
        "title": told["title"] or f"entry {told['id']}",
        "keys": cut(", ".join(told["keys"]), SHOWN_CHARS).shown,
        "order": told["order"],
        "enabled": told["enabled"],
        "constant": told["constant"],
        "condition": cut(told.get("stateCondition", ""), SHOWN_CHARS).shown,
        "content": cut(told["content"], SHOWN_CHARS),
    }


def _index(found: WorldBook, named: str) -> int:
    for index, each in enumerate(found.entries):
        if each["id"] == named:
            return index
    raise NotFound(what="entry", name=named)


def _without(found: WorldBook, named: str) -> list[Json]:
    index = _index(found, named)
    return [*found.entries[:index], *found.entries[index + 1 :]]


def _with(found: WorldBook, named: str, request: HttpRequest) -> list[Json]:
    """Return the entries with what was typed in its place, or at the end with an id of its own."""
    if named:
        index = _index(found, named)
        entries = [*found.entries[:index], _typed(request, found.entries[index]), *found.entries[index + 1 :]]
    else:
        index = len(found.entries)
        entries = [*found.entries, _typed(request, {"id": _new_id(found)})]
    try:
        return read_entries(entries, protocol_limits())
    except ProtocolRefusal as refused:
        base = f"/entries/{index}"
        if not all(each.path.startswith(f"{base}/") for each in refused.problems):
            raise
        problems = [Problem(each.path.removeprefix(base), each.code, each.detail) for each in refused.problems]
        raise InvalidArguments(problems) from refused


def _typed(request: HttpRequest, stored: Mapping[str, Any]) -> Json:
    """Return what the form says as an entry; of a stored one its id, and what it was imported from."""
    form = request.POST
    kept = {name: stored[name] for name in ("id", "original") if name in stored}
    return {
        **kept,
        "title": text(form, "title"),
        "content": text(form, "content"),
        "keys": _lines(text(form, "keys")),
        "secondaryKeys": _lines(text(form, "secondaryKeys")),
        "secondaryLogic": form.get("secondaryLogic", ""),
        "order": _order(form.get("order", "")),
        "stateCondition": text(form, "stateCondition").strip(),
        **{name: form.get(name) == "yes" for name, _ in FLAGS},
    }


def _lines(typed: str) -> list[str]:
    return [line.strip() for line in typed.split("\n") if line.strip()]


def _order(typed: str) -> Any:
    try:
        return int(typed.strip()[:20])
    except ValueError:
        return typed


def _new_id(found: WorldBook) -> str:
    taken = {each["id"] for each in found.entries}
    number = len(found.entries) + 1
    while str(number) in taken:
        number += 1
    return str(number)


def _entry_form(
    request: HttpRequest, found: WorldBook, named: str, error: StatehouseError | None = None
) -> HttpResponse:
    stored = found.entries[_index(found, named)] if named else {}
    shown = _typed(request, stored) if request.method == "POST" else {"enabled": True, **stored}
    fields, problem = with_problems(_fields(shown), error, {})
    is_moved = isinstance(error, VersionConflict)
    context = {
        "title": f"Entry of {found.title}",
        "place": PLACE,
        "book": found,
        "is_new": not named,
        "fields": fields,
        "problem": problem,
        "is_moved": is_moved,
        "too_large": request.method != "POST" and len(stored.get("content", "")) > EDITABLE_CHARS,
        "newer": _newer(stored) if is_moved and named else None,
        "check_address": address("world-book-check", found.pk),
    }
    return show(request, "sessions_app/book_entry", context, status=200 if error is None else error.status)


def _newer(stored: Mapping[str, Any]) -> Json:
    return {
        "title": stored["title"],
        "keys": cut(", ".join(stored["keys"]), SHOWN_CHARS).shown,
        "condition": stored.get("stateCondition", ""),
        "content": cut(stored["content"], EDITABLE_CHARS),
    }


def _fields(shown: Mapping[str, Any]) -> list[Field]:
    keys, secondary = shown.get("keys", ()), shown.get("secondaryKeys", ())
    return [
        Field("title", "Title", shown.get("title", "")),
        Field("content", "Content", shown.get("content", ""), kind="textarea", rows=8, required=True,
              help="What the prompt gets while the entry is active."),
        Field("keys", "Keys", "\n".join(keys), kind="textarea", rows=3,
              help="One a line; one of them has to stand in the text."),
        Field("stateCondition", "Condition on the state", shown.get("stateCondition", ""), kind="textarea", rows=2,
              is_machine=True, help='As in state("story", "/day") >= 3. Empty: none.'),
        Field("secondaryKeys", "Secondary keys", "\n".join(secondary), kind="textarea", rows=2, help="One a line."),
        Field("secondaryLogic", "And of the secondary keys", shown.get("secondaryLogic", "and-any"), kind="select",
              required=True, choices=LOGIC),
        Field("order", "Order", shown.get("order", 100), kind="text", required=True, help="A whole number."),
        *(Field(name, words, bool(shown.get(name)), kind="checkbox") for name, words in FLAGS),
    ]  # fmt: skip
