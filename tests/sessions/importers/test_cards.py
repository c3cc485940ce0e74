"""Character cards in each version and wrapping: what is read, which one wins, what is refused."""

from __future__ import annotations

import json
import zipfile
from typing import Any

import pytest

from sessions_app.importers.books import BookForm
from sessions_app.importers.cards import CardSpec, ImportedCard, read_card
from sessions_app.importers.errors import (
    ArchiveUnreadable,
    ImportRefused,
    ImportTooLarge,
    JSONUnreadable,
    NotACard,
    PictureUnreadable,
)
from sessions_app.importers.limits import ImportLimits
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.protocol.world_book import SecondaryLogic
from tests.sessions.importers.brought_files import (
    CARD_ENTRY,
    IN_WINTER,
    card,
    character_book,
    charx,
    chunk,
    packed,
    png,
    text_chunk,
)

SMALL = ImportLimits(text_bytes=2_000)
BOMB = packed({"name": "雪", "description": "0" * 5_000_000})


def read(value: Any) -> ImportedCard:
    return read_card(packed(value))[0]


class TestReadCard:
    @pytest.mark.parametrize(("spec", "version"), [("chara_card_v2", CardSpec.V2), ("chara_card_v3", CardSpec.V3)])
    def test_takes_the_texts_and_keeps_the_whole(self, spec: str, version: CardSpec) -> None:
        original = card(spec, nickname="遥", group_only_greetings=["大家好"], 未知={"a": [1.5]})

        found = read(original)

        assert (found.name, found.spec, found.description) == ("阿遥", version, "钟楼里的守夜人。")
        assert (found.first_message, found.alternate_greetings) == ("……你来了？", ("下雪了, 进来吧。", "Come in."))
        assert (found.nickname, found.group_only_greetings, found.tags) == ("遥", ("大家好",), ("冬", "tower"))
        assert (found.personality, found.scenario, found.example_messages) == ("冷静", "冬夜", "<START>")
        assert (found.book, found.original) == (None, original)
        assert dict(found.texts())["first_message"] == "……你来了？"

    def test_reads_the_first_version_with_its_fields_at_the_top(self) -> None:
        found = read({"name": "Ида", "description": "Смотритель.", "first_mes": "Тихо.", "character_book": None})

        assert (found.name, found.spec, found.first_message, found.system_prompt) == ("Ида", CardSpec.V1, "Тихо.", "")

    def test_reads_nulls_numbers_and_missing_fields(self) -> None:
        found = read({"spec": "chara_card_v2", "data": {"name": 1984, "tags": None, "alternate_greetings": "a, b"}})

        assert (found.name, found.tags, found.alternate_greetings) == ("1984", (), ("a, b",))

    def test_a_card_without_a_name_is_called_like_its_file(self) -> None:
        found, report = read_card(packed(card(name=" ")), "守夜人.json")

        assert found.name == "守夜人"
        assert report.of(NoticeCode.NAME_MISSING) is not None


class TestTheBook:
    def test_null_is_none(self) -> None:
        assert read(card(character_book=None)).book is None

    def test_extensions_win_over_the_entrys_own_fields(self) -> None:
        book = read(card(character_book=character_book(CARD_ENTRY, description="岛"))).book

        assert book is not None
        assert (book.name, book.description, book.form) == ("Остров", "岛", BookForm.CHARACTER_BOOK)
        [entry] = book.entries
        assert (entry.entry_id, entry.title, entry.order, entry.original) == ("3", "Маяк", 50, CARD_ENTRY)
        assert (entry.case_sensitive, entry.whole_words) == (True, False)
        assert (entry.secondary_keys, entry.secondary_logic) == (("шторм",), SecondaryLogic.NOT_ANY)

    @pytest.mark.parametrize("position", [4, 0, "before_char", "after_char", None, "somewhere"])
    def test_a_position_is_a_number_or_a_word(self, position: Any) -> None:
        book = read(card(character_book=character_book({**CARD_ENTRY, "position": position}))).book

        assert book is not None
        assert book.entries[0].original == {**CARD_ENTRY, "position": position}

    @pytest.mark.parametrize("name", ["state_condition", "stateCondition"])
    @pytest.mark.parametrize("is_inner", [True, False])
    def test_a_gate_stands_in_the_entry_or_its_extensions(self, name: str, is_inner: bool) -> None:
        gate = {name: f" {IN_WINTER} "}
        entry = {**CARD_ENTRY, "extensions": gate} if is_inner else {**CARD_ENTRY, **gate}

        book = read(card(character_book=character_book(entry))).book

        assert book is not None
        assert book.entries[0].state_condition == IN_WINTER

    def test_a_bad_gate_is_refused_with_its_place(self) -> None:
        entry = {**CARD_ENTRY, "extensions": {"state_condition": "季节 == 冬"}}

        with pytest.raises(ImportRefused) as error:
            read(card(character_book=character_book(CARD_ENTRY, entry)))

        assert [(each.path, each.code) for each in error.value.problems] == [
            ("/data/character_book/entries/1/extensions/state_condition", "CONDITION_INVALID")
        ]

    def test_secondary_keys_count_only_where_the_entry_is_selective(self) -> None:
        entry = {name: value for name, value in CARD_ENTRY.items() if name != "selective"}

        book = read(card(character_book=character_book(entry))).book

        assert book is not None
        assert book.entries[0].secondary_keys == ()

    def test_patterns_without_slashes_are_told(self) -> None:
        content = packed(card(character_book=character_book({**CARD_ENTRY, "keys": ["снег|лёд"]})))

        assert read_card(content)[1].of(NoticeCode.PATTERN_TAKEN_LITERALLY) is not None


class TestTheReport:
    def test_tells_what_of_the_card_is_left(self) -> None:
        extensions = {"regex_scripts": [{"a": 1}], "world": "雨夜之书"}
        assets = [{"type": "icon", "uri": "ccdefault:"}]

        _, report = read_card(packed(card("chara_card_v9", extensions=extensions, assets=assets)))

        assert [(notice.code, notice.path) for notice in report] == [
            (NoticeCode.SPEC_UNKNOWN, "/spec"),
            (NoticeCode.SCRIPTS, "/data/extensions/regex_scripts"),
            (NoticeCode.LINKED_BOOK, "/data/extensions/world"),
            (NoticeCode.ASSETS, "/data/assets"),
        ]


class TestAPicture:
    @pytest.mark.parametrize("kind", [b"tEXt", b"zTXt", b"iTXt"])
    def test_carries_the_card_in_each_kind_of_text(self, kind: bytes) -> None:
        found, _ = read_card(png(text_chunk("chara", card(), kind)), "阿遥.png")

        assert found.original == card()

    def test_the_third_version_wins_wherever_it_stands(self) -> None:
        older, newer = card(name="old"), card("chara_card_v3", name="new")

        for chunks in ([("chara", older), ("ccv3", newer)], [("CCV3", newer), ("chara", older)]):
            assert read_card(png(*(text_chunk(*each) for each in chunks)))[0].name == "new"

    def test_of_two_of_a_kind_the_first_is_taken_and_told(self) -> None:
        found, report = read_card(png(text_chunk("chara", card(name="1")), text_chunk("chara", card(name="2"))))

        assert found.name == "1"
        assert report.of(NoticeCode.CARD_TWICE) is not None

    @pytest.mark.parametrize(
        ("content", "error"),
        [
            (png(), NotACard),
            (png(chunk(b"tEXt", b"Comment\0chara")), NotACard),
            (png(text_chunk("chara", card()))[:-20], PictureUnreadable),
            (png(text_chunk("chara", card())).replace(b"chara\0", b"chara\1"), NotACard),
            (png(text_chunk("chara", card())).replace(b"chara\0e", b"chara\0f"), PictureUnreadable),
            (png(chunk(b"tEXt", b"chara\0{not base64}")), PictureUnreadable),
            (png(chunk(b"zTXt", b"chara\0\0not packed")), PictureUnreadable),
            (png(chunk(b"zTXt", b"chara\0")), PictureUnreadable),
            (png(chunk(b"iTXt", b"chara\0\0\0")), PictureUnreadable),
            (png(text_chunk("chara", b"\xff")), JSONUnreadable),
            (png(text_chunk("chara", [1])), NotACard),
            (b"\x89PNG\r\n\x1a\n", NotACard),
            (b"\x89PNG\r\n\x1a\n\0\0", PictureUnreadable),
        ],
    )
    def test_that_is_damaged_or_has_none_is_refused(self, content: bytes, error: type[ImportRefused]) -> None:
        with pytest.raises(error):
            read_card(content)

    @pytest.mark.parametrize("kind", [b"tEXt", b"zTXt", b"iTXt"])
    def test_is_not_unpacked_beyond_the_limit(self, kind: bytes) -> None:
        with pytest.raises(ImportTooLarge):
            read_card(png(text_chunk("chara", BOMB, kind)), limits=SMALL)

    def test_has_not_endless_chunks(self) -> None:
        with pytest.raises(ImportTooLarge):
            read_card(png(*[chunk(b"aaAa", b"")] * 50), limits=ImportLimits(chunks=20))


class TestAnArchive:
    @pytest.mark.parametrize("before", [b"", b"\xff\xd8\xff\xe0 a picture "])
    def test_carries_the_card(self, before: bytes) -> None:
        found, _ = read_card(before + charx(card("chara_card_v3")), "阿遥.charx")

        assert (found.name, found.spec) == ("阿遥", CardSpec.V3)

    @pytest.mark.parametrize(
        ("content", "error"),
        [
            (charx(card(), name="other.json"), NotACard),
            (charx(card(), packing=zipfile.ZIP_BZIP2), ArchiveUnreadable),
            (charx(card(), packing=zipfile.ZIP_STORED).replace("阿遥".encode(), "阿遇".encode()), ArchiveUnreadable),
            (charx(b"{"), JSONUnreadable),
        ],
    )
    def test_that_cannot_be_read_is_refused(self, content: bytes, error: type[ImportRefused]) -> None:
        with pytest.raises(error):
            read_card(content)

    def test_is_not_unpacked_beyond_the_limit(self) -> None:
        with pytest.raises(ImportTooLarge):
            read_card(charx(BOMB), limits=SMALL)

    def test_has_not_endless_files(self) -> None:
        with pytest.raises(ImportTooLarge):
            read_card(charx(card()), limits=ImportLimits(archive_members=1))


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        "value",
        [None, 5, "card", [], {}, {"name": "x"}, {"data": []}, {"spec": "lorebook_v3", "data": {"entries": []}}],
    )
    def test_what_is_no_card(self, value: Any) -> None:
        with pytest.raises(NotACard):
            read(value)

    def test_all_faults_come_together(self) -> None:
        value = card(name=["x"], tags={"a": 1}, alternate_greetings=["ok", False], character_book=[])

        with pytest.raises(ImportRefused) as error:
            read(value)

        assert [(each.path, each.code) for each in error.value.problems] == [
            ("/data/name", "wrong_type"),
            ("/data/alternate_greetings/1", "wrong_type"),
            ("/data/tags", "wrong_type"),
            ("/data/character_book", "wrong_type"),
        ]
        assert json.dumps(error.value.as_json())

    def test_a_text_that_is_too_long(self) -> None:
        with pytest.raises(ImportRefused):
            read_card(packed(card()), limits=ImportLimits(field_chars=3))
