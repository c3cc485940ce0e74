"""What is written out: the file as it came, with what was changed here, in its own form or the other one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.importers.books import BookForm, ImportedBook, ImportedEntry, stored_book
from sessions_app.importers.cards import read_card
from sessions_app.importers.exporting import card_of, character_book_of, world_info_of
from sessions_app.importers.world_info import read_world_info
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.world_book_reading import read_entries
from tests.sessions.importers.brought_files import CARD_ENTRY, IN_WINTER, INN, TOWER, card, character_book, world_info
from tests.sessions.importers.brought_files import packed as packed_json
from tests.sessions.importers.entries_in_the_wild import CARD_ENTRIES, CHANGES, JSON, WORLD_INFO_ENTRIES

WRITERS = {BookForm.WORLD_INFO: world_info_of, BookForm.CHARACTER_BOOK: character_book_of}
BOOKS = st.lists(WORLD_INFO_ENTRIES, max_size=3).map(lambda entries: world_info(*_distinct(entries))) | st.lists(
    CARD_ENTRIES.map(lambda entry: {"keys": [], **entry}), min_size=1, max_size=3
).map(lambda entries: character_book(*entries))


def _distinct(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**entry, "uid": index} for index, entry in enumerate(entries)]


def book_of(value: Any) -> ImportedBook:
    return read_world_info(value)[0]


def read_as(form: BookForm, value: Any) -> ImportedBook:
    """Return the book of a value whose form is known, not guessed."""
    if form is BookForm.WORLD_INFO:
        return book_of(value)
    book = read_card(packed_json(card(character_book=value)))[0].book
    assert book is not None
    return book


def changed(value: Any, **fields: Any) -> ImportedBook:
    book = book_of(value)
    first, *others = book.entries
    return replace(book, entries=(replace(first, **fields), *others))


def plain(entry: ImportedEntry) -> ImportedEntry:
    return replace(entry, original=None, entry_id="")


class TestAnUnchangedBook:
    @given(BOOKS)
    def test_comes_back_as_it_was(self, value: Any) -> None:
        book = book_of(value)

        assert packed(WRITERS[book.form](book)) == packed(value)

    @pytest.mark.parametrize(
        "value",
        [
            world_info(TOWER, INN, name="雨夜", originalData={"entries": [1]}, extensions={"x": {}}),
            {"name": "a list", "entries": [TOWER, INN]},
            {"entries": {"a": TOWER, "007": INN}, "更多": None},
            character_book(CARD_ENTRY, scan_depth=2, description=None),
            {"entries": {"1": CARD_ENTRY}},
        ],
    )
    def test_keeps_the_shape_and_the_order_of_its_members(self, value: Any) -> None:
        book = book_of(value)

        assert packed(WRITERS[book.form](book)) == packed(value)

    @given(BOOKS)
    def test_comes_back_from_where_it_is_stored(self, value: Any) -> None:
        book = book_of(value)
        stored = json.loads(packed(read_entries(book.wire_entries(), DEFAULT_LIMITS)))
        original = json.loads(packed(book.wire_original("A title")))

        restored = stored_book(title="A title", entries=stored, original=original)

        assert WRITERS[book.form](restored) == value

    def test_of_a_card_comes_back_in_the_card(self) -> None:
        for value in (card(character_book=character_book(CARD_ENTRY)), card(character_book=None)):
            assert card_of(read_card(packed_json(value))[0]) == value

    def test_of_a_first_version_stands_at_the_top(self) -> None:
        value = {"name": "Ида", "description": "", "character_book": {"entries": None}}

        assert card_of(read_card(packed_json(value))[0]) == value


class TestAChangedEntry:
    @given(BOOKS, CHANGES, st.sampled_from(BookForm))
    def test_reads_as_it_was_changed_in_either_form(self, value: Any, changes: dict[str, Any], form: BookForm) -> None:
        if not value["entries"]:
            return
        book = changed(value, **changes)

        written = read_as(form, WRITERS[form](book))

        assert [plain(each) for each in written.entries] == [plain(each) for each in book.entries]

    def test_keeps_everything_else(self) -> None:
        written = world_info_of(changed(world_info(INN), order=30, title="温泉"))

        assert written["entries"]["7"] == {**INN, "order": 30, "comment": "温泉"}

    def test_writes_a_gate_among_the_extensions_and_leaves_no_other(self) -> None:
        entry = {**TOWER, "stateCondition": "true"}

        written = world_info_of(changed(world_info(entry), state_condition=IN_WINTER))

        assert written["entries"]["0"] == {**TOWER, "extensions": {"state_condition": IN_WINTER}}

    def test_loses_its_gate_in_every_spelling(self) -> None:
        written = world_info_of(changed(world_info(INN), state_condition=None))

        assert written["entries"]["7"]["extensions"] == {"myTool": {"颜色": "红"}}

    def test_writes_a_setting_where_it_stood(self) -> None:
        written = character_book_of(changed(character_book(CARD_ENTRY), case_sensitive=False, whole_words=True))

        [entry] = written["entries"]
        assert entry["extensions"] == {**CARD_ENTRY["extensions"], "case_sensitive": False, "match_whole_words": True}
        assert (entry["case_sensitive"], entry["position"]) == (False, 4)

    def test_leaves_out_a_copy_of_the_book_that_would_undo_it(self) -> None:
        value = world_info(TOWER, INN, originalData={"entries": []})

        assert "originalData" not in world_info_of(changed(value, order=1))
        book = book_of(value)
        assert "originalData" not in world_info_of(replace(book, entries=book.entries[:1]))

    def test_reads_right_even_where_its_original_never_could(self) -> None:
        broken = {"key": {"no": "list"}, "disable": "perhaps", "extensions": 5, "order": [], "stateCondition": "?"}
        entry = ImportedEntry(entry_id="1", title="雪", content="Snow.", keys=("雪",), original=broken)
        book = ImportedBook("", "", (entry,), BookForm.WORLD_INFO)

        assert [plain(each) for each in book_of(world_info_of(book)).entries] == [plain(entry)]

    @given(st.dictionaries(st.sampled_from([*TOWER, *CARD_ENTRY]), JSON), st.sampled_from(BookForm))
    def test_any_original_can_be_written(self, original: dict[str, Any], form: BookForm) -> None:
        entry = ImportedEntry(entry_id="1", title="雪", content="Snow.", keys=("雪",), original=original)

        for each in BookForm:
            written = WRITERS[each](ImportedBook("", "", (entry,), form))

            assert [plain(read) for read in read_as(each, written).entries] == [plain(entry)]


class TestAnEntryThatWasMadeHere:
    def test_gets_what_other_programs_expect_and_a_free_number(self) -> None:
        book = book_of(world_info(TOWER, INN))
        made = ImportedEntry(entry_id="nouvelle", title="Neige", content="Il neige.", keys=("neige",))

        written = world_info_of(replace(book, entries=(made, *book.entries)))

        assert list(written["entries"]) == ["8", "0", "7"]
        assert {"uid": 8, "key": ["neige"], "comment": "Neige", "disable": False}.items() <= written["entries"][
            "8"
        ].items()

    def test_stands_in_a_book_that_was_made_here(self) -> None:
        made = ImportedEntry(entry_id="1", title="Neige", content="Il neige.", state_condition=IN_WINTER)
        book = stored_book(title="Hiver", entries=[made.as_wire()], original=None)

        assert character_book_of(book)["name"] == "Hiver"
        assert world_info_of(book)["entries"]["1"]["extensions"] == {"state_condition": IN_WINTER}


class TestTheOtherForm:
    def test_of_a_cards_entry_has_sillytaverns_names(self) -> None:
        written = world_info_of(book_of(character_book(CARD_ENTRY)))

        entry = written["entries"]["3"]
        assert (written["name"], entry["uid"], entry["key"], entry["order"]) == ("Остров", 3, CARD_ENTRY["keys"], 50)
        assert (entry["position"], entry["depth"], entry["sticky"], entry["selectiveLogic"]) == (1, 4, 2, 2)
        assert (entry["caseSensitive"], entry["disable"], "use_regex" in entry) == (True, False, False)

    def test_of_sillytaverns_entry_keeps_the_rest_among_the_extensions(self) -> None:
        written = character_book_of(book_of(world_info({**INN, "мой": 1}, name="旅", originalData={})))

        [entry] = written["entries"]
        assert (written["name"], "originalData" in written, entry["id"]) == ("旅", False, 7)
        assert (entry["position"], entry["enabled"], entry["insertion_order"]) == ("before_char", False, 20)
        assert entry["extensions"] == {
            "myTool": {"颜色": "红"},
            "мой": 1,
            "position": 0,
            "probability": 30,
            "useProbability": True,
            "selectiveLogic": 3,
            "case_sensitive": True,
            "match_whole_words": True,
            "state_condition": IN_WINTER,
        }


class TestANewName:
    def test_is_written_where_the_title_changed_since(self) -> None:
        book = book_of(world_info(TOWER))
        kept = book.wire_original("雨夜")

        same, other = (
            stored_book(title=title, entries=book.wire_entries(), original=kept) for title in ("雨夜", "雪夜")
        )

        assert "name" not in world_info_of(same)
        assert world_info_of(other)["name"] == "雪夜"


def packed(value: Any) -> str:
    """Return JSON text, in which the order of members counts, and 1 is not true."""
    return json.dumps(value, ensure_ascii=False)
