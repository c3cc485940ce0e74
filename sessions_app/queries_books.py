"""World books as doors read them: lists, and which entries are active in a session now."""

from __future__ import annotations

from typing import Any

from sessions_app.access import visible_books
from sessions_app.models import Session, WorldBook
from sessions_app.protocol.world_book import active_entries
from sessions_app.protocol.world_book_reading import entry_of
from sessions_app.queries import attached_books
from sessions_app.stored_state import stored_projection

Json = dict[str, Any]


def book_page(user: Any, *, after: str | None, limit: int, include_archived: bool = False) -> list[WorldBook]:
    """Return world books that an account can read, by title, after the place that `book_place` gave."""
    rows = visible_books(user).order_by("title", "id")
    if not include_archived:
        rows = rows.filter(is_archived=False)
    if after is not None:
        title, _, book_id = after.rpartition(" ")
        rows = rows.filter(title__gte=title)
        return [row for row in rows[: limit * 2] if (row.title, str(row.pk)) > (title, book_id)][:limit]
    return list(rows[:limit])


def book_place(book: WorldBook) -> str:
    return f"{book.title} {book.pk}"


def activations(session: Session, text: str) -> list[Json]:
    """Return each entry of the attached books, in order, whether it is active for a text, and why (not).

    `{book, id, title, order, active, reason, diagnostics, content?}`; the content of active entries alone.
    """
    state = stored_projection(session).values()
    told = []
    for book_id, book in attached_books(session):
        if book is None or book.is_archived:
            continue
        for status in active_entries([entry_of(wire) for wire in book.entries], state, text):
            entry = status.entry
            shown = {
                "book": str(book_id),
                "id": entry.entry_id,
                "title": entry.title,
                "order": entry.order,
                "active": status.active,
                "reason": status.reason.value,
                "diagnostics": [each.as_json() for each in status.diagnostics],
            }
            told.append({**shown, "content": entry.content} if status.active else shown)
    return sorted(told, key=lambda each: (not each["active"], each["order"]))
