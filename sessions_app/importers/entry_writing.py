"""An entry written back: what Statehouse changed wins, everything else stays as it came.

What is changed is told by reading the original again. A field that reads the same is not touched, so that its own
spelling stays: a joined text of keys, a null that inherits, a position as number or word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sessions_app.importers.books import BookForm, ImportedEntry
from sessions_app.importers.entry_reading import read_entry
from sessions_app.importers.entry_spelling import (
    CONDITION_PLACES,
    EXTENSIONS,
    LOGIC_BY_NUMBER,
    SPELLINGS,
    Json,
    Place,
    Spelling,
    given_at,
    inner,
)
from sessions_app.importers.limits import DEFAULT_IMPORT_LIMITS
from sessions_app.importers.reading import Reading


def written_over(original: Json, entry: ImportedEntry, form: BookForm) -> Json:
    """Return a copy of the original in which every field that Statehouse uses reads as the entry has it."""
    reading = Reading(DEFAULT_IMPORT_LIMITS)
    before = read_entry(original, form=form, entry_id=entry.entry_id, path="", reading=reading)
    is_unreadable = bool(reading.problems)
    written = dict(original)
    for name, write in _WRITERS.items():
        if is_unreadable or getattr(before, name) != getattr(entry, name):
            write(written, getattr(entry, name), SPELLINGS[form])
    return written


def _title(written: Json, title: str, spelling: Spelling) -> None:
    first, *others = spelling.titles
    written[first] = title
    if title.strip() == "":
        written.update({name: "" for name in others if written.get(name)})


def _content(written: Json, content: str, _: Spelling) -> None:
    written["content"] = content


def _keys(written: Json, keys: tuple[str, ...], spelling: Spelling) -> None:
    written[spelling.keys] = list(keys)


def _secondary_keys(written: Json, keys: tuple[str, ...], spelling: Spelling) -> None:
    written[spelling.secondary_keys] = list(keys)
    written["selective"] = bool(keys) or spelling.is_selective_unless_told


def _logic(written: Json, logic: Any, spelling: Spelling) -> None:
    _put(written, LOGIC_BY_NUMBER.index(logic), spelling.logic)


def _order(written: Json, order: int, spelling: Spelling) -> None:
    written[spelling.order] = order


def _enabled(written: Json, is_enabled: bool, spelling: Spelling) -> None:
    written[spelling.switch] = is_enabled is not spelling.is_switch_off


def _constant(written: Json, is_constant: bool, _: Spelling) -> None:
    written["constant"] = is_constant


def _case_sensitive(written: Json, is_sensitive: bool, spelling: Spelling) -> None:
    _put(written, is_sensitive, spelling.case_sensitive)


def _whole_words(written: Json, is_whole: bool, spelling: Spelling) -> None:
    _put(written, is_whole, spelling.whole_words)


def _condition(written: Json, condition: str | None, _: Spelling) -> None:
    """Leave one condition, where other programs look for it first, or none."""
    extensions = dict(inner(written))
    for place in CONDITION_PLACES:
        (extensions if place.is_inner else written).pop(place.name, None)
    if condition is not None:
        extensions[CONDITION_PLACES[0].name] = condition
    if condition is not None or isinstance(written.get(EXTENSIONS), dict):
        written[EXTENSIONS] = extensions


def _put(written: Json, value: Any, places: tuple[Place, ...]) -> None:
    """Write a setting where it stands; where it stands nowhere, at the first place."""
    place = next((place for place, _ in given_at(written, places)), places[0])
    if place.is_inner:
        written[EXTENSIONS] = {**inner(written), place.name: value}
    else:
        written[place.name] = value


_WRITERS: Mapping[str, Callable[[Json, Any, Spelling], None]] = {
    "title": _title,
    "content": _content,
    "keys": _keys,
    "secondary_keys": _secondary_keys,
    "secondary_logic": _logic,
    "order": _order,
    "enabled": _enabled,
    "constant": _constant,
    "case_sensitive": _case_sensitive,
    "whole_words": _whole_words,
    "state_condition": _condition,
}
