"""What an entry asks for that Statehouse does not do, each kind told once an import.

Source: rp.state, section 12; users of rp.state, "The files people bring", sections 1 and 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fabric_app.mesh.strict_json import pointer
from sessions_app.importers.books import BookForm, ImportedEntry
from sessions_app.importers.entry_spelling import SPELLINGS, settings_of
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.importers.reading import Reading
from sessions_app.protocol.text import trimmed
from sessions_app.protocol.world_book import is_pattern

Settings = Mapping[str, Any]

_SEARCHED = (
    "matchPersonaDescription",
    "matchCharacterDescription",
    "matchCharacterPersonality",
    "matchCharacterDepthPrompt",
    "matchScenario",
    "matchCreatorNotes",
)
_KNOWN = {form: spelling.known() for form, spelling in SPELLINGS.items()}
_SURE = 100
_PATTERN_SIGNS = re.compile(r"[\\^$*+?\[\]{}|]")


def tell_what_is_not_used(entry: ImportedEntry, form: BookForm, path: str, reading: Reading) -> None:
    """Tell each kind of setting, key and content of an imported entry that has no effect here."""
    raw = entry.original or {}
    settings = {"useProbability": SPELLINGS[form].is_chancy_unless_told, **settings_of(raw, form)}
    for code, asks in _ASKS.items():
        if asks(settings):
            reading.tell(code, path)
    if entry.content.startswith("@@"):
        reading.tell(NoticeCode.DECORATORS, path)
    keys = [trimmed(key) for key in (*entry.keys, *entry.secondary_keys)]
    if any(is_pattern(key) for key in keys):
        reading.tell(NoticeCode.PATTERN_KEYS, path)
    if settings.get("use_regex") is True and any(_PATTERN_SIGNS.search(key) for key in keys if not is_pattern(key)):
        reading.tell(NoticeCode.PATTERN_TAKEN_LITERALLY, path)
    for name in raw:
        if name not in _KNOWN[form]:
            reading.tell(NoticeCode.UNKNOWN_MEMBERS, pointer(path, name), name[:80])


def _any_of(*names: str) -> Callable[[Settings], bool]:
    return lambda settings: any(settings.get(name) for name in names)


def _is_chancy(settings: Settings) -> bool:
    """Tell whether less than every match activates: of 100, or of 1.0 in other tools; a whole 1 may be either."""
    chance = settings.get("probability", _SURE)
    is_sure = chance == _SURE or (isinstance(chance, float) and chance == 1)
    return bool(settings["useProbability"]) and not is_sure


def _is_filtered(settings: Settings) -> bool:
    given = settings.get("characterFilter")
    characters = isinstance(given, dict) and (given.get("names") or given.get("tags"))
    return bool(characters or settings.get("triggers"))


def _is_scanned(settings: Settings) -> bool:
    return "scanDepth" in settings or any(settings.get(name) for name in _SEARCHED)


_ASKS: Mapping[NoticeCode, Callable[[Settings], bool]] = {
    NoticeCode.PROBABILITY: _is_chancy,
    NoticeCode.TIMING: _any_of("sticky", "cooldown", "delay"),
    NoticeCode.GROUP: _any_of("group"),
    NoticeCode.VECTORS: _any_of("vectorized"),
    NoticeCode.FILTERS: _is_filtered,
    NoticeCode.RECURSION: _any_of("excludeRecursion", "preventRecursion", "delayUntilRecursion"),
    NoticeCode.PLACEMENT: lambda settings: "position" in settings,
    NoticeCode.SCANNING: _is_scanned,
    NoticeCode.BUDGET: lambda settings: "priority" in settings or bool(settings.get("ignoreBudget")),
    NoticeCode.AUTOMATION: _any_of("automationId"),
}
