"""Definitions and bootstraps: all problems at once, the first one's kind, and a normal form that stays."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.protocol.bootstrap import bootstrap_of, setup_diagnostics
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.definition import Operation, UpdateMode, stored_definition
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.errors import (
    DefinitionInvalid,
    NamespaceLimit,
    PointerInvalid,
    ProtocolRefusal,
    SchemaInvalid,
    ValueInvalid,
)
from sessions_app.protocol.limits import DEFAULT_LIMITS
from tests.sessions.protocol.strategies import any_json

RULE = {
    "id": "affection-up",
    "target": "/好感度",
    "when": " 信任增加 ",
    "condition": ' state("story", "/hp") > 0 ',
    "effect": {"op": "increment", "minimum": -3.0, "maximum": 3},
}
STORY = {
    "title": " 故事 ",
    "updateMode": "rules-required",
    "schema": {"type": "object", "properties": {"好感度": {"type": "number"}}},
    "rules": [RULE],
}
FIELDS = [*STORY, "description", *RULE, "guidance", "cadence", "op", "minimum", "namespaces", "version", "extra"]


def with_rule(**changed: Any) -> dict[str, Any]:
    return {**STORY, "rules": [{**RULE, **changed}]}


def initial(**changed: Any) -> dict[str, Any]:
    begun = {"namespace": "story", "initialValue": {}, "definition": STORY, "diagnostics": {"lastCommit": []}}
    return {"version": 2, "namespaces": [{**begun, **changed}]}


def problems(kind: type[ProtocolRefusal], read: Any, raw: Any) -> dict[str, str]:
    """Return the code of each problem by its place; the error is of this very kind."""
    with pytest.raises(ProtocolRefusal) as found:
        read(raw, DEFAULT_LIMITS)
    assert type(found.value) is kind
    assert found.value.problems[0].code == found.value.code
    return {problem.path: problem.code for problem in found.value.problems}


class TestReadingADefinition:
    def test_its_normal_form_names_every_default(self) -> None:
        found = definition_of(STORY, DEFAULT_LIMITS)

        assert found.update_mode is UpdateMode.RULES_REQUIRED
        assert found.rules[0].effect.op is Operation.INCREMENT
        assert found.rules[0].segments == ("好感度",)
        assert found.checker.check({"好感度": "many"}) is not None
        assert found.as_json() == {
            "title": "故事",
            "updateMode": "rules-required",
            "schema": STORY["schema"],
            "rules": [
                {
                    "id": "affection-up",
                    "target": "/好感度",
                    "when": "信任增加",
                    "condition": 'state("story", "/hp") > 0',
                    "effect": {"op": "increment", "minimum": -3, "maximum": 3},
                    "guidance": [],
                    "cadence": "when-applicable",
                }
            ],
        }

    def test_all_problems_come_together_in_the_order_of_the_checks(self) -> None:
        raw = {
            "extra": 1,
            "title": " ",
            "updateMode": "free",
            "description": None,
            "schema": {"type": "float"},
            "rules": [
                {**RULE, "target": "no-slash", "condition": "hp >", "guidance": ["", "b"], "cadence": "daily"},
                RULE,
                {**RULE, "effect": {"op": "set", "minimum": 1}},
                7,
            ],
        }

        found = problems(DefinitionInvalid, definition_of, raw)

        assert found == {
            "/extra": "DEFINITION_INVALID",
            "/title": "DEFINITION_INVALID",
            "/updateMode": "DEFINITION_INVALID",
            "/description": "DEFINITION_INVALID",
            "/rules/0/target": "POINTER_INVALID",
            "/rules/0/condition": "CONDITION_INVALID",
            "/rules/0/guidance/0": "DEFINITION_INVALID",
            "/rules/0/cadence": "DEFINITION_INVALID",
            "/rules/2/effect/minimum": "DEFINITION_INVALID",
            "/rules/3": "DEFINITION_INVALID",
            "/rules/1/id": "DEFINITION_INVALID",
            "/rules/2/id": "DEFINITION_INVALID",
            "/schema/type": "SCHEMA_INVALID",
        }

    @pytest.mark.parametrize(
        ("raw", "kind", "place"),
        [
            (with_rule(target="a"), PointerInvalid, "/rules/0/target"),
            (with_rule(target="", effect={"op": "remove"}), PointerInvalid, "/rules/0/target"),
            (with_rule(condition="1 +"), ConditionInvalid, "/rules/0/condition"),
            (with_rule(when="\ud800"), DefinitionInvalid, "/rules/0/when"),
            ({**STORY, "schema": {"pattern": "x"}}, SchemaInvalid, "/schema/pattern"),
            ({**STORY, "rules": [RULE] * 1_025}, DefinitionInvalid, "/rules"),
        ],
    )
    def test_the_error_is_of_the_kind_of_its_first_problem(
        self, raw: Any, kind: type[ProtocolRefusal], place: str
    ) -> None:
        assert list(problems(kind, definition_of, raw)) == [place]

    def test_long_texts_are_refused(self) -> None:
        raw = {**STORY, "title": "a" * 11, "rules": [{**RULE, "target": "/" + "a" * 10, "when": "now"}]}
        limits = replace(DEFAULT_LIMITS, text_chars=10, pointer_chars=10)

        with pytest.raises(DefinitionInvalid) as found:
            definition_of(raw, limits)

        assert [problem.path for problem in found.value.problems] == ["/title", "/rules/0/target"]

    def test_a_stored_one_is_the_one_that_was_read(self) -> None:
        read = definition_of(STORY, DEFAULT_LIMITS)

        text = json.dumps(read.as_json())

        assert stored_definition(text) == read
        assert stored_definition(text) is stored_definition(str(text))

    @given(
        st.recursive(
            any_json | st.sampled_from([RULE, [RULE], STORY, "set", "", "/a"]),
            lambda inner: st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6) | st.lists(inner, max_size=2),
            max_leaves=8,
        ),
        st.sampled_from([None, *FIELDS]),
    )
    @settings(max_examples=150, deadline=None)
    def test_anything_is_read_or_refused_and_what_is_read_stays_as_it_is(self, raw: Any, field: str | None) -> None:
        for candidate in (raw, {**STORY, str(field): raw}, with_rule(**{str(field): raw})):
            try:
                found = definition_of(candidate, DEFAULT_LIMITS)
            except ProtocolRefusal as error:
                json.dumps(error.as_json(), ensure_ascii=False).encode()
                continue
            assert definition_of(found.as_json(), DEFAULT_LIMITS) == found


class TestReadingABootstrap:
    def test_all_problems_of_all_namespaces_come_together(self) -> None:
        raw = initial(namespace="Story", initialValue={"好感度": "many"}, diagnostics={"setup": [1], "lastCommit": [1]})
        raw["namespaces"].append({"namespace": "side"})
        raw["version"] = True

        assert problems(DefinitionInvalid, bootstrap_of, raw) == {
            "/version": "DEFINITION_INVALID",
            "/namespaces/0/namespace": "DEFINITION_INVALID",
            "/namespaces/0/initialValue/好感度": "VALUE_INVALID",
            "/namespaces/0/diagnostics/lastCommit": "DEFINITION_INVALID",
            "/namespaces/0/diagnostics/setup/0": "DEFINITION_INVALID",
            "/namespaces/1/definition": "DEFINITION_INVALID",
            "/namespaces/1/initialValue": "VALUE_INVALID",
            "/namespaces/1/diagnostics": "DEFINITION_INVALID",
        }

    def test_a_value_that_does_not_fit_is_refused_as_a_value(self) -> None:
        raw = initial(initialValue={"好感度": "many"})

        assert list(problems(ValueInvalid, bootstrap_of, raw)) == ["/namespaces/0/initialValue/好感度"]

    def test_too_many_namespaces_are_refused(self) -> None:
        one = initial()["namespaces"][0]
        most = [{**one, "namespace": f"n{index}"} for index in range(32)]

        assert len(bootstrap_of({"version": 2, "namespaces": most}, DEFAULT_LIMITS).namespaces) == 32
        assert problems(NamespaceLimit, bootstrap_of, {"version": 2, "namespaces": [*most, one]}) == {
            "/namespaces": "NAMESPACE_LIMIT"
        }

    def test_its_normal_form_stays_as_it_is(self) -> None:
        read = bootstrap_of(initial(diagnostics={"setup": [{"reason": " why "}], "lastCommit": []}), DEFAULT_LIMITS)

        assert bootstrap_of(read.as_json(), DEFAULT_LIMITS) == read
        assert read.namespaces[0].setup[0] == {"code": "STATE_SETUP_NOTICE", "severity": "warning", "message": "why"}

    @given(st.lists(st.dictionaries(st.sampled_from(["code", "severity", "message", "reason", "path"]), any_json)))
    @settings(max_examples=80, deadline=None)
    def test_setup_diagnostics_are_brought_into_one_form(self, raw: list[dict[str, Any]]) -> None:
        found = setup_diagnostics(raw, DEFAULT_LIMITS)

        assert len(found) == len(raw)
        assert all(each["message"] and each["severity"] in ("info", "warning", "error") for each in found)
        assert setup_diagnostics(list(found), DEFAULT_LIMITS) == found
        json.dumps(found, ensure_ascii=False).encode()
