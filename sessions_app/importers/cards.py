"""Character cards V1, V2 and V3: their texts, and their book.

V1 has its fields at the top, V2 and V3 in `data`. `character_book: null` is none. Everything else is in `original`.

Source: users of rp.state, "The files people bring", section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from fabric_app.mesh.strict_json import pointer
from sessions_app.importers.book_reading import read_book
from sessions_app.importers.books import BookForm, ImportedBook
from sessions_app.importers.card_files import card_text
from sessions_app.importers.errors import NotACard
from sessions_app.importers.json_text import check_size, read_json
from sessions_app.importers.limits import DEFAULT_IMPORT_LIMITS, ImportLimits
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.importers.reading import WRONG_TYPE, Json, Reading
from sessions_app.importers.report import Report
from sessions_app.protocol.text import is_blank, trimmed

# What makes an object with a name a card of the first version.
V1_FIELDS = ("description", "personality", "scenario", "first_mes", "mes_example")

_SCRIPTS = ("regex_scripts", "tavern_helper", "TavernHelper_scripts", "depth_prompt")


class CardSpec(StrEnum):
    V1 = "v1"
    V2 = "v2"
    V3 = "v3"


_SPECS: Mapping[Any, CardSpec] = {"chara_card_v2": CardSpec.V2, "chara_card_v3": CardSpec.V3}


@dataclass(frozen=True)
class ImportedCard:
    """A card; texts that it does not have are "". `original` is the whole card as it came, for export."""

    name: str
    spec: CardSpec
    description: str
    personality: str
    scenario: str
    first_message: str
    example_messages: str
    alternate_greetings: tuple[str, ...]
    group_only_greetings: tuple[str, ...]
    system_prompt: str
    post_history_instructions: str
    creator_notes: str
    creator: str
    character_version: str
    nickname: str
    tags: tuple[str, ...]
    book: ImportedBook | None
    original: Json

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the content of each text in which a card keeps something for the model, blank ones not."""
        for name in ("description", "personality", "scenario", "first_message", "example_messages", "system_prompt"):
            if not is_blank(getattr(self, name)):
                yield name, getattr(self, name)
        if not is_blank(self.post_history_instructions):
            yield "post_history_instructions", self.post_history_instructions


def read_card(
    content: bytes, filename: str = "", limits: ImportLimits = DEFAULT_IMPORT_LIMITS
) -> tuple[ImportedCard, Report]:
    """Return the card of a JSON, PNG or charx file, and what there is to tell.

    filename: its stem is the name of a card that has none. Raises NotACard, JSONUnreadable, PictureUnreadable,
    ArchiveUnreadable, ImportTooLarge, ImportRefused.
    """
    check_size(content, limits)
    reading = Reading(limits)
    original = read_json(card_text(content, reading), limits)
    data, path, spec = _data_in(original, reading)
    card = _card(original, data, path=path, spec=spec, filename=filename, reading=reading)
    reading.raise_if_any()
    return card, reading.telling.report()


def is_card(value: Any) -> bool:
    """Tell whether a JSON value has the form of a card."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("data"), dict):
        return value.get("spec") in _SPECS if isinstance(value.get("spec"), str) else "name" in value["data"]
    return "name" in value and any(field in value for field in V1_FIELDS)


def _data_in(original: Any, reading: Reading) -> tuple[Json, str, CardSpec]:
    """Return the object with the fields, its place, and whose fields they are."""
    if not isinstance(original, dict):
        raise NotACard.at("", "Expected an object.")
    data, spec = original.get("data"), original.get("spec")
    if isinstance(data, dict) and spec != "lorebook_v3":
        known = _SPECS.get(spec) if isinstance(spec, str) else None
        if known is None:
            reading.tell(NoticeCode.SPEC_UNKNOWN, "/spec")
        return data, "/data", known or CardSpec.V2
    if is_card(original):
        return original, "", CardSpec.V1
    raise NotACard.at("", "Expected a card with its fields in data, or of the first version with name and description.")


def _card(original: Json, data: Json, *, path: str, spec: CardSpec, filename: str, reading: Reading) -> ImportedCard:
    def text(name: str) -> str:
        return reading.text(data.get(name), pointer(path, name), reading.limits.field_chars)

    def texts(name: str) -> tuple[str, ...]:
        most = reading.limits
        listed = _listed(data.get(name))
        return reading.texts(listed, pointer(path, name), most=most.listed, most_chars=most.field_chars)

    card = ImportedCard(
        name=_name(text("name"), filename, path, reading),
        spec=spec,
        description=text("description"),
        personality=text("personality"),
        scenario=text("scenario"),
        first_message=text("first_mes"),
        example_messages=text("mes_example"),
        alternate_greetings=texts("alternate_greetings"),
        group_only_greetings=texts("group_only_greetings"),
        system_prompt=text("system_prompt"),
        post_history_instructions=text("post_history_instructions"),
        creator_notes=text("creator_notes"),
        creator=text("creator"),
        character_version=text("character_version"),
        nickname=text("nickname"),
        tags=texts("tags"),
        book=_book(data.get("character_book"), pointer(path, "character_book"), reading),
        original=original,
    )
    _tell_what_is_not_used(data, card, path, reading)
    return card


def _listed(raw: Any) -> Any:
    """Return one text as a list of it: greetings have commas of their own."""
    return [raw] if isinstance(raw, str) and raw else raw or None


def _name(name: str, filename: str, path: str, reading: Reading) -> str:
    if not is_blank(name):
        return trimmed(name)
    reading.tell(NoticeCode.NAME_MISSING, pointer(path, "name"))
    return trimmed(PurePath(filename).stem)


def _book(raw: Any, path: str, reading: Reading) -> ImportedBook | None:
    if raw is None:
        return None
    if not isinstance(raw, dict):
        reading.refuse(path, WRONG_TYPE, "Expected a book, which is an object, or null.")
        return None
    return read_book(raw, form=BookForm.CHARACTER_BOOK, path=path, reading=reading)


def _tell_what_is_not_used(data: Json, card: ImportedCard, path: str, reading: Reading) -> None:
    reading.label = ""
    extensions = reading.extensions(data, path)
    for name in _SCRIPTS:
        if extensions.get(name):
            reading.tell(NoticeCode.SCRIPTS, pointer(pointer(path, "extensions"), name), name)
    world = extensions.get("world")
    if isinstance(world, str) and not is_blank(world) and card.book is None:
        reading.tell(NoticeCode.LINKED_BOOK, pointer(pointer(path, "extensions"), "world"), world[:80])
    if data.get("assets"):
        reading.tell(NoticeCode.ASSETS, pointer(path, "assets"))
