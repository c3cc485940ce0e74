"""World books of their own: SillyTavern's World Info, and the same as other tools write it.

`entries` is an object keyed by uid, in some files an array. Books whose entries have the fields of a card's book
(`keys` for `key`), bare or as `lorebook_v3`, are read in that form.

Source: users of rp.state, "The files people bring", section 1.
"""

from __future__ import annotations

from typing import Any

from sessions_app.importers.book_reading import read_book
from sessions_app.importers.books import BookForm, ImportedBook
from sessions_app.importers.errors import NotAWorldBook
from sessions_app.importers.json_text import check_size, read_json
from sessions_app.importers.limits import DEFAULT_IMPORT_LIMITS, ImportLimits
from sessions_app.importers.reading import Json, Reading
from sessions_app.importers.report import Report

LOREBOOK_SPEC = "lorebook_v3"


def read_world_info_file(content: bytes, limits: ImportLimits = DEFAULT_IMPORT_LIMITS) -> tuple[ImportedBook, Report]:
    """Return the world book of a file. Raises JSONUnreadable, ImportTooLarge, NotAWorldBook, ImportRefused."""
    check_size(content, limits)
    return read_world_info(read_json(content, limits), limits)


def read_world_info(value: Any, limits: ImportLimits = DEFAULT_IMPORT_LIMITS) -> tuple[ImportedBook, Report]:
    """Return the world book of a JSON value. Raises NotAWorldBook, ImportRefused with every problem."""
    raw, path = book_in(value)
    reading = Reading(limits)
    book = read_book(raw, form=_form_of(raw), path=path, reading=reading)
    reading.raise_if_any()
    return book, reading.telling.report()


def book_in(value: Any) -> tuple[Json, str]:
    """Return the object that has the entries, and its place. Raises NotAWorldBook."""
    if isinstance(value, dict) and value.get("spec") == LOREBOOK_SPEC and isinstance(value.get("data"), dict):
        return value["data"], "/data"
    if isinstance(value, dict) and isinstance(value.get("entries"), dict | list):
        return value, ""
    raise NotAWorldBook.at("/entries", "Expected an object with entries, which are an object or a list.")


def _form_of(raw: Json) -> BookForm:
    entries = raw.get("entries")
    listed = entries.values() if isinstance(entries, dict) else entries if isinstance(entries, list) else ()
    is_of_a_card = any(isinstance(each, dict) and "keys" in each and "key" not in each for each in listed)
    return BookForm.CHARACTER_BOOK if is_of_a_card else BookForm.WORLD_INFO
