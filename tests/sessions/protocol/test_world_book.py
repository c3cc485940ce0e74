"""World books: each entry is active or says why it is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.world_book import (
    Entry,
    EntryStatus,
    Reason,
    SecondaryLogic,
    active_entries,
    checked_condition,
    gate_of,
)

WINTER = {"world": {"季节": "冬", "day": 40}}
IN_WINTER = 'state("world", "/季节") == "冬"'
TOWER = Entry("tower", "冬天的钟楼不敲钟。", keys=("钟楼", "clock tower"), state_condition=IN_WINTER)
ENOUGH_SECONDS = 2.0
ALL_LOGIC = list(SecondaryLogic)


def status(entry: Entry, text: str, state: dict[str, object] | None = WINTER) -> EntryStatus:
    [found] = active_entries([entry], state, text)
    return found


def entry(**parts: object) -> Entry:
    return Entry(**{"entry_id": "e", "content": "Something.", "keys": ("tower",), **parts})


class TestActiveEntries:
    @pytest.mark.parametrize("text", ["他走向钟楼。", "By the CLOCK TOWER they met."])
    def test_an_open_gate_and_a_key_activate(self, text: str) -> None:
        found = status(TOWER, text)

        assert (found.active, found.reason, found.diagnostics) == (True, Reason.KEY_MATCH, ())

    def test_a_closed_gate_is_the_reason_even_where_a_key_matches(self) -> None:
        found = status(TOWER, "钟楼", {"world": {"季节": "夏"}})

        assert (found.active, found.reason, found.diagnostics) == (False, Reason.GATE_CLOSED, ())

    def test_a_missing_path_closes_the_gate_with_a_diagnostic(self) -> None:
        found = status(TOWER, "钟楼", {"world": {}})

        assert (found.active, found.reason) == (False, Reason.CONDITION_FAILED)
        assert found.diagnostics[0].as_json() == {
            "status": "excluded",
            "reason": "state-condition",
            "code": "STATE_CONDITION_MISSING",
            "message": 'state("world", "/季节") does not exist now; test it by exists(...) first, or mend its path.',
        }

    def test_a_malformed_condition_closes_the_gate_with_a_diagnostic(self) -> None:
        found = status(entry(state_condition="day > 3"), "tower")

        assert (found.active, found.reason) == (False, Reason.CONDITION_INVALID)
        assert found.diagnostics[0].code is None
        assert "read a variable by state(" in found.diagnostics[0].message

    def test_without_a_state_gated_entries_are_never_shown(self) -> None:
        gated, free = active_entries([TOWER, entry()], None, "clock tower")

        assert (gated.active, gated.reason) == (False, Reason.STATE_UNAVAILABLE)
        assert free.active

    @pytest.mark.parametrize(
        ("given_entry", "reason"),
        [
            (entry(enabled=False, state_condition=5), Reason.DISABLED),
            (entry(content=" \u3000", state_condition=5), Reason.EMPTY),
            (entry(keys=("bell",)), Reason.NO_KEY_MATCH),
            (entry(keys=()), Reason.NO_KEY_MATCH),
            (entry(keys=("", "  ")), Reason.NO_KEY_MATCH),
            (entry(keys=("/tow(er)+/i",)), Reason.PATTERN_KEYS),
            (entry(secondary_keys=("night",)), Reason.SECONDARY_KEYS),
            (entry(keys=("Tower",), case_sensitive=True), Reason.NO_KEY_MATCH),
            (entry(keys=("towe",), whole_words=True), Reason.NO_KEY_MATCH),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_an_inactive_entry_says_why(self, given_entry: Entry, reason: Reason) -> None:
        found = status(given_entry, "The tower stands.")

        assert (found.active, found.reason, found.diagnostics) == (False, reason, ())

    def test_a_constant_entry_needs_no_key(self) -> None:
        found = status(entry(keys=(), constant=True), "")

        assert (found.active, found.reason) == (True, Reason.CONSTANT)

    @pytest.mark.parametrize(
        ("key", "text"), [("tower", "a (tower)"), ("钟楼", "去钟楼吧"), ("clock tower", "o'clock towers")]
    )
    def test_whole_words_end_where_ascii_words_do(self, key: str, text: str) -> None:
        assert status(entry(keys=(key,), whole_words=True), text).active

    @pytest.mark.parametrize(
        ("text", "agreeing"),
        [
            ("tower", {SecondaryLogic.NOT_ANY, SecondaryLogic.NOT_ALL}),
            ("tower, night", {SecondaryLogic.AND_ANY, SecondaryLogic.NOT_ALL}),
            ("tower, night, snow", {SecondaryLogic.AND_ANY, SecondaryLogic.AND_ALL}),
        ],
    )
    def test_secondary_keys_agree_by_their_logic(self, text: str, agreeing: set[SecondaryLogic]) -> None:
        keys = ("night", "snow", " ")

        found = {each for each in ALL_LOGIC if status(entry(secondary_keys=keys, secondary_logic=each), text).active}

        assert found == agreeing

    def test_entries_keep_their_order(self) -> None:
        entries = [entry(entry_id=name, order=order) for name, order in [("b", 2), ("a", 1), ("c", 3)]]

        assert [found.entry.entry_id for found in active_entries(entries, WINTER, "")] == ["b", "a", "c"]

    @given(st.lists(st.text(max_size=20), max_size=4), st.text(max_size=60), st.booleans(), st.booleans())
    def test_any_keys_and_any_text_are_answered(self, keys: list[str], text: str, exact: bool, whole: bool) -> None:
        found = status(entry(keys=tuple(keys), case_sensitive=exact, whole_words=whole), text)

        assert found.active is (found.reason is Reason.KEY_MATCH)

    @pytest.mark.parametrize("key", ["好" * 5_000 + "a", "好" * 99 + "a", "a" * 100, "a" * 5_000])
    def test_long_texts_and_long_keys_take_no_time(self, key: str) -> None:
        text = key[0] * 200_000
        begun = time.process_time()

        status(entry(keys=(key,), whole_words=True), text)

        assert time.process_time() - begun < ENOUGH_SECONDS


class TestAConditionToSave:
    @pytest.mark.parametrize("none", [None, ""])
    def test_null_and_the_empty_text_are_none(self, none: object) -> None:
        assert checked_condition(none) is None
        assert gate_of(none, None).active

    @pytest.mark.parametrize("bad", [" ", 0, False, 5, True, {"a": 1}, [], "a == 1"])
    def test_anything_else_that_is_no_condition_is_refused(self, bad: object) -> None:
        with pytest.raises(ConditionInvalid):
            checked_condition(bad)

    def test_a_condition_is_kept_without_white_space_at_its_ends(self) -> None:
        condition = checked_condition(f"\n{IN_WINTER}\u3000")

        assert condition is not None
        assert condition.source == IN_WINTER
