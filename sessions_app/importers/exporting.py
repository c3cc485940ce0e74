"""World books and cards written out, in the form in which they came or in the other one.

A book that nobody changed comes back as it was. SillyTavern keeps a card's book as `originalData` beside the entries
and prefers it; once an entry is another one, it would undo the change, and is left out.

Source: users of rp.state, "The files people bring", sections 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from sessions_app.importers.books import BookForm, ImportedBook, ImportedEntry, line_in
from sessions_app.importers.cards import ImportedCard
from sessions_app.importers.entry_forms import in_form, new_entry
from sessions_app.importers.entry_writing import written_over
from sessions_app.importers.reading import Json

ORIGINAL_DATA = "originalData"
_UID_DIGITS = 9


def world_info_of(book: ImportedBook) -> Json:
    """Return the book as SillyTavern's World Info."""
    written = list(_written(book, BookForm.WORLD_INFO))
    if book.form is not BookForm.WORLD_INFO:
        entries = {str(uid): entry for uid, _, entry in written}
        return _named({**book.rest, "entries": entries}, book)
    as_object = {entry_id: entry for _, entry_id, entry in written}
    is_list = isinstance(book.rest.get("entries"), list)
    return _whole(book, [entry for *_, entry in written] if is_list else as_object)


def character_book_of(book: ImportedBook) -> Json:
    """Return the book as a character card has it."""
    written = [(entry_id, entry) for _, entry_id, entry in _written(book, BookForm.CHARACTER_BOOK)]
    if book.form is not BookForm.CHARACTER_BOOK:
        rest = {name: value for name, value in book.rest.items() if name != ORIGINAL_DATA}
        return _named({"extensions": {}, **rest, "entries": [entry for _, entry in written]}, book)
    is_object = isinstance(book.rest.get("entries"), dict)
    return _whole(book, dict(written) if is_object else [entry for _, entry in written])


def card_of(card: ImportedCard) -> Json:
    """Return the card as it came, with its book as it is now."""
    if card.book is None:
        return card.original
    book = character_book_of(card.book)
    data = card.original.get("data")
    if isinstance(data, dict):
        return {**card.original, "data": {**data, "character_book": book}}
    return {**card.original, "character_book": book}


def _whole(book: ImportedBook, entries: Json | list[Json]) -> Json:
    """Return the book in its own form, the entries at their old place in it."""
    if "entries" in book.rest and book.rest["entries"] is None and not entries:
        return _named(dict(book.rest), book)
    whole = _named({**book.rest, "entries": entries}, book)
    if ORIGINAL_DATA in whole and _is_changed(book, list(entries.values() if isinstance(entries, dict) else entries)):
        del whole[ORIGINAL_DATA]
    return whole


def _is_changed(book: ImportedBook, written: list[Json]) -> bool:
    """Tell whether there are other entries than in the file, or they are written otherwise."""
    ids = tuple(entry.entry_id for entry in book.entries)
    return ids != book.original_ids or [entry.original for entry in book.entries] != written


def _named(whole: Json, book: ImportedBook) -> Json:
    """Write the name and the description where they are others than what stands there."""
    for member, text in (("name", book.name), ("description", book.description)):
        if text != line_in(whole, member):
            whole[member] = text
    return whole


def _written(book: ImportedBook, form: BookForm) -> Iterator[tuple[int, str, Json]]:
    """Yield a number, the id and the written form of each entry."""
    taken = {int(entry.entry_id) for entry in book.entries if _is_uid(entry.entry_id)}
    free = max(taken, default=-1) + 1
    for entry in book.entries:
        uid = int(entry.entry_id) if _is_uid(entry.entry_id) else free
        free += uid == free
        yield uid, str(uid) if entry.original is None else entry.entry_id, _entry(entry, book.form, form, uid)


def _entry(entry: ImportedEntry, form: BookForm, wanted: BookForm, uid: int) -> Json:
    if entry.original is None:
        return written_over(new_entry(wanted, uid=uid), entry, wanted)
    if form is wanted:
        return written_over(entry.original, entry, wanted)
    return written_over(in_form(entry.original, wanted, uid=uid), entry, wanted)


def _is_uid(entry_id: str) -> bool:
    return entry_id.isascii() and entry_id.isdigit() and len(entry_id) <= _UID_DIGITS and str(int(entry_id)) == entry_id
