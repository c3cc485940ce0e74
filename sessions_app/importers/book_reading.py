"""The entries of a world book, in either form, with the book's name and everything else that it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabric_app.mesh.strict_json import pointer
from sessions_app.importers.books import BookForm, ImportedBook, ImportedEntry
from sessions_app.importers.entry_notices import tell_what_is_not_used
from sessions_app.importers.entry_reading import check_original, read_entry
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.importers.reading import TOO_LONG, TOO_MANY, WRONG_TYPE, Json, Reading

ID_CHARS = 128

_OF_THE_BOOK = {
    "scan_depth": NoticeCode.SCANNING,
    "token_budget": NoticeCode.BUDGET,
    "recursive_scanning": NoticeCode.RECURSION,
}


def read_book(raw: Json, *, form: BookForm, path: str, reading: Reading) -> ImportedBook:
    """Return the book of `raw`; `entries` may be an object, an array, or null."""
    reading.label = ""
    name, description = (
        reading.text(raw.get(each), pointer(path, each), reading.limits.field_chars) for each in ("name", "description")
    )
    for member, code in _OF_THE_BOOK.items():
        if raw.get(member):
            reading.tell(code, pointer(path, member), member)
    entries = tuple(_entries(raw.get("entries"), form, pointer(path, "entries"), reading))
    return ImportedBook(
        name=name,
        description=description,
        entries=entries,
        form=form,
        rest={member: _emptied(value) if member == "entries" else value for member, value in raw.items()},
        original_ids=tuple(entry.entry_id for entry in entries),
    )


def _entries(raw: Any, form: BookForm, path: str, reading: Reading) -> Iterator[ImportedEntry]:
    if raw is None:
        return
    if not isinstance(raw, dict | list):
        reading.refuse(path, WRONG_TYPE, "Expected the entries in an object or a list.")
        return
    if len(raw) > reading.limits.entries:
        reading.refuse(path, TOO_MANY, f"There are {len(raw)} entries; at most {reading.limits.entries} are read.")
        return
    for step, entry_id, each in _named(raw, path, reading):
        place = pointer(path, step)
        if not isinstance(each, dict):
            reading.refuse(place, WRONG_TYPE, "Expected an entry, which is an object.")
            continue
        entry = read_entry(each, form=form, entry_id=entry_id, path=place, reading=reading)
        check_original(each, place, reading)
        tell_what_is_not_used(entry, form, place, reading)
        yield entry


def _named(raw: Json | list[Any], path: str, reading: Reading) -> Iterator[tuple[str | int, str, Any]]:
    """Yield the place, the id and the value of each entry; a list's ids are made where they miss or are repeated."""
    if isinstance(raw, dict):
        for key, each in raw.items():
            if len(key) > ID_CHARS:
                reading.refuse(path, TOO_LONG, f"The id of an entry has more than {ID_CHARS} characters.")
            yield key, key, each
        return
    seen: set[str] = set()
    for index, each in enumerate(raw):
        entry_id = _id_in(each) or str(index + 1)
        while entry_id in seen:
            entry_id = f"{entry_id}-{index + 1}"
        seen.add(entry_id)
        yield index, entry_id, each


def _id_in(raw: Any) -> str:
    given = [raw.get(name) for name in ("uid", "id")] if isinstance(raw, dict) else []
    ids = [str(each) for each in given if isinstance(each, str | int) and not isinstance(each, bool)]
    return next((each for each in ids if 0 < len(each) <= ID_CHARS // 2), "")


def _emptied(entries: Any) -> Any:
    return type(entries)() if isinstance(entries, dict | list) else None
