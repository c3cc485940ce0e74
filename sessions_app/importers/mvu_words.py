"""What the sentences of MVU's authors say in a form that is sure enough to act on; all else stays a sentence.

- A range of values: `[0,100]`, `0~100`, `0-100`, `0到100`; not where several different ones are named.
- Bounds of one change: `单次变化 [-5, 8]`, `每次增减 ±3`, `per turn -1~1`; these are no range of values.
- Every turn: `每回合必须更新`.
- Only where: `仅在【好感度达到 60 以上】时`, with one name, one comparison and one number or text inside.

Source: users of rp.state, sections 3 and 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sessions_app.protocol.numbers import Number, as_double

# Sentences beyond this length are read by the model alone.
READ_CHARS = 2_000

_NUMBER = r"[-+−]?\d{1,15}(?:\.\d{1,15})?"
_BRACKETED = rf"[\[［(（【]\s{{0,3}}(?P<a>{_NUMBER})\s{{0,3}}[,，、~～–—-]\s{{0,3}}(?P<b>{_NUMBER})\s{{0,3}}[\]］)）】]"
_BARE = (
    rf"(?<![\d.:/年月日-])(?P<c>{_NUMBER})\s{{0,3}}(?:~|～|–|—|-|到|至|to)\s{{0,3}}(?P<d>{_NUMBER})(?![\d.:/年月日-])"
)
_RANGE = re.compile(f"{_BRACKETED}|{_BARE}")
_AROUND = r"(?:±|\+/-|正负)\s{0,3}(?P<around>\d{1,15}(?:\.\d{1,15})?)"
_ONE_CHANGE = re.compile(
    r"(?:单次|每次|每轮|每回合|一次|(?:per|each)\s(?:turn|change|time))(?:最多|的|只能|可)?\s{0,3}"
    r"(?:变化|变动|增减|增加|调整|改变|更新|change)?(?:幅度|范围|值|量)?\s{0,3}(?:为|是|在|:|：|by)?\s{0,3}"
    rf"(?:{_AROUND}|{_BRACKETED}|{_BARE})"
)
_EVERY_TURN = re.compile(
    r"每(?:个|一)?(?:回合|轮|次回复|条消息)(?:都)?(?:必须|必需|必定|必|需要|需|应|要)(?:要|须)?(?:更新|变化|更改)"
    r"|(?:must|has to) be updated (?:every|each) turn",
    re.IGNORECASE,
)
_ONLY_WHERE = re.compile(r"(?:仅|只|只有|仅仅)(?:能|可)?(?:在|当)\s{0,3}[【\[「](?P<inside>[^】\]」]{1,200})[】\]」]")
_COMPARED = re.compile(
    r"(?P<name>[^\s<>=≥≤!]{1,80}?)\s{0,3}"
    r"(?P<sign>大于等于|大于或等于|不低于|不少于|不小于|达到|>=|≥|小于等于|小于或等于|不高于|不超过|不大于|<=|≤"
    r"|大于|高于|超过|>|小于|低于|少于|不足|<|等于|==|为|是)\s{0,3}"
    r"(?P<value>[^<>=\s]{1,80}?)(?:\s{0,3}(?P<above>以上|及以上|或以上))?"
)
_SIGNS = {
    **dict.fromkeys(("大于等于", "大于或等于", "不低于", "不少于", "不小于", "达到", ">=", "≥"), ">="),
    **dict.fromkeys(("小于等于", "小于或等于", "不高于", "不超过", "不大于", "<=", "≤"), "<="),
    **dict.fromkeys(("大于", "高于", "超过", ">"), ">"),
    **dict.fromkeys(("小于", "低于", "少于", "不足", "<"), "<"),
    **dict.fromkeys(("等于", "==", "为", "是"), "=="),
}
_ABOVE_ALLOWED = frozenset((">=",))
_WHOLE_NUMBER = re.compile(_NUMBER)


@dataclass(frozen=True)
class Range:
    """Two bounds, both inclusive."""

    minimum: Number
    maximum: Number

    def has(self, number: Number) -> bool:
        return self.minimum <= number <= self.maximum


@dataclass(frozen=True)
class Comparison:
    """`name sign value` of an only-where clause: a sign of the condition language, a number or a text."""

    name: str
    sign: str
    value: Number | str


def value_ranges(texts: Iterable[str]) -> list[Range]:
    """Return the different ranges of values that the sentences name."""
    found = (_range_of(each) for text in texts for each in _RANGE.finditer(_ONE_CHANGE.sub(" ", text[:READ_CHARS])))
    return list(dict.fromkeys(each for each in found if each is not None))


def change_bounds(texts: Iterable[str]) -> list[Range]:
    """Return the different bounds of one change that the sentences name."""
    found = (_range_of(each) for text in texts for each in _ONE_CHANGE.finditer(text[:READ_CHARS]))
    return list(dict.fromkeys(each for each in found if each is not None))


def is_every_turn(text: str) -> bool:
    return _EVERY_TURN.search(text[:READ_CHARS]) is not None


def only_where(text: str) -> tuple[str, ...]:
    """Return what stands in the only-where clauses of a sentence."""
    return tuple(each["inside"].strip() for each in _ONLY_WHERE.finditer(text[:READ_CHARS]))


def comparison_of(clause: str) -> Comparison | None:
    """Return the one comparison that a clause is, or None where it is anything else."""
    found = _COMPARED.fullmatch(clause)
    if found is None:
        return None
    sign = _SIGNS[found["sign"]]
    if found["above"] and sign not in _ABOVE_ALLOWED:
        return None
    value = found["value"].strip("“”\"'「」")
    if _WHOLE_NUMBER.fullmatch(value):
        return Comparison(found["name"], sign, _number(value))
    # An order of texts, or a text that is more than a word, is nothing that an author of a sentence can be held to.
    is_word = sign == "==" and re.fullmatch(r"\w{1,40}", value) is not None
    return Comparison(found["name"], sign, value) if is_word and found["sign"] in ("等于", "==") else None


def _range_of(found: re.Match[str]) -> Range | None:
    named: dict[str, Any] = found.groupdict()
    if named.get("around"):
        return Range(-_number(named["around"]), _number(named["around"]))
    pair = (named["a"], named["b"]) if named["a"] else (named["c"], named["d"])
    low, high = map(_number, pair)
    return Range(low, high) if low <= high else None


def _number(text: str) -> Number:
    kept = as_double(float(text.replace("−", "-")))
    return 0 if kept is None else kept
