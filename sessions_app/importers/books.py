"""World books as they were imported: what Statehouse uses of each entry, and beside it everything as it came.

`original` of an entry and `rest` of a book are for export alone. `rest` is the book without its entries, in whose place
an empty list or an empty object stands, so that they come back in the form in which they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from fabric_app.mesh.canonical import dumps
from sessions_app.protocol.world_book import Entry, SecondaryLogic
from sessions_app.protocol.world_book_reading import entry_of

Json = dict[str, Any]


class BookForm(StrEnum):
    """Whose form the originals have: SillyTavern's own files, or the book in a character card."""

    WORLD_INFO = "world-info"
    CHARACTER_BOOK = "character-book"


@dataclass(frozen=True)
class ImportedEntry:
    """One entry; `original` is the entry as it came, None for one that was made here."""

    entry_id: str
    title: str
    content: str
    keys: tuple[str, ...] = ()
    secondary_keys: tuple[str, ...] = ()
    secondary_logic: SecondaryLogic = SecondaryLogic.AND_ANY
    order: int = 100
    state_condition: str | None = None
    enabled: bool = True
    constant: bool = False
    case_sensitive: bool = False
    whole_words: bool = False
    original: Json | None = None

    def as_wire(self) -> Json:
        """Return the normal form in which a world book keeps its entries."""
        wire: Json = {
            "id": self.entry_id,
            "title": self.title,
            "content": self.content,
            "keys": list(self.keys),
            "order": self.order,
            "enabled": self.enabled,
            "constant": self.constant,
            "caseSensitive": self.case_sensitive,
            "wholeWords": self.whole_words,
            "secondaryKeys": list(self.secondary_keys),
            "secondaryLogic": self.secondary_logic.value,
        }
        if self.state_condition is not None:
            wire["stateCondition"] = self.state_condition
        if self.original is not None:
            wire["original"] = self.original
        return wire

    def as_entry(self) -> Entry:
        """Return the entry as the protocol asks it."""
        return entry_of(self.as_wire())


@dataclass(frozen=True)
class ImportedBook:
    """A world book of a file; `name` and `description` are "" where it has none.

    original_ids: the ids of the file's entries in their order, as entries may have gone since.
    """

    name: str
    description: str
    entries: tuple[ImportedEntry, ...]
    form: BookForm
    rest: Json = field(default_factory=dict)
    original_ids: tuple[str, ...] = ()

    def wire_entries(self) -> list[Json]:
        return [entry.as_wire() for entry in self.entries]

    def wire_original(self, title: str) -> Json:
        """Return what a stored world book keeps of the file; `title` is the one that it is stored under."""
        return {"form": self.form.value, "title": title, "ids": list(self.original_ids), "rest": self.rest}


def stored_book(
    *, title: str, entries: Sequence[Mapping[str, Any]], original: Mapping[str, Any] | None
) -> ImportedBook:
    """Return a stored world book, its entries in normal form, so that it can be exported.

    original: what `wire_original` gave; None, or anything else, is a book that was made here.
    """
    kept = original or {}
    given, ids = kept.get("rest"), kept.get("ids")
    rest = given if isinstance(given, dict) else {}
    form = BookForm.CHARACTER_BOOK if kept.get("form") == BookForm.CHARACTER_BOOK else BookForm.WORLD_INFO
    name, description = (line_in(rest, each) for each in ("name", "description"))
    return ImportedBook(
        name=name if kept.get("title") == title else title,
        description=description,
        entries=tuple(_stored_entry(each) for each in entries),
        form=form,
        rest=rest,
        original_ids=tuple(ids) if isinstance(ids, list) else (),
    )


def line_in(rest: Mapping[str, Any], member: str) -> str:
    """Return the book's name or description as it is read: a number as it is written, "" where there is none."""
    raw = rest.get(member)
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return dumps(raw)
    return raw if isinstance(raw, str) else ""


def _stored_entry(wire: Mapping[str, Any]) -> ImportedEntry:
    entry = entry_of(wire)
    condition = entry.state_condition
    return ImportedEntry(
        entry_id=entry.entry_id,
        title=entry.title,
        content=entry.content,
        keys=entry.keys,
        secondary_keys=entry.secondary_keys,
        secondary_logic=entry.secondary_logic,
        order=entry.order,
        state_condition=condition if isinstance(condition, str) else None,
        enabled=entry.enabled,
        constant=entry.constant,
        case_sensitive=entry.case_sensitive,
        whole_words=entry.whole_words,
        original=wire.get("original"),
    )
