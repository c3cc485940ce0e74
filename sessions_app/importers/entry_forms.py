"""Entries of one form told in the other, and entries that were made here told in either.

What has a name in both forms changes its name; what has none goes along: from a card's entry as it is, into a card's
entry among its extensions. What Statehouse itself uses is written over it afterwards.

Source: users of rp.state, "The files people bring", sections 1 and 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions_app.importers.books import BookForm
from sessions_app.importers.entry_spelling import (
    CONDITION_NAMES,
    EXTENSIONS,
    NAME_IN_EXTENSIONS,
    SPELLINGS,
    Json,
    inner,
    settings_of,
)

BEFORE, AFTER = "before_char", "after_char"
_POSITION_BY_WORD: Mapping[Any, int] = {BEFORE: 0, AFTER: 1}

# SillyTavern's name of what both forms keep in the entry itself -> a card's name.
_OWN_NAMES = {
    "key": "keys",
    "keysecondary": "secondary_keys",
    "comment": "comment",
    "content": "content",
    "constant": "constant",
    "selective": "selective",
    "order": "insertion_order",
}
_LEFT_BEHIND = {"uid", "id", "disable", "enabled", "addMemo", "use_regex", "name", EXTENSIONS, *CONDITION_NAMES}

# What SillyTavern expects of every entry.
_WORLD_INFO_ENTRY: Json = {
    "key": [],
    "keysecondary": [],
    "comment": "",
    "content": "",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": True,
    "order": 100,
    "position": 0,
    "disable": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    "delayUntilRecursion": False,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": 0,
    "sticky": 0,
    "cooldown": 0,
    "delay": 0,
}
_CARD_ENTRY: Json = {
    "keys": [],
    "secondary_keys": [],
    "comment": "",
    "content": "",
    "constant": False,
    "selective": False,
    "insertion_order": 100,
    "enabled": True,
    "position": BEFORE,
}


def new_entry(form: BookForm, *, uid: int) -> Json:
    """Return an empty entry of a form."""
    if form is BookForm.WORLD_INFO:
        return {"uid": uid, **_WORLD_INFO_ENTRY, "displayIndex": uid}
    return {"id": uid, **_CARD_ENTRY, EXTENSIONS: {}}


def in_form(entry: Json, form: BookForm, *, uid: int) -> Json:
    """Return an entry of the other form in this one."""
    return _as_world_info(entry, uid) if form is BookForm.WORLD_INFO else _as_card_entry(entry, uid)


def _as_world_info(entry: Json, uid: int) -> Json:
    known = SPELLINGS[BookForm.CHARACTER_BOOK].known() | _LEFT_BEHIND
    settings = settings_of(entry, BookForm.CHARACTER_BOOK)
    position = settings.get("position")
    if isinstance(position, str):
        settings["position"] = _POSITION_BY_WORD.get(position, 1)
    return {
        **new_entry(BookForm.WORLD_INFO, uid=uid),
        **{name: entry[there] for name, there in _OWN_NAMES.items() if entry.get(there) is not None},
        **{name: value for name, value in settings.items() if name != "use_regex"},
        **{name: value for name, value in entry.items() if name not in known},
        EXTENSIONS: _extensions(entry),
    }


def _as_card_entry(entry: Json, uid: int) -> Json:
    own = {there: entry[name] for name, there in _OWN_NAMES.items() if entry.get(name) is not None}
    named = {there: entry[name] for name, there in NAME_IN_EXTENSIONS.items() if entry.get(name) is not None}
    left = _OWN_NAMES.keys() | NAME_IN_EXTENSIONS.keys() | _LEFT_BEHIND
    others = {name: value for name, value in entry.items() if name not in left}
    position = BEFORE if entry.get("position", 0) in (0, None, BEFORE) else AFTER
    return {
        **new_entry(BookForm.CHARACTER_BOOK, uid=uid),
        **own,
        "position": position,
        EXTENSIONS: {**_extensions(entry), **others, **named},
    }


def _extensions(entry: Json) -> Json:
    """Return the extensions without a condition: the one that counts is written afterwards."""
    return {name: value for name, value in inner(entry).items() if name not in CONDITION_NAMES}
