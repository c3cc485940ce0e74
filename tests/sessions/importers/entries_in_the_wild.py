"""Strategies: entries of both forms as the world writes them, and what a person changes in one."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sessions_app.protocol.names import UNSAFE_KEYS
from sessions_app.protocol.world_book import SecondaryLogic
from tests.sessions.importers.brought_files import IN_WINTER

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
FLAGS = st.none() | st.booleans() | st.sampled_from([0, 1])
KEYS = st.none() | TEXTS | st.lists(TEXTS | st.integers(0, 99), max_size=3)
ORDERS = st.none() | st.integers(-1000, 1000) | st.floats(-9, 9) | st.just("12")
CONDITIONS = st.sampled_from([None, "", IN_WINTER, f" {IN_WINTER} ", "true"])
LOGICS = st.none() | st.integers(0, 3)
POSITIONS = st.none() | st.integers(0, 7) | st.sampled_from(["before_char", "after_char"])
NAMES = TEXTS.filter(lambda name: name not in UNSAFE_KEYS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
OTHERS = st.dictionaries(st.sampled_from(["x", "отдел", "a/b", "~", "uid", "id", "displayIndex"]), JSON, max_size=3)


def _extensions(**members: Any) -> st.SearchStrategy[Any]:
    named = {"state_condition": CONDITIONS, "stateCondition": CONDITIONS, "position": POSITIONS, **members}
    objects = st.tuples(OTHERS, st.fixed_dictionaries({}, optional=named)).map(lambda two: {**two[0], **two[1]})
    return objects | st.none() | st.just([])


def _entries(**members: Any) -> st.SearchStrategy[dict[str, Any]]:
    named = {
        "comment": st.none() | TEXTS | st.integers(0, 9),
        "content": st.none() | TEXTS,
        "constant": FLAGS,
        "selective": FLAGS,
        "position": POSITIONS,
        "probability": st.none() | st.integers(0, 100),
        "state_condition": CONDITIONS,
        "stateCondition": CONDITIONS,
        **members,
    }
    return st.tuples(OTHERS, st.fixed_dictionaries({}, optional=named)).map(lambda two: {**two[0], **two[1]})


WORLD_INFO_ENTRIES = _entries(
    key=KEYS,
    keysecondary=KEYS,
    order=ORDERS,
    disable=FLAGS,
    selectiveLogic=LOGICS,
    caseSensitive=FLAGS,
    matchWholeWords=FLAGS,
    extensions=_extensions(),
)
CARD_ENTRIES = _entries(
    keys=KEYS,
    secondary_keys=KEYS,
    name=st.none() | TEXTS,
    insertion_order=ORDERS,
    enabled=FLAGS,
    case_sensitive=FLAGS,
    extensions=_extensions(selectiveLogic=LOGICS, case_sensitive=FLAGS, match_whole_words=FLAGS),
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        # A blank title reads as none, so that other blanks would not come back.
        "title": TEXTS.map(lambda text: text if text.strip("\ufeff \t") and text.strip() else ""),
        "content": TEXTS,
        "keys": st.lists(TEXTS, max_size=3).map(tuple),
        "secondary_keys": st.lists(TEXTS, max_size=3).map(tuple),
        "secondary_logic": st.sampled_from(SecondaryLogic),
        "order": st.integers(-1000, 1000),
        "state_condition": st.sampled_from([None, IN_WINTER, "false"]),
        "enabled": st.booleans(),
        "constant": st.booleans(),
        "case_sensitive": st.booleans(),
        "whole_words": st.booleans(),
    },
)
