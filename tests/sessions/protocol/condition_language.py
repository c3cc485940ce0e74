"""Conditions made at random, each with what the document says of it, worked out in the plainest way.

An expression is a tuple: an operator and its operands. `text_of` writes it down, `told` answers it by recursion.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

Expression = tuple[Any, ...]

MISSING, INVALID = "STATE_CONDITION_MISSING", "STATE_CONDITION_INVALID"
LEVELS = {"||": 0, "&&": 1, "==": 2, "!=": 2, ">": 3, ">=": 3, "<": 3, "<=": 3, "!": 4}
PRIMARY = 5
STATE = {
    "story": {"hp": 7, "half": 0.5, "name": "李钰", "alive": True, "lover": None, "bag": {"": 1, "a/b": "\U0001f4b0"}},
    "log": ["甲", 2, [False]],
    "clock": 3,
}
PATHS = ["", "/hp", "/half", "/name", "/alive", "/lover", "/bag", "/bag/", "/bag/a~1b", "/0", "/1", "/2/0", "/00", "/-"]
NOTHING = object()


class Stopped(Exception):
    """The evaluation ends, with a code."""


NAMESPACES = ["story", "log", "clock", "no"]
NUMBERS = [0, 1, 2, 7, -1, 0.5, 3, 1e21]
TEXTS = ["", "a", "李钰", "甲", "\U0001f4b0", "\ue000", "\uffee", 'q"\\\n']
ORDERS, EQUALITIES, BOTH = [">", ">=", "<", "<="], ["==", "!="], ["&&", "||"]


def literals(values: list[Any]) -> st.SearchStrategy[Expression]:
    return st.tuples(st.just("literal"), st.sampled_from(values))


def lookups(kind: str, namespaces: list[str], paths: list[str]) -> st.SearchStrategy[Expression]:
    return st.tuples(st.just(kind), st.sampled_from(namespaces), st.sampled_from(paths))


def comparisons(operators: list[str], of: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.tuples(st.sampled_from(operators), of, of)


# Most random operands do not fit each other, so that half of them are made to.
A_NUMBER = st.one_of(
    literals(NUMBERS), lookups("state", ["story"], ["/hp", "/half"]), lookups("state", ["log"], ["/1"])
)
A_TEXT = st.one_of(
    literals(TEXTS), lookups("state", ["story"], ["/name", "/bag/a~1b"]), lookups("state", ["log"], ["/0"])
)
A_BOOLEAN = st.one_of(
    literals([True, False]),
    lookups("exists", NAMESPACES, PATHS),
    lookups("state", ["story"], ["/alive"]),
    comparisons(ORDERS + EQUALITIES, A_NUMBER),
    comparisons(ORDERS + EQUALITIES, A_TEXT),
)
ANYTHING = st.one_of(literals([None, True, *NUMBERS, *TEXTS]), lookups("state", NAMESPACES, PATHS))


def _larger(smaller: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.tuples(st.just("!"), smaller),
        comparisons(BOTH, smaller),
        comparisons(BOTH + EQUALITIES, smaller),
        comparisons(ORDERS + EQUALITIES, ANYTHING),
    )


EXPRESSIONS = st.recursive(st.one_of(A_BOOLEAN, A_BOOLEAN, A_BOOLEAN, ANYTHING), _larger, max_leaves=25)


def text_of(expression: Expression, level: int = 0, space: str = " ") -> str:
    """Write the expression with no parentheses but the necessary ones."""
    kind, *parts = expression
    if kind == "literal":
        return json.dumps(parts[0], ensure_ascii=False)
    if kind in ("state", "exists"):
        return f'{kind}{space}({space}"{parts[0]}",{space}"{parts[1]}"{space})'
    own = LEVELS[kind]
    if kind == "!":
        text = f"!{space}{text_of(parts[0], own, space)}"
    else:
        text = f"{text_of(parts[0], own, space)}{space}{kind}{space}{text_of(parts[1], own + 1, space)}"
    return text if own >= level else f"({space}{text}{space})"


def told(expression: Expression, state: dict[str, Any]) -> tuple[bool, str | None]:
    """Return whether the condition is active, and the code of its diagnostic."""
    try:
        return _boolean(_value(expression, state)), None
    except Stopped as stop:
        return False, str(stop)


def _value(expression: Expression, state: dict[str, Any]) -> Any:
    kind, *parts = expression
    if kind == "literal":
        return parts[0]
    if kind in ("exists", "state"):
        found = _at(state, *parts)
        return _scalar(found) if kind == "state" else found is not NOTHING
    left = _value(parts[0], state)
    if kind == "!":
        return not _boolean(left)
    if kind in ("&&", "||"):
        decided = _boolean(left) is (kind == "||")
        return left if decided else _boolean(_value(parts[1], state))
    return _compared(kind, left, _value(parts[1], state))


def _at(state: dict[str, Any], namespace: str, path: str) -> Any:
    value: Any = state.get(namespace, NOTHING)
    for step in path.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(key, NOTHING)
        elif isinstance(value, list) and key in map(str, range(len(value))):
            value = value[int(key)]
        else:
            return NOTHING
    return value


def _scalar(value: Any) -> Any:
    if value is NOTHING:
        raise Stopped(MISSING)
    if isinstance(value, dict | list):
        raise Stopped(INVALID)
    return value


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise Stopped(INVALID)


def _compared(operator: str, left: Any, right: Any) -> bool:
    one, other = _kind(left), _kind(right)
    if operator in ("==", "!="):
        if one != other and "null" not in (one, other):
            raise Stopped(INVALID)
        return (one == other and left == right) is (operator == "==")
    if one != other or one not in ("number", "string"):
        raise Stopped(INVALID)
    order = _units(left) if one == "string" else left
    against = _units(right) if one == "string" else right
    return {">": order > against, ">=": order >= against, "<": order < against, "<=": order <= against}[operator]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    return "string" if isinstance(value, str) else "number"


def _units(text: str) -> list[int]:
    """Return the UTF-16 code units of a text."""
    units = []
    for code in map(ord, text):
        units += [code] if code < 0x10000 else [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code - 0x10000 & 0x3FF)]
    return units
