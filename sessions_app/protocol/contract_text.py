"""A contract as Markdown, in English or Chinese: the sentences of the session's own author stay as they are.

Nothing that a value or an author says can end the place where it stands: JSON is in fences longer than any row of
backticks in it, names and paths are in code of the same kind, and prose is on one line inside of a list item.

Source: issue "Sessions", what the model reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from fabric_app.mesh.canonical import dumps

MIN_FENCE = 3

_LINE_END = re.compile("[\n\r]")
_TICKS = re.compile("`+")
# What can stand in code as it is; anything else is shown as a JSON text, in quotes.
_PLAIN = re.compile(
    r"[^\s`\"\x00-\x1f\x7f-\x9f](?:[^\n\r`\"\x00-\x1f\x7f-\x9f\u2028\u2029]*[^\s`\"\x00-\x1f\x7f-\x9f])?"
)


class Language(StrEnum):
    """The language of what Statehouse itself says."""

    ENGLISH = "en"
    CHINESE = "zh"


_WORDS: Mapping[Language, Mapping[str, str]] = {
    Language.ENGLISH: {
        "title": "How to change the state",
        "effect": "Send changes in an effect of this form",
        "required": "required",
        "forbidden": "forbidden",
        "definitions": "What can be changed",
        "description": "About",
        "mode": "Mode",
        "ruleId": "ruleId",
        "schema": "Schema",
        "when": "When",
        "condition": "Only where",
        "cadence": "Expected",
        "every-turn": "on every turn",
        "when-applicable": "where it applies",
        "guidance": "Mind",
        "delta": "by",
        "rules": "Rules",
        "none": "none",
        "state": "The state now",
        "revision": "Revision of the session",
        "expectedRevision": "expectedRevision",
        "value": "Value",
        "holds": "holds now",
        "fails": "does not hold now",
        "diagnostics": "To know",
        "omitted": "Left out for lack of room",
    },
    Language.CHINESE: {
        "title": "如何修改状态",
        "effect": "按此格式提交修改",
        "required": "必填",
        "forbidden": "不可填",
        "definitions": "可以修改的内容",
        "description": "说明",
        "mode": "模式",
        "ruleId": "ruleId",
        "schema": "结构",
        "when": "时机",
        "condition": "仅当",
        "cadence": "频率",
        "every-turn": "每回合",
        "when-applicable": "适用时",
        "guidance": "注意",
        "delta": "增量",
        "rules": "规则",
        "none": "无",
        "state": "当前状态",
        "revision": "会话版本",
        "expectedRevision": "expectedRevision",
        "value": "值",
        "holds": "现在成立",
        "fails": "现在不成立",
        "diagnostics": "提示",
        "omitted": "因篇幅省略",
    },
}
_PROTOCOL_IN_CHINESE = {
    "set": "替换该处的值，或给对象添加成员；从不合并。上级必须存在。",
    "increment": "给已有的数字加上 by，可以为负。",
    "append": "在已有数组的末尾添加一项；列表也只算一项。",
    "remove": "删除该处的值；数组会补上空位。",
    "required": "每个修改都必须写明规则。",
    "optional": "修改可以写明规则，写明即受其约束；否则只受结构约束。",
    "updates-forbidden": "不能修改。",
}
_CONSTRAINTS_IN_CHINESE = (
    "一次提交的所有修改要么全部生效，要么全部不生效。",
    "每个命名空间最多一个 effect，使用此处给出的 expectedRevision；没有修改就不写 effect。",
    "路径是 JSON Pointer：~0 表示 ~，~1 表示 /，空串表示整个值；写错不会被修正。",
    "同一个 effect 中的修改不能指向同一处，也不能一处包含另一处。",
    "写明规则的修改，path 必须等于规则的 target，op 必须相同，by 必须在规则的范围内。",
    "带条件的规则，只有在修改之前条件成立时才能使用。",
    "频率为每回合的规则，只要条件成立，每回合都应有修改。",
    "全部修改之后，值必须符合结构。reason 用故事的语言说明原因。",
)


def stable_markdown(stable: Mapping[str, Any], language: Language) -> str:
    """Return the half that is the same whatever the values are."""
    return "".join(f"{line}\n" for line in (*_protocol(stable["protocol"], language), *_definitions(stable, language)))


def changing_markdown(changing: Mapping[str, Any], language: Language) -> str:
    """Return the half that says how the state is now."""
    return "".join(f"{line}\n" for line in _state(changing, language))


def fenced(text: str) -> str:
    """Return a block of code that the text cannot end."""
    fence = "`" * max(MIN_FENCE, _longest_ticks(text) + 1)
    return f"{fence}json\n{text}\n{fence}"


def code(text: str) -> str:
    """Return a name or path as code; one that could be mistaken as a JSON text."""
    return _span(text if _PLAIN.fullmatch(text) else dumps(text))


def prose(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def _protocol(protocol: Mapping[str, Any], language: Language) -> Iterator[str]:
    words, is_chinese = _WORDS[language], language is Language.CHINESE
    yield from (f"# {words['title']}", "", f"{words['effect']}:", "", fenced(dumps(protocol["effect"])), "")
    for op, told in protocol["operations"].items():
        fields = (
            f"{words['required']} {', '.join(told['required'])}; {words['forbidden']} {', '.join(told['forbidden'])}"
        )
        yield f"- {code(op)} ({fields}): {_PROTOCOL_IN_CHINESE[op] if is_chinese else told['does']}"
    for requirement, told in protocol["ruleId"].items():
        yield f"- ruleId {requirement}: {_PROTOCOL_IN_CHINESE[requirement] if is_chinese else told}"
    yield from (f"- {each}" for each in (_CONSTRAINTS_IN_CHINESE if is_chinese else protocol["constraints"]))
    yield ""


def _definitions(stable: Mapping[str, Any], language: Language) -> Iterator[str]:
    words = _WORDS[language]
    yield from (f"# {words['definitions']}", "")
    for definition in stable["definitions"]:
        yield f"## {code(definition['namespace'])}: {prose(definition['title'])}"
        yield ""
        if "description" in definition:
            yield f"- {words['description']}: {prose(definition['description'])}"
        yield f"- {words['mode']}: {definition['updateMode']}; {words['ruleId']} {definition['ruleIdRequirement']}"
        if "schema" in definition:
            yield f"- {words['schema']}: {_span(dumps(definition['schema']))}"
        yield f"- {words['rules']}:{'' if definition['rules'] else ' ' + words['none']}"
        for rule in definition["rules"]:
            yield from _rule(rule, words)
        yield ""


def _rule(rule: Mapping[str, Any], words: Mapping[str, str]) -> Iterator[str]:
    yield f"  - {code(rule['ruleId'])}: {rule['op']} {code(rule['target'])}{_bounds(rule, words)}"
    if "when" in rule:
        yield f"    - {words['when']}: {prose(rule['when'])}"
    if "condition" in rule:
        yield f"    - {words['condition']}: {_span(_LINE_END.sub(' ', rule['condition']))}"
    yield f"    - {words['cadence']}: {words[rule['cadence']]}"
    for each in rule.get("guidance", ()):
        yield f"    - {words['guidance']}: {prose(each)}"
    for name in ("valueSchema", "resultSchema", "parentSchema"):
        if name in rule:
            yield f"    - {name}: {_span(dumps(rule[name]))}"


def _bounds(rule: Mapping[str, Any], words: Mapping[str, str]) -> str:
    low, high = rule.get("minimum"), rule.get("maximum")
    if low is None and high is None:
        return ""
    least = "" if low is None else f"{dumps(low)} ≤ "
    most = "" if high is None else f" ≤ {dumps(high)}"
    return f", {least}{words['delta']}{most}"


def _state(changing: Mapping[str, Any], language: Language) -> Iterator[str]:
    words = _WORDS[language]
    yield from (f"# {words['state']}", "", f"- {words['revision']}: {dumps(changing['revision'])}", "")
    for namespace in changing["namespaces"]:
        yield from (f"## {code(namespace['namespace'])}", "")
        yield f"- {words['expectedRevision']}: {dumps(namespace['expectedRevision'])}"
        for each in namespace.get("conditions", ()):
            why = f" ({prose(each['diagnostic']['message'])})" if "diagnostic" in each else ""
            yield f"- {code(each['ruleId'])}: {words['holds' if each['holds'] else 'fails']}{why}"
        for each in namespace.get("diagnostics", ()):
            yield f"- {words['diagnostics']}: {code(str(each.get('code')))} {prose(str(each.get('message')))}"
        if "currentValue" in namespace:
            yield from (f"- {words['value']}:", "", fenced(dumps(namespace["currentValue"])))
        yield ""
    for part, names in changing["omitted"].items():
        yield f"- {words['omitted']}: {part} ({', '.join(map(code, names))})"


def _span(text: str) -> str:
    """Return one line of text as code; the text neither begins nor ends with a space."""
    ticks = _longest_ticks(text)
    if ticks == 0:
        return f"`{text}`"
    return f"{'`' * (ticks + 1)} {text} {'`' * (ticks + 1)}"


def _longest_ticks(text: str) -> int:
    return max((len(row) for row in _TICKS.findall(text)), default=0)
