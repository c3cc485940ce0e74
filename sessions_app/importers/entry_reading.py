"""One entry of a world book, in either form: what Statehouse uses, read with every problem found.

A condition is looked for in the extensions before the entry, as `state_condition` before `stateCondition`. `null` and
`""` mean none; a blank text, another type and a text that does not compile are problems wherever they stand.

Source: rp.state, section 12; users of rp.state, "The files people bring", sections 1 and 2.
"""

from __future__ import annotations

from typing import Any

from fabric_app.mesh.strict_json import pointer
from sessions_app.importers.books import BookForm, ImportedEntry
from sessions_app.importers.entry_spelling import (
    CONDITION_PLACES,
    LOGIC_BY_NUMBER,
    SPELLINGS,
    Place,
    Spelling,
    given_at,
)
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.importers.reading import WRONG_TYPE, Json, Reading
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.errors import ValueInvalid
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.text import is_blank, trimmed
from sessions_app.protocol.values import normalised
from sessions_app.protocol.world_book import SecondaryLogic, checked_condition


def read_entry(raw: Json, *, form: BookForm, entry_id: str, path: str, reading: Reading) -> ImportedEntry:
    """Return the entry; what is wrong goes to the reading, and a default stands in its place."""
    spelling, most = SPELLINGS[form], reading.limits
    title = _title(raw, spelling, path, reading)
    reading.label = title[:80] or entry_id
    reading.extensions(raw, path)
    switch = spelling.switch
    switched = reading.flag(raw.get(switch), pointer(path, switch), default=not spelling.is_switch_off)
    return ImportedEntry(
        entry_id=entry_id,
        title=title,
        content=reading.text(raw.get("content"), pointer(path, "content"), most.content_chars),
        keys=_keys(raw, spelling.keys, path, reading),
        secondary_keys=_secondary_keys(raw, spelling, path, reading),
        secondary_logic=_logic(raw, spelling, path, reading),
        order=reading.whole(raw.get(spelling.order), pointer(path, spelling.order), default=100),
        state_condition=_condition(raw, path, reading),
        enabled=switched is not spelling.is_switch_off,
        constant=reading.flag(raw.get("constant"), pointer(path, "constant"), default=False),
        case_sensitive=_placed_flag(raw, spelling.case_sensitive, path, reading),
        whole_words=_placed_flag(raw, spelling.whole_words, path, reading),
        original=raw,
    )


def check_original(raw: Json, path: str, reading: Reading) -> None:
    """Refuse what could not be kept of an entry for export: unsafe keys, endless texts."""
    try:
        normalised(raw, DEFAULT_LIMITS)
    except ValueInvalid as refused:
        for problem in refused.problems:
            reading.refuse(path + problem.path, problem.code, problem.detail)


def _title(raw: Json, spelling: Spelling, path: str, reading: Reading) -> str:
    texts = (reading.text(raw.get(name), pointer(path, name), reading.limits.key_chars) for name in spelling.titles)
    return next((text for text in texts if not is_blank(text)), "")


def _keys(raw: Json, name: str, path: str, reading: Reading) -> tuple[str, ...]:
    most = reading.limits
    return reading.texts(raw.get(name), pointer(path, name), most=most.keys, most_chars=most.key_chars)


def _secondary_keys(raw: Json, spelling: Spelling, path: str, reading: Reading) -> tuple[str, ...]:
    keys = _keys(raw, spelling.secondary_keys, path, reading)
    default = spelling.is_selective_unless_told
    if reading.flag(raw.get("selective"), pointer(path, "selective"), default=default):
        return keys
    if any(not is_blank(key) for key in keys):
        reading.tell(NoticeCode.SECONDARY_KEYS_OFF, path)
    return ()


def _logic(raw: Json, spelling: Spelling, path: str, reading: Reading) -> SecondaryLogic:
    for place, value in given_at(raw, spelling.logic):
        where = _below(path, place)
        number = reading.whole(value, where, default=0)
        if 0 <= number < len(LOGIC_BY_NUMBER):
            return LOGIC_BY_NUMBER[number]
        reading.refuse(where, "unknown_logic", "Expected 0 (any), 1 (not all), 2 (not any) or 3 (all).")
    return SecondaryLogic.AND_ANY


def _placed_flag(raw: Json, places: tuple[Place, ...], path: str, reading: Reading) -> bool:
    for place, value in given_at(raw, places):
        return reading.flag(value, _below(path, place), default=False)
    return False


def _condition(raw: Json, path: str, reading: Reading) -> str | None:
    found = [
        (trimmed(value), _below(path, place))
        for place, value in given_at(raw, CONDITION_PLACES)
        if value != "" and _compiles(value, _below(path, place), reading)
    ]
    if not found:
        return None
    if any(text != found[0][0] for text, _ in found):
        reading.tell(NoticeCode.CONDITIONS_DIFFER, found[0][1])
    return found[0][0]


def _compiles(value: Any, path: str, reading: Reading) -> bool:
    if not isinstance(value, str):
        reading.refuse(path, WRONG_TYPE, 'A condition is a text; null and "" mean that there is none.')
        return False
    try:
        checked_condition(value)
    except ConditionInvalid as refused:
        reading.refuse(path, refused.code, refused.problems[0].detail)
        return False
    return True


def _below(path: str, place: Place) -> str:
    for step in place.steps():
        path = pointer(path, step)
    return path
