"""How the two forms of world-book entries spell what Statehouse uses, and where they keep the rest.

SillyTavern's own files have everything in the entry. A card's book has few fields of its own; what it cannot express
stands in `extensions`, and wins there.

Source: users of rp.state, "The files people bring", sections 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app.importers.books import BookForm
from sessions_app.protocol.world_book import SecondaryLogic

Json = dict[str, Any]
EXTENSIONS = "extensions"
CONDITION_NAMES = ("state_condition", "stateCondition")
LOGIC_BY_NUMBER = (
    SecondaryLogic.AND_ANY,
    SecondaryLogic.NOT_ALL,
    SecondaryLogic.NOT_ANY,
    SecondaryLogic.AND_ALL,
)

# SillyTavern's name of what a card keeps in `extensions` -> its name there.
NAME_IN_EXTENSIONS: Mapping[str, str] = {
    "position": "position",
    "depth": "depth",
    "role": "role",
    "outletName": "outlet_name",
    "displayIndex": "display_index",
    "probability": "probability",
    "useProbability": "useProbability",
    "selectiveLogic": "selectiveLogic",
    "caseSensitive": "case_sensitive",
    "matchWholeWords": "match_whole_words",
    "excludeRecursion": "exclude_recursion",
    "preventRecursion": "prevent_recursion",
    "delayUntilRecursion": "delay_until_recursion",
    "scanDepth": "scan_depth",
    "group": "group",
    "groupOverride": "group_override",
    "groupWeight": "group_weight",
    "useGroupScoring": "use_group_scoring",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "vectorized": "vectorized",
    "automationId": "automation_id",
    "ignoreBudget": "ignore_budget",
    "triggers": "triggers",
    "characterFilter": "character_filter",
    "matchPersonaDescription": "match_persona_description",
    "matchCharacterDescription": "match_character_description",
    "matchCharacterPersonality": "match_character_personality",
    "matchCharacterDepthPrompt": "match_character_depth_prompt",
    "matchScenario": "match_scenario",
    "matchCreatorNotes": "match_creator_notes",
}


@dataclass(frozen=True)
class Place:
    """Where a setting stands: its name, in the entry itself or in its extensions."""

    name: str
    is_inner: bool = False

    def steps(self) -> tuple[str, ...]:
        return (EXTENSIONS, self.name) if self.is_inner else (self.name,)


CONDITION_PLACES = (
    *(Place(name, is_inner=True) for name in CONDITION_NAMES),
    *(Place(name) for name in CONDITION_NAMES),
)


@dataclass(frozen=True)
class Spelling:
    """How one form names the parts of an entry. Of several places the first that is not null counts."""

    titles: tuple[str, ...]
    keys: str
    secondary_keys: str
    order: str
    switch: str
    is_switch_off: bool
    is_selective_unless_told: bool
    is_chancy_unless_told: bool
    logic: tuple[Place, ...]
    case_sensitive: tuple[Place, ...]
    whole_words: tuple[Place, ...]
    others: frozenset[str]

    def known(self) -> frozenset[str]:
        """Return every member that an entry of this form is known to have."""
        places = (*self.logic, *self.case_sensitive, *self.whole_words, *CONDITION_PLACES)
        own = (place.name for place in places if not place.is_inner)
        named = (*self.titles, self.keys, self.secondary_keys, self.order, self.switch)
        return frozenset(("content", "constant", "selective", EXTENSIONS, *named, *own)) | self.others


SPELLINGS: Mapping[BookForm, Spelling] = {
    BookForm.WORLD_INFO: Spelling(
        titles=("comment",),
        keys="key",
        secondary_keys="keysecondary",
        order="order",
        switch="disable",
        is_switch_off=True,
        is_selective_unless_told=True,
        is_chancy_unless_told=False,
        logic=(Place("selectiveLogic"),),
        case_sensitive=(Place("caseSensitive"),),
        whole_words=(Place("matchWholeWords"),),
        others=frozenset((*NAME_IN_EXTENSIONS, "uid", "addMemo")),
    ),
    BookForm.CHARACTER_BOOK: Spelling(
        titles=("comment", "name"),
        keys="keys",
        secondary_keys="secondary_keys",
        order="insertion_order",
        switch="enabled",
        is_switch_off=False,
        is_selective_unless_told=False,
        is_chancy_unless_told=True,
        logic=(Place("selectiveLogic", is_inner=True), Place("selectiveLogic")),
        case_sensitive=(Place("case_sensitive", is_inner=True), Place("case_sensitive")),
        whole_words=(Place("match_whole_words", is_inner=True), Place("match_whole_words")),
        others=frozenset(("id", "priority", "position", "use_regex")),
    ),
}


def inner(entry: Mapping[str, Any]) -> Json:
    """Return an entry's extensions; anything but an object is none."""
    raw = entry.get(EXTENSIONS)
    return raw if isinstance(raw, dict) else {}


def given_at(entry: Mapping[str, Any], places: tuple[Place, ...]) -> Iterator[tuple[Place, Any]]:
    """Yield the places at which something other than null stands, with what it is."""
    extensions = inner(entry)
    for place in places:
        value = (extensions if place.is_inner else entry).get(place.name)
        if value is not None:
            yield place, value


def settings_of(entry: Mapping[str, Any], form: BookForm) -> Json:
    """Return everything else that is set in an entry, under SillyTavern's names; nulls are left out."""
    if form is BookForm.WORLD_INFO:
        return {name: value for name, value in entry.items() if value is not None}
    extensions = inner(entry)
    found = {name: extensions.get(there) for name, there in NAME_IN_EXTENSIONS.items()}
    own = {name: entry.get(name) for name in ("position", "priority", "use_regex")}
    told = own | {name: value for name, value in found.items() if value is not None}
    return {name: value for name, value in told.items() if value is not None}
