"""Values in the one form in which they are kept: numbers, texts, keys, bounds, and what is the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.protocol.errors import ValueInvalid
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.numbers import as_double, is_safe_integer
from sessions_app.protocol.text import is_blank, trimmed
from sessions_app.protocol.values import likeness, normalised, repeated, same
from tests.sessions.protocol.strategies import any_json, kept_values


def refused(value: Any, **limits: int) -> set[str]:
    """Return the places that are refused."""
    with pytest.raises(ValueInvalid) as found:
        normalised(value, replace(DEFAULT_LIMITS, **limits))
    return {problem.path for problem in found.value.problems}


class TestNumbers:
    @pytest.mark.parametrize(
        ("given_number", "kept"),
        [
            (1.0, 1),
            (-0.0, 0),
            (1e3, 1000),
            (1.5, 1.5),
            (2**53 - 1, 2**53 - 1),
            (2**53 + 1, 9007199254740992.0),
            (10**21, 1e21),
            (10**400, None),
            (float("inf"), None),
            (float("nan"), None),
        ],
    )
    def test_are_doubles_and_integers_where_they_are_safe(self, given_number: Any, kept: Any) -> None:
        found = as_double(given_number)

        assert repr(found) == repr(kept)

    @given(st.integers() | st.floats())
    def test_come_back_the_same_from_another_language(self, number: float) -> None:
        kept = as_double(number)

        assert kept is None or repr(as_double(float(json.loads(json.dumps(kept))))) == repr(kept)

    @pytest.mark.parametrize("value", [True, "1", None, 1.5, float(2**53), 1e400, float("nan")])
    def test_of_other_kinds_are_no_safe_integers(self, value: Any) -> None:
        assert not is_safe_integer(value)


class TestNormalising:
    def test_every_problem_is_told_at_its_place(self) -> None:
        value = {"a": [1, 1e400, "\ud800"], "constructor": 1, "b/c": {"__proto__": {"x": float("nan")}}, "d": {1: 2}}

        assert refused(value) == {"/a/1", "/a/2", "/constructor", "/b~1c/__proto__", "/b~1c/__proto__/x", "/d/1"}

    @pytest.mark.parametrize("value", [(1, 2), {1, 2}, b"text", object()])
    def test_what_is_no_json_is_refused(self, value: Any) -> None:
        assert refused({"a": value}) == {"/a"}

    @pytest.mark.parametrize("levels", [65, 3_000, 100_000])
    def test_what_is_too_deep_is_refused_at_any_depth(self, levels: int) -> None:
        value: Any = 1
        for _ in range(levels):
            value = [value]

        assert refused(value) == {"/0" * 64}

    def test_bounds_are_inclusive(self) -> None:
        deepest: Any = 1
        for _ in range(64):
            deepest = {"a": deepest}

        assert normalised(deepest, DEFAULT_LIMITS) == deepest
        assert normalised([1, 2], replace(DEFAULT_LIMITS, nodes=3)) == [1, 2]
        assert refused([1, 2, 3], nodes=3) == {"/2"}
        assert normalised({"ab": "cd"}, replace(DEFAULT_LIMITS, value_chars=4)) == {"ab": "cd"}
        assert refused({"ab": "cde"}, value_chars=4) == {"/ab"}

    def test_the_list_of_problems_is_bounded(self) -> None:
        assert len(refused([1e400] * 1_000)) == DEFAULT_LIMITS.issues

    def test_the_copy_is_its_own(self) -> None:
        value = {"a": [1]}
        kept = normalised(value, DEFAULT_LIMITS)

        value["a"].append(2)

        assert kept == {"a": [1]}

    @given(any_json)
    @settings(max_examples=150, deadline=None)
    def test_anything_is_kept_in_one_form_or_refused(self, value: Any) -> None:
        try:
            kept = normalised(value, DEFAULT_LIMITS)
        except ValueInvalid as error:
            json.dumps(error.as_json()).encode()
            return
        assert repr(normalised(kept, DEFAULT_LIMITS)) == repr(kept)
        assert same(kept, json.loads(json.dumps(kept)))


class TestSameness:
    @pytest.mark.parametrize(
        ("left", "right", "expected"),
        [
            (1, 1.0, True),
            (0, -0.0, True),
            (1, True, False),
            (0, False, False),
            ([1], [True], False),
            (None, False, False),
            ("1", 1, False),
            ("é", "e\u0301", False),
            ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
            ({"a": None}, {}, False),
            ([1, 2], [2, 1], False),
        ],
    )
    def test_is_by_structure_and_kind(self, left: Any, right: Any, expected: bool) -> None:
        assert same(left, right) is expected

    @given(kept_values, kept_values)
    def test_is_that_of_the_texts_of_normalised_values(self, left: Any, right: Any) -> None:
        assert same(left, left)
        assert same(left, right) == same(right, left) == (likeness(left) == likeness(right))

    def test_repeats_are_found_once_each(self) -> None:
        assert list(repeated([1, True, "1", 1, {"a": 1, "b": 2}, {"b": 2, "a": 1}, 1])) == [3, 5, 6]

    def test_deep_values_are_compared(self) -> None:
        left: Any = 1
        right: Any = 1
        for _ in range(100_000):
            left, right = [left], [right]

        assert same(left, right)


class TestBlankness:
    @pytest.mark.parametrize(
        "character", list("\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff")
    )
    def test_is_that_of_ecmascript(self, character: str) -> None:
        assert is_blank(character)
        assert trimmed(f"{character}a{character}") == "a"

    @pytest.mark.parametrize("character", list("\x00\x1c\x1f\x85\u180e\u200b"))
    def test_is_no_more_than_that(self, character: str) -> None:
        assert not is_blank(character)
