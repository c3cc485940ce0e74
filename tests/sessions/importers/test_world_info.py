"""World books of their own: what Statehouse takes of an entry, what it tells, what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.importers.books import BookForm, ImportedEntry
from sessions_app.importers.errors import ImportRefused, ImportTooLarge, JSONUnreadable, NotAWorldBook
from sessions_app.importers.limits import ImportLimits
from sessions_app.importers.notice_kinds import NoticeCode, Severity
from sessions_app.importers.report import Report
from sessions_app.importers.world_info import read_world_info, read_world_info_file
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.world_book import SecondaryLogic
from sessions_app.protocol.world_book_reading import read_entries
from tests.sessions.importers.brought_files import (
    CARD_ENTRY,
    IN_WINTER,
    INN,
    TOWER,
    character_book,
    packed,
    world_info,
)


def only(**entry: Any) -> ImportedEntry:
    book, _ = read_world_info(world_info({"uid": 1, "key": ["a"], "content": "Text.", **entry}))
    return book.entries[0]


def told(*entries: dict[str, Any]) -> Report:
    return read_world_info(world_info(*entries))[1]


def refused(*entries: Any, **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(ImportRefused) as error:
        read_world_info(world_info(*entries, **more))
    return [(problem.path, problem.code) for problem in error.value.problems]


class TestReadWorldInfo:
    def test_takes_what_an_entry_says_and_keeps_it_as_it_came(self) -> None:
        book, _ = read_world_info(world_info(TOWER, INN, name="雨夜", extensions={"x": 1}))

        assert (book.name, book.form, book.rest) == (
            "雨夜",
            BookForm.WORLD_INFO,
            {"entries": {}, "name": "雨夜", "extensions": {"x": 1}},
        )
        assert book.entries == (
            ImportedEntry(
                entry_id="0",
                title="钟楼·冬",
                content="冬天的钟楼不敲钟。",
                keys=("钟楼", "clock tower"),
                original=TOWER,
            ),
            ImportedEntry(
                entry_id="7",
                title="旅館",
                content="夜の旅館は静かだ。",
                keys=("ryokan", "旅館", "/onsen[s]?,hot spring/i"),
                secondary_keys=("夜", "night"),
                secondary_logic=SecondaryLogic.AND_ALL,
                order=20,
                state_condition=IN_WINTER,
                enabled=False,
                case_sensitive=True,
                whole_words=True,
                original=INN,
            ),
        )

    def test_gives_entries_that_a_world_book_takes(self) -> None:
        book, _ = read_world_info(world_info(TOWER, INN))

        stored = read_entries(book.wire_entries(), DEFAULT_LIMITS)

        assert stored == book.wire_entries()
        assert [entry.as_entry().state_condition for entry in book.entries] == [None, IN_WINTER]

    def test_reads_a_list_of_entries_and_makes_ids_that_are_missing_or_repeated(self) -> None:
        book, _ = read_world_info({"entries": [TOWER, TOWER, {"key": [], "content": ""}]})

        assert [entry.entry_id for entry in book.entries] == ["0", "0-2", "3"]

    @pytest.mark.parametrize("wrap", [lambda book: book, lambda book: {"spec": "lorebook_v3", "data": book}])
    def test_reads_a_cards_book_that_stands_alone(self, wrap: Any) -> None:
        book, _ = read_world_info(wrap(character_book(CARD_ENTRY)))

        assert (book.name, book.form) == ("Остров", BookForm.CHARACTER_BOOK)
        assert book.entries[0].keys == ("маяк", "lighthouse")

    @pytest.mark.parametrize(
        ("number", "logic"),
        [
            (None, SecondaryLogic.AND_ANY),
            (0, SecondaryLogic.AND_ANY),
            (1, SecondaryLogic.NOT_ALL),
            (2, SecondaryLogic.NOT_ANY),
            (3, SecondaryLogic.AND_ALL),
        ],
    )
    def test_reads_the_logic_by_its_number(self, number: int | None, logic: SecondaryLogic) -> None:
        assert only(selectiveLogic=number).secondary_logic is logic

    @pytest.mark.parametrize(
        ("given", "name", "value"),
        [
            ({"key": None}, "keys", ()),
            ({"key": ""}, "keys", ()),
            ({"key": "," * 200_000}, "keys", ()),
            ({"key": [1990, None, "x"]}, "keys", ("1990", "x")),
            ({"keysecondary": "a，b, c", "selective": None}, "secondary_keys", ("a，b", "c")),
            ({"keysecondary": ["a"], "selective": False}, "secondary_keys", ()),
            ({"order": None}, "order", 100),
            ({"order": "42"}, "order", 42),
            ({"order": 7.9}, "order", 7),
            ({"order": -3.0}, "order", -3),
            ({"disable": None}, "enabled", True),
            ({"disable": 1}, "enabled", False),
            ({"constant": True, "key": []}, "constant", True),
            ({"comment": None}, "title", ""),
            ({"content": None}, "content", ""),
            ({"content": "a\0b"}, "content", "a\0b"),
            ({"caseSensitive": None}, "case_sensitive", False),
            ({"extensions": None}, "state_condition", None),
            ({"extensions": []}, "state_condition", None),
            ({"state_condition": None, "stateCondition": ""}, "state_condition", None),
            ({"stateCondition": IN_WINTER}, "state_condition", IN_WINTER),
            ({"extensions": {"stateCondition": f" {IN_WINTER} "}}, "state_condition", IN_WINTER),
            ({"state_condition": "true", "extensions": {"state_condition": IN_WINTER}}, "state_condition", IN_WINTER),
            ({"state_condition": IN_WINTER, "extensions": {"state_condition": None}}, "state_condition", IN_WINTER),
        ],
    )
    def test_takes_what_the_world_writes(self, given: dict[str, Any], name: str, value: Any) -> None:
        assert getattr(only(**given), name) == value


class TestTheReport:
    def test_names_each_kind_once_with_a_count_and_the_entries(self) -> None:
        notices = told(INN, {**INN, "uid": 8, "comment": "二号"}, TOWER)

        found = notices.of(NoticeCode.PROBABILITY)
        assert found is not None
        assert (found.severity, found.count, found.path) == (Severity.WARNING, 2, "/entries/7")
        assert found.places == ("/entries/7", "/entries/8")
        assert found.message.endswith("(2: 旅館, 二号)")
        assert len({notice.code for notice in notices}) == len(notices.notices)
        assert all(notice["message"] for notice in notices.as_json())

    @pytest.mark.parametrize(
        ("given", "code"),
        [
            ({"probability": 50, "useProbability": True}, NoticeCode.PROBABILITY),
            ({"probability": 0.5, "useProbability": True}, NoticeCode.PROBABILITY),
            ({"sticky": 2}, NoticeCode.TIMING),
            ({"group": "天气"}, NoticeCode.GROUP),
            ({"key": ["/雪+/u"]}, NoticeCode.PATTERN_KEYS),
            ({"vectorized": True}, NoticeCode.VECTORS),
            ({"triggers": ["swipe"]}, NoticeCode.FILTERS),
            ({"characterFilter": {"names": ["阿遥"], "tags": []}}, NoticeCode.FILTERS),
            ({"content": "@@depth 4\n雪"}, NoticeCode.DECORATORS),
            ({"preventRecursion": True}, NoticeCode.RECURSION),
            ({"position": 4}, NoticeCode.PLACEMENT),
            ({"scanDepth": 2}, NoticeCode.SCANNING),
            ({"matchScenario": True}, NoticeCode.SCANNING),
            ({"ignoreBudget": True}, NoticeCode.BUDGET),
            ({"automationId": "qr-1"}, NoticeCode.AUTOMATION),
            ({"keysecondary": ["x"], "selective": False}, NoticeCode.SECONDARY_KEYS_OFF),
            ({"comment": 5}, NoticeCode.READ_AS_TEXT),
            ({"order": 1.5}, NoticeCode.READ_AS_NUMBER),
            ({"disable": 0}, NoticeCode.READ_AS_FLAG),
            ({"state_condition": "true", "stateCondition": "false"}, NoticeCode.CONDITIONS_DIFFER),
            ({"extensions": ["x"]}, NoticeCode.EXTENSIONS_NOT_AN_OBJECT),
            ({"мой": 1}, NoticeCode.UNKNOWN_MEMBERS),
        ],
    )
    def test_tells_what_is_not_used_or_was_read_otherwise(self, given: dict[str, Any], code: NoticeCode) -> None:
        assert [notice.code for notice in told({"uid": 1, "content": "", **given})] == [code]

    @pytest.mark.parametrize(
        "given",
        [
            {"probability": 30, "useProbability": False},
            {"probability": 100, "useProbability": True},
            {"probability": 1.0, "useProbability": True},
            {"sticky": 0, "group": "", "scanDepth": None, "caseSensitive": None},
        ],
    )
    def test_is_silent_where_nothing_is_lost(self, given: dict[str, Any]) -> None:
        assert told({"uid": 1, "content": "", **given}).notices == ()


class TestWhatIsRefused:
    @pytest.mark.parametrize("value", [None, [], "book", 5, {}, {"entries": None}, {"entries": "none"}, {"a": []}])
    def test_what_is_no_world_book(self, value: Any) -> None:
        with pytest.raises(NotAWorldBook):
            read_world_info(value)

    @pytest.mark.parametrize(
        ("given", "path", "code"),
        [
            ({"stateCondition": "  \t"}, "/stateCondition", "CONDITION_INVALID"),
            ({"extensions": {"state_condition": "hp > 5"}}, "/extensions/state_condition", "CONDITION_INVALID"),
            ({"extensions": {"state_condition": True}}, "/extensions/state_condition", "wrong_type"),
            ({"content": ["x"]}, "/content", "wrong_type"),
            ({"key": {"a": 1}}, "/key", "wrong_type"),
            ({"key": ["a", True]}, "/key/1", "wrong_type"),
            ({"key": ["a"] * 257}, "/key", "too_many"),
            ({"key": "a," * 300}, "/key", "too_many"),
            ({"key": ["a" * 1001]}, "/key/0", "too_long"),
            ({"disable": "yes"}, "/disable", "wrong_type"),
            ({"order": "first"}, "/order", "wrong_type"),
            ({"order": 1e300}, "/order", "wrong_type"),
            ({"selectiveLogic": 4}, "/selectiveLogic", "unknown_logic"),
            ({"x": {"__proto__": 1}}, "/x/__proto__", "VALUE_INVALID"),
        ],
    )
    def test_a_fault_with_its_place(self, given: dict[str, Any], path: str, code: str) -> None:
        assert refused({"uid": 1, "content": "", **given}) == [(f"/entries/1{path}", code)]

    def test_all_faults_come_together(self) -> None:
        found = refused({**TOWER, "content": 5.5, "disable": "no"}, {**INN, "stateCondition": " "}, name=["x"])

        assert found == [
            ("/name", "wrong_type"),
            ("/entries/0/disable", "wrong_type"),
            ("/entries/7/stateCondition", "CONDITION_INVALID"),
        ]

    def test_more_entries_than_are_kept(self) -> None:
        with pytest.raises(ImportRefused):
            read_world_info(world_info(TOWER, INN), ImportLimits(entries=1))


class TestTheFile:
    def test_may_begin_with_a_byte_order_mark(self) -> None:
        book, _ = read_world_info_file(b"\xef\xbb\xbf" + packed(world_info(TOWER)))

        assert len(book.entries) == 1

    @pytest.mark.parametrize(
        ("content", "code"),
        [
            (b'{"entries": {}, "entries": {}}', "duplicate_key"),
            (b'{"entries": {}, "name": "\\ud83d"}', "lone_surrogate"),
            (b'{"entries": {', "syntax"),
            (b"\xff\xfe{\0", "not_utf8"),
            (b'{"entries": ' + b"[" * 70, "too_deep"),
        ],
    )
    def test_is_strict_json(self, content: bytes, code: str) -> None:
        with pytest.raises(JSONUnreadable) as error:
            read_world_info_file(content)

        assert [problem.code for problem in error.value.problems] == [code]

    @pytest.mark.parametrize(
        "limits", [ImportLimits(file_bytes=10), ImportLimits(text_bytes=10), ImportLimits(nodes=5)]
    )
    def test_has_a_limit_of_bytes_and_of_values(self, limits: ImportLimits) -> None:
        with pytest.raises(ImportTooLarge):
            read_world_info_file(packed(world_info(TOWER)), limits)

    def test_counts_values_and_not_the_commas_of_its_texts(self) -> None:
        content = packed({"entries": {}, "name": "a, b, [c], {d}, e, f, g, h"})

        assert read_world_info_file(content, ImportLimits(nodes=5))[0].entries == ()
