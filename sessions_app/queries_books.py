"""World books as doors read them: lists, and which entries are active in a session now."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import Q

from fabric_app.mesh.errors import InvalidArguments, Problem
from sessions_app.access import visible_books
from sessions_app.models import Session, WorldBook
from sessions_app.protocol.world_book import active_entries
from sessions_app.protocol.world_book_reading import entry_of
from sessions_app.queries import FOREIGN_PLACE, attached_books
from sessions_app.stored_state import stored_projection

Json = dict[str, Any]


def book_page(user: Any, *, after: str | None, limit: int, include_archived: bool = False) -> list[WorldBook]:
    """Return world books that an account can read, by title, after the place that `book_place` gave.

    Raises InvalidArguments for another list's place.
    """
    rows = visible_books(user).order_by("title", "id")
    if not include_archived:
        rows = rows.filter(is_archived=False)
    if after is not None:
        title, book_id = _place(after)
        rows = rows.filter(Q(title__gt=title) | Q(title=title, id__gt=book_id))
    return list(rows[:limit])


def book_place(book: WorldBook) -> str:
    return f"{book.title} {book.pk}"


def _place(after: str) -> tuple[str, uuid.UUID]:
    title, _, book_id = after.rpartition(" ")
    try:
        return title, uuid.UUID(book_id)
    except ValueError:
        raise InvalidArguments([Problem("/cursor", "wrong_form", FOREIGN_PLACE)]) from None


def here(session: Session) -> list[WorldBook]:
    """Return the attached books that are here and not archived, in binding order."""
    return [book for _, book in attached_books(session) if book is not None and not book.is_archived]


def activations(session: Session, text: str, books: Sequence[WorldBook] | None = None) -> list[Json]:
    """Return each entry of the books, whether it is active for a text, and why (not): active ones first, by order.

    books: those to ask; None asks those that are attached and not archived. `{book, id, title, order, active, reason,
    diagnostics, content?}`; the content of active entries alone.
    """
    state = stored_projection(session).values()
    told = []
    for book in here(session) if books is None else books:
        for status in active_entries([entry_of(wire) for wire in book.entries], state, text):
            entry = status.entry
            shown = {
                "book": str(book.pk),
                "id": entry.entry_id,
                "title": entry.title,
                "order": entry.order,
                "active": status.active,
                "reason": status.reason.value,
                "diagnostics": [each.as_json() for each in status.diagnostics],
            }
            told.append({**shown, "content": entry.content} if status.active else shown)
    return sorted(told, key=lambda each: (not each["active"], each["order"]))
