"""Restricted schemas: refused whole, compiled once, and read only where a change was made with the same answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from sessions_app.protocol.errors import SchemaInvalid, ValueInvalid
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.schema import check_at, compiled, fitting, node_at, normalised_schema
from sessions_app.protocol.schema_dialect import TYPE_CHECKER
from tests.sessions.protocol.strategies import any_json, changes_of, kept_values, schemas_of

Stock = extend(Draft202012Validator, type_checker=TYPE_CHECKER)

HERO = {
    "type": "object",
    "properties": {
        "hp": {"type": "integer", "minimum": 0, "maximum": 10},
        "bag": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["hp"],
    "additionalProperties": False,
}


PARTS = {
    "properties": {"a": {"items": {"type": "string"}}, "0": {"type": "null"}},
    "additionalProperties": {"type": "number"},
}


def refused(schema: Any) -> dict[str, str]:
    with pytest.raises(SchemaInvalid) as found:
        normalised_schema(schema, DEFAULT_LIMITS)
    return {problem.path: problem.detail for problem in found.value.problems}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels - 1):
        schema = {"items": schema}
    return schema


class TestRefusingASchema:
    def test_every_problem_is_told_at_its_place(self) -> None:
        schema = {
            "$ref": "#",
            "properties": {
                "a": {"type": "string", "minimum": 1, "pattern": "x"},
                "b/c": {"enum": [1, 1.0], "title": " "},
                "d": {"minItems": 3, "maxItems": 2},
                "e": True,
            },
            "required": ["nowhere", "a"],
        }

        assert set(refused(schema)) == {
            "/$ref",
            "/required/0",
            "/properties/a/minimum",
            "/properties/a/pattern",
            "/properties/b~1c/enum/1",
            "/properties/b~1c/title",
            "/properties/d/minItems",
            "/properties/e",
        }

    @pytest.mark.parametrize("keyword", ["$ref", "allOf", "if", "pattern", "format", "default", "x-order"])
    @pytest.mark.parametrize(
        ("before", "around"),
        [
            ("", lambda node: node),
            ("/properties/a", lambda node: {"properties": {"a": node}}),
            ("/additionalProperties", lambda node: {"additionalProperties": node}),
            ("/items/items", lambda node: {"items": {"items": node}}),
        ],
    )
    def test_no_other_keyword_is_taken_anywhere(self, keyword: str, before: str, around: Any) -> None:
        assert set(refused(around({keyword: {}}))) == {f"{before}/{keyword}"}

    def test_depth_and_size_are_bounded(self) -> None:
        wide = {"properties": {str(index): {} for index in range(5)}}
        limits = replace(DEFAULT_LIMITS, schema_nodes=5)

        assert normalised_schema(nested(64), DEFAULT_LIMITS) == nested(64)
        assert len(refused(nested(65))) == 1
        assert len(refused(nested(5_000))) == 1
        with pytest.raises(SchemaInvalid):
            normalised_schema(wide, limits)

    @given(
        st.recursive(
            any_json | st.sampled_from([HERO, {}]),
            lambda inner: st.fixed_dictionaries(
                {}, optional=dict.fromkeys((*HERO, "items", "enum", "minimum", "title", "$ref"), inner)
            ),
            max_leaves=8,
        )
    )
    @settings(max_examples=100, deadline=None)
    def test_anything_is_read_or_refused_and_what_is_read_stays_as_it_is(self, raw: Any) -> None:
        try:
            schema = normalised_schema(raw, DEFAULT_LIMITS)
        except SchemaInvalid:
            return
        assert normalised_schema(schema, DEFAULT_LIMITS) == schema


class TestReadingAValue:
    def test_every_violation_is_told_at_its_place(self) -> None:
        checker = compiled(normalised_schema(HERO, DEFAULT_LIMITS))

        with pytest.raises(ValueInvalid) as found:
            fitting({"hp": 11, "bag": ["a", 2], "mp~": 1}, checker, DEFAULT_LIMITS)

        assert {problem.path: problem.detail for problem in found.value.problems} == {
            "/hp": "The value must be at most 10.",
            "/bag/1": 'The value must be of type "string".',
            "/mp~0": "The value is not a declared property, and no others are allowed.",
        }

    def test_deep_values_are_read_to_the_limit(self) -> None:
        value: Any = "deepest"
        for _ in range(64):
            value = [value]
        schema = nested(64)

        assert fitting(value, compiled(schema), DEFAULT_LIMITS) == value
        with pytest.raises(ValueInvalid):
            fitting([value], compiled(schema), DEFAULT_LIMITS)

    @given(st.data())
    @settings(max_examples=100, deadline=None)
    def test_it_is_valid_where_the_stock_validator_says_so(self, data: st.DataObject) -> None:
        schema = data.draw(schemas_of(data.draw(kept_values)))
        value = data.draw(kept_values)

        assert (compiled(schema).check(value) is None) == Stock(schema).is_valid(value)

    def test_equal_schemas_are_compiled_once_and_are_safe_from_their_callers(self) -> None:
        schema = {"type": "string"}
        checker = compiled(schema)

        assert compiled({"type": "string"}) is checker
        schema["type"] = "number"
        assert checker.check("text") is None


class TestReadingWhereAChangeWasMade:
    @given(st.data())
    @settings(max_examples=250, deadline=None)
    def test_one_change_is_answered_as_by_reading_the_whole(self, data: st.DataObject) -> None:
        before = data.draw(kept_values)
        schema = data.draw(schemas_of(before))
        place, after = data.draw(changes_of(before))
        checker = compiled(schema)
        assert checker.check(before) is None

        assert checker.check_at(after, place) == checker.check(after)

    @given(st.data())
    @settings(max_examples=120, deadline=None)
    def test_changes_in_several_members_are_answered_as_by_reading_the_whole(self, data: st.DataObject) -> None:
        before = data.draw(st.dictionaries(st.sampled_from("abcd"), kept_values, min_size=2))
        schema = data.draw(schemas_of(before))
        after, places = dict(before), []
        for key in before:
            place, after[key] = data.draw(changes_of(before[key]))
            places.append((key, *place))
        checker = compiled(schema)

        assert checker.check_places(after, places) == checker.check(after)

    @given(st.data())
    @settings(max_examples=100, deadline=None)
    def test_a_value_without_a_past_is_answered_as_by_reading_the_whole(self, data: st.DataObject) -> None:
        schema = data.draw(schemas_of(data.draw(kept_values)))
        value = data.draw(kept_values)

        assert check_at(schema, value, ()) == compiled(schema).check(value)

    def test_a_removed_member_that_was_required_is_missed(self) -> None:
        found = check_at(HERO, {}, ("hp",))

        assert found is not None
        assert (found.path, found.keyword, found.expected) == ("/hp", "required", "hp")


class TestFindingThePartThatSpeaksOfAPath:
    @pytest.mark.parametrize(
        ("segments", "part"),
        [
            ((), PARTS),
            (("a", "7"), {"type": "string"}),
            (("a", "07"), None),
            (("0",), {"type": "null"}),
            (("other",), {"type": "number"}),
            (("other", "deeper"), None),
        ],
    )
    def test_it_is_the_member_then_the_others_then_the_items(self, segments: tuple[str, ...], part: Any) -> None:
        assert node_at(PARTS, segments) == part

    def test_a_single_value_is_read_by_it(self) -> None:
        checker = compiled(HERO)

        assert checker.check_part(3, ("hp",)) is None
        assert checker.check_part("3", ("hp",)) is not None
        assert checker.check_item(3, ("bag",)) is not None
        assert checker.check_part(3, ("no", "such", "part")) is None
