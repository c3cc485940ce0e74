"""What a model reads of a session: stable at its beginning, within its budget, and safe from what it quotes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_app.mesh.canonical import dumps
from sessions_app.protocol.contract import Contract, ContractTooLarge, contract_of
from sessions_app.protocol.contract_parts import Part
from sessions_app.protocol.contract_text import Language
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import EMPTY, Namespace, Projection

ROOMY = 1_000_000
AFFECTION = {
    "id": "affection",
    "target": "/角色/阿遥/好感度",
    "when": "相处时",
    "condition": 'state("story", "/门") == true',
    "effect": {"op": "increment", "minimum": -5, "maximum": 8},
    "guidance": ["一次小步", "从不跳跃"],
    "cadence": "every-turn",
}
BAG = {"target": "/bag", "when": "things change hands"}
RULES = [
    AFFECTION,
    {"id": "take", "effect": {"op": "append"}} | BAG,
    {"id": "pack", "effect": {"op": "set"}} | BAG,
    {"id": "lose", "effect": {"op": "remove"}} | BAG | {"target": "/bag/0"},
    {"id": "free", "effect": {"op": "set"}, "target": "/anything", "when": "ever"},
]
SCHEMA = {
    "type": "object",
    "description": "All there is",
    "properties": {
        "角色": {
            "type": "object",
            "properties": {
                "阿遥": {
                    "type": "object",
                    "properties": {"好感度": {"type": "number", "minimum": 0, "maximum": 100, "description": "喜欢"}},
                }
            },
        },
        "bag": {"type": "array", "items": {"type": "string"}},
    },
}
VALUE = {"角色": {"阿遥": {"好感度": 30}}, "bag": ["sword"], "门": True}


def namespace(value: Any, **parts: Any) -> Namespace:
    raw = {"title": "钟楼", "updateMode": "rules-required", "schema": SCHEMA, "rules": RULES} | parts
    return Namespace.new(definition_of(raw, DEFAULT_LIMITS), value)


def story(value: Any = VALUE, **parts: Any) -> Projection:
    return Projection(7, {"story": namespace(value, **parts)})


def every_text(contract: Contract) -> list[str]:
    return [dumps(contract.as_json()), *(contract.as_markdown(language) for language in Language)]


def size(contract: Contract) -> int:
    return max(len(text.encode()) for text in every_text(contract))


class TestReadContract:
    def test_a_namespace_is_told_with_its_rules_and_the_schemas_of_their_places(self) -> None:
        told = contract_of(story(), max_bytes=ROOMY).as_json()

        (definition,) = told["definitions"]
        assert {key: definition[key] for key in ("namespace", "title", "updateMode", "ruleIdRequirement")} == {
            "namespace": "story",
            "title": "钟楼",
            "updateMode": "rules-required",
            "ruleIdRequirement": "required",
        }
        assert definition["rules"][0] == {
            "ruleId": "affection",
            "target": "/角色/阿遥/好感度",
            "op": "increment",
            "minimum": -5,
            "maximum": 8,
            "when": "相处时",
            "condition": 'state("story", "/门") == true',
            "cadence": "every-turn",
            "guidance": ["一次小步", "从不跳跃"],
            "resultSchema": {"type": "number", "description": "喜欢", "minimum": 0, "maximum": 100},
        }
        schemas = [{key: rule[key] for key in rule if key.endswith("Schema")} for rule in definition["rules"][1:]]
        array = {"type": "array", "items": {"type": "string"}}
        assert schemas == [{"valueSchema": {"type": "string"}}, {"valueSchema": array}, {"parentSchema": array}, {}]

    @pytest.mark.parametrize(
        ("mode", "requirement", "has_schema"),
        [
            ("rules-required", "required", False),
            ("schema-only", "optional", True),
            ("disabled", "updates-forbidden", False),
        ],
    )
    def test_the_mode_says_whether_a_rule_is_named_and_the_schema_told(
        self, mode: str, requirement: str, has_schema: bool
    ) -> None:
        (definition,) = contract_of(story(updateMode=mode), max_bytes=ROOMY).as_json()["definitions"]

        assert (definition["ruleIdRequirement"], "schema" in definition) == (requirement, has_schema)

    @pytest.mark.parametrize(("value", "holds"), [(True, True), (False, False)])
    def test_a_condition_is_told_with_whether_it_holds_now(self, value: bool, holds: bool) -> None:
        (now,) = contract_of(story(VALUE | {"门": value}), max_bytes=ROOMY).as_json()["namespaces"]

        assert now["conditions"] == [{"ruleId": "affection", "holds": holds}]

    def test_a_condition_that_cannot_be_decided_says_why(self) -> None:
        (now,) = contract_of(story({"bag": []}), max_bytes=ROOMY).as_json()["namespaces"]

        assert now["conditions"][0]["holds"] is False
        assert now["conditions"][0]["diagnostic"]["code"] == "STATE_CONDITION_MISSING"

    def test_the_state_now_has_revisions_the_value_and_what_is_more_than_information(self) -> None:
        notices = [{"code": code, "severity": code, "message": "m"} for code in ("info", "warning", "error")]
        definition = namespace(VALUE).definition
        projection = Projection(7, {"story": Namespace.new(definition, VALUE, notices)})

        told = contract_of(projection, max_bytes=ROOMY).as_json()

        assert told["revision"] == 7
        assert told["namespaces"][0]["expectedRevision"] == 1
        assert told["namespaces"][0]["currentValue"] == VALUE
        assert told["namespaces"][0]["diagnostics"] == notices[1:]
        assert "initialValue" not in dumps(told)

    @pytest.mark.parametrize(
        ("op", "forbidden"), [("set", ["by"]), ("increment", ["value"]), ("remove", ["value", "by"])]
    )
    def test_an_operation_says_what_it_needs_and_what_it_must_not_have(self, op: str, forbidden: list[str]) -> None:
        told = contract_of(EMPTY, max_bytes=ROOMY).as_json()

        assert told["protocol"]["operations"][op]["forbidden"] == forbidden
        assert told["definitions"] == told["namespaces"] == []


class TestReadMarkdown:
    @pytest.mark.parametrize(
        ("language", "words"),
        [
            (Language.ENGLISH, ["# The state now", "affection`: holds now", "-5 ≤ by ≤ 8", "Expected: on every turn"]),
            (Language.CHINESE, ["# 当前状态", "affection`: 现在成立", "-5 ≤ 增量 ≤ 8", "频率: 每回合"]),
        ],
    )
    def test_it_is_in_one_language_and_the_authors_words_stay(self, language: Language, words: list[str]) -> None:
        text = contract_of(story(), max_bytes=ROOMY).as_markdown(language)

        for each in [*words, "`story`: 钟楼", "`/角色/阿遥/好感度`", "一次小步", '"好感度":30', "expectedRevision: 1"]:
            assert each in text

    @given(
        evil=st.text(alphabet='`~#-> \n\r\t{}[]<!"\\a\u2028', min_size=1, max_size=20).filter(lambda text: text.strip())
    )
    def test_nothing_that_is_quoted_ends_its_place(self, evil: str) -> None:
        rule = {
            "id": "r",
            "target": "/not/there",
            "when": f"x{evil}",
            "guidance": [f"x{evil}"],
            "effect": {"op": "set"},
        }
        parts = {"title": f"x{evil}", "description": f"x{evil}", "updateMode": "schema-only", "rules": [rule]}
        schema = {"type": "object", "properties": {evil: {"type": "string", "description": f"x{evil}"}}}
        plain = contract_of(story({}, **_with_text(parts, "x"), schema={"type": "object"}), max_bytes=ROOMY)

        contract = contract_of(story({evil: evil}, **parts, schema=schema), max_bytes=ROOMY)

        for language in Language:
            assert _outline(contract.as_markdown(language)) == _outline(plain.as_markdown(language))


class TestKeepPrefix:
    @given(
        revisions=st.tuples(st.integers(0, 10**15), st.integers(0, 10**15)),
        texts=st.tuples(st.text(max_size=3_000), st.text(max_size=3_000)),
        budget=st.integers(3_500, 12_000),
    )
    def test_the_same_definitions_begin_with_the_same_bytes(
        self, revisions: tuple[int, int], texts: tuple[str, str], budget: int
    ) -> None:
        one, other = (
            contract_of(Projection(revision, {"story": namespace(VALUE | {"x": text})}), max_bytes=budget)
            for revision, text in zip(revisions, texts, strict=True)
        )

        assert one.json_prefix() == other.json_prefix()
        assert dumps(one.as_json()).startswith(one.json_prefix())
        for language in Language:
            assert one.markdown_prefix(language) == other.markdown_prefix(language)
            assert one.as_markdown(language).startswith(one.markdown_prefix(language))
        assert "expectedRevision" not in json.dumps(one.stable["definitions"])


class TestKeepBudget:
    @given(budget=st.integers(0, 12_000), count=st.integers(0, 6), length=st.integers(0, 2_000))
    def test_a_contract_fits_and_names_all_that_it_leaves_out(self, budget: int, count: int, length: int) -> None:
        notices = [{"code": "C", "severity": "warning", "message": "好" * (length // 4)}]
        projection = Projection(
            1,
            {
                f"n{index}": Namespace.new(
                    namespace(VALUE, description="d" * (length * index // 4 + 1)).definition,
                    VALUE | {"x": "好" * (length * index)},
                    notices,
                )
                for index in range(count)
            },
        )
        whole = contract_of(projection, max_bytes=ROOMY)

        try:
            found = contract_of(projection, max_bytes=budget)
        except ContractTooLarge as refusal:
            needed = refusal.details["neededBytes"]
            assert needed > budget
            contract_of(projection, max_bytes=needed)
            return

        assert size(found) <= budget
        assert _missing(whole.as_json(), found.as_json()) == {
            (part, name) for part, names in found.omitted.items() for name in names
        }
        for one, other in zip(whole.as_json()["definitions"], found.as_json()["definitions"], strict=True):
            assert [rule["ruleId"] for rule in one["rules"]] == [rule["ruleId"] for rule in other["rules"]]
        for text in every_text(found):
            assert all(part in text for part in found.omitted)

    def test_what_helps_least_goes_first_and_of_the_largest(self) -> None:
        projection = Projection(
            1, {"small": namespace(VALUE), "large": namespace(VALUE | {"x": "x" * 3_000}, description="d" * 200)}
        )
        needed = size(contract_of(projection, max_bytes=ROOMY))

        assert contract_of(projection, max_bytes=needed).omitted == {}
        assert contract_of(projection, max_bytes=needed - 1).omitted == {"currentValue": ["large"]}

    def test_guidance_goes_before_descriptions(self) -> None:
        stable = len(contract_of(story(), max_bytes=ROOMY).json_prefix().encode())

        omitted = contract_of(story(), max_bytes=stable * 100 // 67 - 30).omitted

        assert omitted == {"guidance": ["story"]}

    def test_a_namespace_with_more_rule_schemas_than_the_budget_keeps_its_rules(self) -> None:
        schema = {"type": "object", "description": "d" * 9_000}
        rules = [{"id": f"r{i}", "target": "", "when": "ever", "effect": {"op": "set"}} for i in range(1_000)]

        found = contract_of(story({}, schema=schema, rules=rules), max_bytes=200_000)

        assert found.omitted == {"ruleSchemas": ["story"]}
        assert len(found.as_json()["definitions"][0]["rules"]) == 1_000


def _with_text(parts: dict[str, Any], text: str) -> dict[str, Any]:
    rule = parts["rules"][0] | {"when": text, "guidance": [text]}
    return parts | {"title": text, "description": text, "rules": [rule]}


def _outline(markdown: str) -> list[str]:
    """Return what each line begins with outside of fences, and where fences are."""
    outline: list[str] = []
    fence: str | None = None
    for line in markdown.replace("\r", "\n").split("\n"):
        if fence is not None:
            fence = None if line.strip() and line.strip(" ") == fence else fence
            outline.append("fence" if fence is None else "inside")
        elif line.startswith("```"):
            fence = line.removesuffix("json")
            outline.append("fence")
        else:
            outline.append(line[:7])
    return outline


def _missing(whole: dict[str, Any], found: dict[str, Any]) -> set[tuple[str, str]]:
    """Return what the whole contract has and the other has not, as `omitted` names it."""
    missing: set[tuple[str, str]] = set()
    for one, other in zip(whole["definitions"], found["definitions"], strict=True):
        name = one["namespace"]
        rules = list(zip(one["rules"], other["rules"], strict=True))
        for part, keys in {
            Part.GUIDANCE: {"guidance"},
            Part.WHEN: {"when"},
            Part.CONDITION: {"condition"},
            Part.RULE_SCHEMAS: {"valueSchema", "resultSchema", "parentSchema"},
        }.items():
            if any(keys & (full.keys() - kept.keys()) for full, kept in rules):
                missing.add((part, name))
        if "description" in one and "description" not in other:
            missing.add((Part.DESCRIPTIONS, name))
    for one, other in zip(whole["namespaces"], found["namespaces"], strict=True):
        missing |= {(key, one["namespace"]) for key in one.keys() - other.keys()}
    return missing
