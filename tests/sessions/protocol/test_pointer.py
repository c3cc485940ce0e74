"""JSON Pointers as users write them, and any text at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.protocol import pointer
from sessions_app.protocol.errors import PointerInvalid
from sessions_app.protocol.names import UNSAFE_KEYS
from tests.sessions.protocol.strategies import kept_values

segments = st.lists(st.text(max_size=4).filter(lambda text: text not in UNSAFE_KEYS), max_size=5).map(tuple)


def paths_in(value: Any) -> list[tuple[str, ...]]:
    """Return the path of every part of a value."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((str(key), *path) for key, child in children for path in paths_in(child))]


class TestParsing:
    @given(segments)
    def test_what_is_formatted_parses_to_the_same(self, path: tuple[str, ...]) -> None:
        assert pointer.parse(pointer.format(path)) == path

    @given(st.text(st.characters()) | st.from_regex(r"(/[~01a]*)*", fullmatch=True))
    def test_any_text_parses_to_what_formats_to_it_or_is_refused(self, text: str) -> None:
        try:
            path = pointer.parse(text)
        except PointerInvalid:
            return
        assert pointer.format(path) == text

    @pytest.mark.parametrize(
        "text", ["角色.阿遥.好感度", "stat_data.x", "角色/阿遥", "#/a", " /a", "/a~", "$.a", None, 1]
    )
    def test_what_is_no_path_is_refused_and_never_mended(self, text: Any) -> None:
        with pytest.raises(PointerInvalid):
            pointer.parse(text)

    def test_a_slash_at_the_end_is_one_more_key(self) -> None:
        assert pointer.parse("/角色/阿遥/好感度/") == ("角色", "阿遥", "好感度", "")

    def test_half_of_a_surrogate_pair_is_refused_in_a_sentence_that_can_be_sent(self) -> None:
        with pytest.raises(PointerInvalid) as found:
            pointer.parse("/a\ud800")

        found.value.sentence().encode()

    def test_a_path_may_have_any_number_of_segments(self) -> None:
        text = "/a" * 50_000

        assert len(pointer.parse(text)) == 50_000
        assert pointer.read({"a": {}}, pointer.parse(text)) == pointer.Missing(1)


class TestReading:
    @given(kept_values)
    @settings(max_examples=60)
    def test_every_part_is_found_at_its_path(self, value: Any) -> None:
        for path in paths_in(value):
            assert isinstance(pointer.read(value, path), pointer.Found)

    @pytest.mark.parametrize("segment", ["-", "00", "+1", "1.0", "١", "²", "2", "9" * 5_000, "length", " 1", ""])
    def test_only_the_digits_of_an_item_are_an_index(self, segment: str) -> None:
        assert pointer.read(["p", "q"], (segment,)) == pointer.Missing(0)

    def test_a_null_is_found_and_has_nothing_in_it(self) -> None:
        assert pointer.read({"a": None}, ("a",)) == pointer.Found(None)
        assert pointer.read({"a": None}, ("a", "b")) == pointer.Missing(1)


class TestConflicts:
    @given(segments, segments)
    def test_are_mutual_and_are_those_of_prefixes(self, left: tuple[str, ...], right: tuple[str, ...]) -> None:
        found = pointer.conflicts(left, right)

        assert found == pointer.conflicts(right, left)
        assert found == (left == right[: len(left)] or right == left[: len(right)])
        assert pointer.conflicts(left, left + right)
