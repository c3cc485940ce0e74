"""Initial variables of MVU cards: what becomes of their values, hints, sentences and faults."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.importers.mvu import ImportedNamespace, InitialVariablesInvalid, has_variables, read_mvu
from sessions_app.importers.mvu_documents import Source
from sessions_app.importers.mvu_remarks import Remark
from sessions_app.importers.mvu_rules import rule_id
from sessions_app.protocol.bootstrap import bootstrap_of
from sessions_app.protocol.errors import ProtocolRefusal
from sessions_app.protocol.limits import DEFAULT_LIMITS, Limits

CARD = """```yaml
角色:
  阿遥:
    好感度: [30, "[0,100]之间，相处中变化"]
    心情: 平静
    称号: {}
    背包: [剑, 盾]
世界:
  日期: 2026-03-01
  时间: 21:00
$meta: {extensible: true}
```"""

RULES = """---
变量更新规则:
  角色:
    ${角色名}:
      好感度:
        type: number
        range: 0~100
        check:
          - 单次变化 [-5, 8]
          - 每回合必须更新
      心情:
        check:
          - 仅在【好感度达到 60 以上】时
          - 仅在【独处】时
        format: 一个词
"""


def imported(*contents: str, rules: str | None = None, limits: Limits = DEFAULT_LIMITS) -> ImportedNamespace:
    return read(*contents, rules=rules, limits=limits)[0]


def read(
    *contents: str, rules: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> tuple[ImportedNamespace, tuple[Remark, ...]]:
    sources = [Source("[initvar]", content) for content in contents]
    return read_mvu([*sources, *([Source("[mvu_update]rules", rules)] if rules else [])], limits)


def codes(namespace: ImportedNamespace) -> list[str]:
    return [diagnostic["code"] for diagnostic in namespace.setup]


def rules_at(namespace: ImportedNamespace, target: str) -> list[dict[str, Any]]:
    return [rule for rule in namespace.definition["rules"] if rule["target"] == target]


def schema_at(namespace: ImportedNamespace, *names: str) -> dict[str, Any]:
    schema = namespace.definition["schema"]
    for name in names:
        schema = schema["properties"][name]
    return schema


class TestReadValues:
    def test_a_card_gives_its_values_and_a_bootstrap_takes_them(self) -> None:
        namespace = imported(CARD)

        assert namespace.initial_value == {
            "角色": {"阿遥": {"好感度": 30, "心情": "平静", "称号": {}, "背包": ["剑", "盾"]}},
            "世界": {"日期": "2026-03-01", "时间": "21:00"},
        }
        raw = {"version": 2, "namespaces": [namespace.as_json()]}
        assert bootstrap_of(raw, DEFAULT_LIMITS).as_json() == raw

    @pytest.mark.parametrize(
        ("title", "content"),
        [
            ("[InitVar] at start", "a: 1"),
            ("[INITVAR]", "{a: 1}"),
            ("x [initvar] y", "a = 1"),
            ("first_mes", "Hello <initvar>a: 1</initvar> there"),
            ("first_mes", "<INITVAR>\n```json\n{'a': 1,}\n```\n</InitVar>"),
            ("[initvar]", "Some words\n<initvar>{a: 1}</initvar>"),
            ("[initvar]", "~~~toml\na = 1\n~~~"),
            ("[initvar]", "```\n{a: 1} // no end"),
        ],
    )
    def test_a_document_is_found_where_authors_keep_it(self, title: str, content: str) -> None:
        source = Source(title, content)

        assert has_variables([source])
        assert read_mvu([source], DEFAULT_LIMITS)[0].initial_value == {"a": 1}

    def test_documents_merge_in_their_order_and_arrays_are_replaced(self) -> None:
        namespace = imported('{"喵":[{"日":1},{"月":2}],"a":{"x":1,"y":2}}', '{"喵":[{"日":9}],"a":{"y":3,"z":4}}')

        assert namespace.initial_value == {"喵": [{"日": 9}], "a": {"x": 1, "y": 3, "z": 4}}

    def test_hints_are_taken_out_of_the_data(self) -> None:
        namespace = imported("""
            { $meta: {extensible: false, required: ['a'], template: {}},
              a: {$meta: {recursiveExtensible: true}, b: {c: 1}},
              list: ['x', '$__META_EXTENSIBLE__$'] }""")

        assert namespace.initial_value == {"a": {"b": {"c": 1}}, "list": ["x"]}
        assert schema_at(namespace)["additionalProperties"] is False
        assert schema_at(namespace)["required"] == ["a"]
        assert schema_at(namespace, "a", "b")["additionalProperties"] is True

    @pytest.mark.parametrize(
        ("content", "value"),
        [
            ("a: [30, '[0,100]']", {"a": 30}),
            ("a: [true, 'alive']", {"a": True}),
            ("a: [null, 'nobody']", {"a": None}),
            ("a: [[剑, 盾, 弓], '背包']", {"a": ["剑", "盾", "弓"]}),
            ("a: [{b: 1}, 'a group']", {"a": {"b": 1}}),
            ("a: [剑, 盾]", {"a": ["剑", "盾"]}),
            ("a: [剑, 盾]\nb: 1", {"a": ["剑", "盾"]} | {"b": 1}),
            ("a: [平静, 心情]\nb: [1, 'x']", {"a": "平静", "b": 1}),
            ("a: [平静, 心情]\nb: [1, 'x']\nc: 1", {"a": "平静", "b": 1, "c": 1}),
            ("a: [剑, 盾]\nb: [1, 'x']\nc: 1\nd: 2", {"a": ["剑", "盾"], "b": 1, "c": 1, "d": 2}),
            ("a: [1, 2]", {"a": [1, 2]}),
            ("a: [1, x, y]", {"a": [1, "x", "y"]}),
            ("a: [1, '']", {"a": 1}),
        ],
    )
    def test_a_pair_is_a_cell_or_a_list_by_the_documented_rule(self, content: str, value: Any) -> None:
        assert imported(content).initial_value == value

    def test_two_texts_are_told_of_as_ambiguous(self) -> None:
        _, remarks = read("a: [剑, 盾]")

        assert [(remark.code, remark.path) for remark in remarks] == [("MVU_PAIR_AMBIGUOUS", "/a")]


class TestRefuseValues:
    @pytest.mark.parametrize(
        ("content", "place", "words"),
        [
            ("a: 1\nb: &x 1", "/0", "Line 2"),
            ("text\n```yaml\na: 1\na: 2\n```", "/0", "Line 4"),
            ("{a: undefined}", "/0", "no literal"),
            ("_.set('a', 1);", "/0", "no object"),
            ("just text", "/0", "no object"),
            ("a: {__proto__: 1}", "/0/a/__proto__", "No key may be"),
            ("constructor: 1", "/0/constructor", "No key may be"),
            ("{'prototype': 1}", "/0/prototype", "No key may be"),
            ('a: "\\ud800"', "/0/a", "surrogate"),
            ("a = inf", "/0/a", "finite"),
            ("a: " + "x" * 262_144, "/0", "more than 262144 characters"),
        ],
    )
    def test_what_no_state_may_have_is_refused_with_its_place(self, content: str, place: str, words: str) -> None:
        with pytest.raises(InitialVariablesInvalid) as refused:
            imported(content)

        assert refused.value.problems[0].path == place
        assert words in refused.value.problems[0].detail

    def test_the_problems_of_all_documents_come_together(self) -> None:
        with pytest.raises(InitialVariablesInvalid) as refused:
            imported("a: 1", "b: *x", "c: 1\nc: 2")

        assert [problem.path for problem in refused.value.problems] == ["/1", "/2"]

    @pytest.mark.parametrize("contents", [(), ("",), ("# nothing",)])
    def test_no_initial_values_are_refused(self, contents: tuple[str, ...]) -> None:
        with pytest.raises(InitialVariablesInvalid, match="No entry is titled"):
            imported(*contents)


class TestMakeSchema:
    def test_types_ranges_and_descriptions_are_carried(self) -> None:
        namespace = imported(CARD)

        person = schema_at(namespace, "角色", "阿遥")
        assert person["properties"] == {
            "好感度": {"type": "number", "description": "[0,100]之间，相处中变化", "minimum": 0, "maximum": 100},
            "心情": {"type": "string"},
            "称号": {"type": "object", "additionalProperties": True},
            "背包": {"type": "array", "items": {"type": "string"}},
        }
        assert person["required"] == ["好感度", "心情", "称号", "背包"]
        assert person["additionalProperties"] is False
        assert schema_at(namespace)["additionalProperties"] is True

    @pytest.mark.parametrize(
        "said", ["[0,100]", "0~100", "0-100", "范围：0～100", "（0-100）", "从0到100", "[0, 100]之间"]
    )
    def test_a_range_bounds_the_number(self, said: str) -> None:
        assert schema_at(imported(f"a: [30, '{said}']"), "a") == {
            "type": "number",
            "description": said,
            "minimum": 0,
            "maximum": 100,
        }

    @pytest.mark.parametrize(
        "said", ["2026-03-01", "21:00-22:00", "单次变化 [-5, 8]", "每次±3", "[0,10]", "0~50 or 0~100", "100~0"]
    )
    def test_what_is_no_sure_range_bounds_nothing(self, said: str) -> None:
        assert schema_at(imported(f"a: [30, '{said}']"), "a") == {"type": "number", "description": said}

    def test_null_takes_any_value(self) -> None:
        assert schema_at(imported("a: ~"), "a") == {}

    def test_a_template_gives_the_form_of_new_members(self) -> None:
        namespace = imported(
            "a: {$meta: {extensible: true, template: {数量: [1, '0~9'], 名: ''}}, 剑: {数量: 1, 名: x}}"
        )

        form = schema_at(namespace, "a")["additionalProperties"]
        assert form["properties"]["数量"] == {"type": "number", "description": "0~9", "minimum": 0, "maximum": 9}
        assert "required" not in form

    def test_what_would_be_too_large_is_left_open_and_said(self) -> None:
        namespace = imported("a: {b: {c: 1, d: 2}}\ne: 1", limits=Limits(schema_nodes=4))

        assert schema_at(namespace, "a", "b") == {"type": "object"}
        assert codes(namespace) == ["MVU_SCHEMA_CUT"]


class TestMakeRules:
    def test_each_kind_of_value_has_its_operations(self) -> None:
        namespace = imported("a: 1\nb: x\nc: [1]\nd: true\ne: ~\nf: {}\ng: {h: 1}")

        operations = [(rule["target"], rule["effect"]["op"]) for rule in namespace.definition["rules"]]
        assert operations == [
            *[("/a", "increment"), ("/a", "set"), ("/b", "set"), ("/c", "set"), ("/c", "append")],
            *[("/d", "set"), ("/e", "set"), ("/f", "set"), ("/g/h", "increment"), ("/g/h", "set")],
        ]

    def test_ids_stay_the_same_whatever_else_is_imported(self) -> None:
        assert rules_at(imported("a: x"), "/a")[0]["id"] == rule_id("set", "/a")
        assert rules_at(imported("b: 1\na: y"), "/a")[0]["id"] == rule_id("set", "/a")

    def test_sentences_become_bounds_cadence_and_guidance(self) -> None:
        namespace = imported(CARD, rules=RULES)

        assert rules_at(namespace, "/角色/阿遥/好感度") == [
            {
                "id": rule_id("increment", "/角色/阿遥/好感度"),
                "target": "/角色/阿遥/好感度",
                "when": "[0,100]之间，相处中变化",
                "effect": {"op": "increment", "minimum": -5, "maximum": 8},
                "guidance": ["type: number", "range: 0~100", "单次变化 [-5, 8]", "每回合必须更新"],
                "cadence": "every-turn",
            }
        ]

    def test_an_only_where_clause_becomes_a_condition_only_where_it_is_sure(self) -> None:
        namespace = imported(CARD, rules=RULES)

        (mood,) = rules_at(namespace, "/角色/阿遥/心情")
        assert mood["condition"] == 'state("story", "/角色/阿遥/好感度") >= 60'
        assert mood["when"] == "仅在【好感度达到 60 以上】时"
        assert mood["guidance"] == ["仅在【独处】时", "format: 一个词"]
        assert [each for each in namespace.setup if each["code"] == "MVU_CONDITION_AS_GUIDANCE"] == [
            {
                "code": "MVU_CONDITION_AS_GUIDANCE",
                "severity": "warning",
                "message": 'Only the model\'s judgment looks at this: "独处".',
                "path": "/角色/阿遥/心情",
            }
        ]

    @pytest.mark.parametrize(
        ("clause", "condition"),
        [
            ("好感度达到60以上", 'state("story", "/甲/好感度") >= 60'),
            ("好感度≥60", 'state("story", "/甲/好感度") >= 60'),
            ("好感度超过 60", 'state("story", "/甲/好感度") > 60'),
            ("好感度低于 0.5", 'state("story", "/甲/好感度") < 0.5'),
            ("好感度不超过 60", 'state("story", "/甲/好感度") <= 60'),
            ("乙.好感度 > 3", 'state("story", "/乙/好感度") > 3'),
            ("甲/心情等于平静", 'state("story", "/甲/心情") == "平静"'),
            ("天气等于晴", 'state("story", "/天气") == "晴"'),
            ("力量 > 3", None),
            ("心情 > 3", None),
            ("好感度等于高", None),
            ("心情为平静", None),
            ("好感度超过 60 以上", None),
            ("好感度达到 60 以上且独处", None),
            ("未名 > 3", None),
        ],
    )
    def test_a_clause_means_a_comparison_of_one_known_variable_or_nothing(
        self, clause: str, condition: str | None
    ) -> None:
        values = "甲: {好感度: 1, 心情: 平静, 名: x}\n乙: {好感度: 1, 力量: 1}\n丙: {力量: 1}\n天气: 晴"

        namespace = imported(values, rules=f"变量更新规则:\n  甲:\n    名: ['仅在【{clause}】时']")

        assert rules_at(namespace, "/甲/名")[0].get("condition") == condition
        assert codes(namespace) == ([] if condition else ["MVU_CONDITION_AS_GUIDANCE"])

    def test_what_leads_into_an_open_object_is_said_of_the_object(self) -> None:
        namespace = imported(
            CARD, rules="变量更新规则:\n  角色:\n    阿遥:\n      称号:\n        ${名}:\n          效果: 一句话"
        )

        assert rules_at(namespace, "/角色/阿遥/称号")[0]["when"] == "${名}.效果: 一句话"

    def test_a_variable_named_like_a_sentence_key_is_a_variable(self) -> None:
        namespace = imported("a: {type: x, b: 1}", rules="变量更新规则:\n  a:\n    type: 一种类型\n    b: 数字")

        assert rules_at(namespace, "/a/type")[0]["when"] == "一种类型"

    def test_a_rule_about_no_variable_is_told_of(self) -> None:
        namespace = imported("a: 1\nb: {c: 1}", rules="变量更新规则:\n  a: 变化\n  天气: 下雨\n  b: 说明")

        assert codes(namespace) == ["MVU_RULE_TARGET_UNKNOWN", "MVU_RULE_LEFT_OUT"]
        assert namespace.definition["updateMode"] == "rules-required"

    def test_an_entry_without_rules_is_left_out(self) -> None:
        namespace, remarks = read("a: 1", rules="变量输出格式:\n  rule: <UpdateVariable>")

        assert namespace.definition["updateMode"] == "rules-required"
        assert [remark.code for remark in remarks] == ["MVU_TEXT_LEFT_OUT"]

    @pytest.mark.parametrize(
        "rules",
        [
            "变量更新规则:\n  a: &x 1",
            "变量更新规则:\n  - _.set('a', 1);",
            "变量更新规则: 照旧",
            "变量更新规则:\n  天气: 下雨",
            "x:\n  变量更新规则:\n    a: 1",
            "if (变量更新规则) { _.set('a', 1); }",
            "变量更新规则:\n" + "".join(f"  ${{x{i}}}: y\n" for i in range(20_001)),
        ],
        ids=lambda rules: repr(rules[-20:]),
    )
    def test_rules_that_cannot_be_carried_over_leave_updates_off(self, rules: str) -> None:
        namespace = imported("a: 1", rules=rules)

        assert namespace.definition["updateMode"] == "disabled"
        assert namespace.setup[0]["code"] == "MVU_RULES_UNTRANSLATABLE"
        assert namespace.setup[0]["severity"] == "error"

    def test_more_rules_than_allowed_leave_updates_off(self) -> None:
        namespace = imported("a: x\nb: x\nc: x", limits=Limits(rules=2))

        assert namespace.definition["updateMode"] == "disabled"
        assert codes(namespace) == ["MVU_RULES_TOO_MANY"]

    def test_operations_in_a_greeting_are_not_run(self) -> None:
        sources = [
            Source("[initvar]", "a: 1"),
            Source("first_mes", "Hi <UpdateVariable>_.set('a', 2);</UpdateVariable>"),
        ]

        namespace, _ = read_mvu(sources, DEFAULT_LIMITS)

        assert namespace.initial_value == {"a": 1}
        assert codes(namespace) == ["MVU_OPERATIONS_NOT_RUN"]

    def test_more_diagnostics_than_allowed_end_with_how_many_more(self) -> None:
        names = "\n".join(f"  x{i}: y" for i in range(5))

        namespace = imported("a: 1", rules=f"变量更新规则:\n  a: 变化\n{names}", limits=Limits(setup_diagnostics=3))

        assert codes(namespace) == ["MVU_RULE_TARGET_UNKNOWN", "MVU_RULE_TARGET_UNKNOWN", "MVU_REMARKS_CUT"]
        assert namespace.setup[-1]["message"] == "And 3 more remarks of this kind."


names = st.sampled_from(["好感度", "心情", "a", "1", "type", "$meta", "${x}", "", "x/y", "~"])
documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-200, 200)
    | st.floats()
    | st.sampled_from(["", " ", "[0,100]", "平静", "$__META_EXTENSIBLE__$"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=15,
)
sentences = st.sampled_from(["单次变化 [-5, 8]", "每回合必须更新", "仅在【好感度达到 60 以上】时", "0~100", "", "x"])
rule_trees = st.recursive(
    sentences | st.lists(sentences, max_size=3) | st.none() | st.integers(),
    lambda inner: st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


class TestReadAnything:
    @given(documents=st.lists(st.dictionaries(names, documents, max_size=4), min_size=1, max_size=3), rules=rule_trees)
    def test_any_documents_give_a_bootstrap_or_are_refused(self, documents: list[Any], rules: Any) -> None:
        text = str({"变量更新规则": rules}).replace("None", "null")
        sources = [Source("[initvar]", _written(each)) for each in documents]

        with suppress(ProtocolRefusal):
            namespace, _ = read_mvu([*sources, Source("[mvu_update]", text)], DEFAULT_LIMITS)
            raw = {"version": 2, "namespaces": [namespace.as_json()]}
            assert bootstrap_of(raw, DEFAULT_LIMITS).as_json() == raw

    @given(
        texts=st.lists(st.text(alphabet="<>initvar/{}[]:,'\"` \n\tae1好_-=#~$", max_size=80), min_size=1, max_size=3),
        rules=st.text(alphabet="{}[]:-,'\" \n变a1", max_size=40),
    )
    def test_any_texts_give_a_bootstrap_or_are_refused(self, texts: list[str], rules: str) -> None:
        sources = [Source("[initvar]", text) for text in texts]

        with suppress(ProtocolRefusal):
            read_mvu([*sources, Source("[mvu_update]", "变量更新规则:\n" + rules)], DEFAULT_LIMITS)

    @pytest.mark.parametrize(
        "content", ["<initvar>" * 30_000, "```\n" * 60_001, "<initvar></initvar>" * 10_000, "`" * 200_000]
    )
    def test_a_text_meant_to_harm_is_refused_soon(self, content: str) -> None:
        with pytest.raises(ProtocolRefusal):
            read_mvu([Source("[initvar]", content)], DEFAULT_LIMITS)


def _written(document: Any) -> str:
    """Return the document as loose JSON, which has no word for what is not finite."""
    if isinstance(document, dict):
        return "{" + ",\n".join(f"{_written(key)}: {_written(each)}" for key, each in document.items()) + "}"
    if isinstance(document, list):
        return "[" + ", ".join(map(_written, document)) + ",]" if document else "[]"
    if isinstance(document, str):
        return f'"{document}"'
    return json.dumps(document) if document is None or isinstance(document, bool) else repr(document)
