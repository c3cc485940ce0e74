"""Conditions of the largest legal size, nested in every way: nothing that is done with them needs a deep stack."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sessions_app.protocol.condition import Condition, compile_condition
from sessions_app.protocol.condition_compile import DIRECT_HEIGHT
from sessions_app.protocol.condition_parse import parse

TOKENS = 1_023
# What compiling and evaluating may need beside the levels that call each other directly.
FRAMES = DIRECT_HEIGHT + 40
HP = 'state("story","/hp")>3'
STATE = {"story": {"hp": 7}}
SHAPES = {
    "parentheses": ("(" * 511 + "true" + ")" * 511, True),
    "exclamation marks": ("!" * 1_022 + "true", True),
    "an odd number of exclamation marks": ("!" * 1_021 + "true", False),
    "exclamation marks and parentheses": ("!(" * 340 + "true" + ")" * 340, True),
    "a conjunction": ("&&".join(["true"] * 512), True),
    "a disjunction": ("||".join(["false"] * 512), False),
    "equalities": ("==".join(["true"] * 512), True),
    "comparisons": ("0<" + "<".join(["1"] * 511), False),
    "conjunctions to the right": ("true&&(" * 255 + "true" + ")" * 255, True),
    "disjunctions to the right": ("false||(" * 255 + "true" + ")" * 255, True),
    "equalities to the right": ("true==(" * 255 + "false" + ")" * 255, False),
    "equalities to the left": ("(" * 255 + "true" + "!=false)" * 255, True),
    "conjunctions to the left": ("(" * 255 + "true" + "&&true)" * 255, True),
    "everything in turn": ("!(true&&(false||(true==(" * 66 + HP + "))))" * 66, True),
    "look-ups": ("&&".join([HP] * 113), True),
    "an error at the bottom": ("true&&(" * 254 + "!1" + ")" * 254, False),
}


@contextmanager
def few_frames() -> Iterator[None]:
    """Let the interpreter recurse no deeper than FRAMES from here."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


@pytest.fixture(autouse=True, scope="module")
def _parser_is_built() -> None:
    """Build the parser, which recurses over the grammar, once in a process."""
    compile_condition("true")


@pytest.mark.parametrize(("text", "active"), SHAPES.values(), ids=SHAPES.keys())
class TestAConditionOfTheLargestSize:
    def test_is_compiled_and_evaluated(self, text: str, active: bool) -> None:
        with few_frames():
            found = Condition(text, parse(text, max_tokens=TOKENS), TOKENS).evaluate(STATE)

        assert found.active is active

    def test_is_copied_hashed_shown_and_pickled(self, text: str, active: bool) -> None:
        condition = compile_condition(text)

        with few_frames():
            copies = [copy.copy(condition), copy.deepcopy(condition), pickle.loads(pickle.dumps(condition))]
            hashes = {hash(each) for each in [condition, *copies]}
            shown = repr(condition)

        assert copies == [condition] * 3
        assert len(hashes) == 1
        assert text in shown
        assert copies[2].evaluate(STATE).active is active

    def test_is_let_go_again(self, text: str, active: bool) -> None:
        with few_frames():
            part = parse(text, max_tokens=TOKENS)
            del part

        assert active in (True, False)


class TestACondition:
    def test_cannot_be_changed(self) -> None:
        with pytest.raises(AttributeError):
            compile_condition("true").source = "false"  # type: ignore[misc]

    def test_of_more_tokens_than_usual_is_evaluated_too(self) -> None:
        text = "true&&(" * 5_000 + "true" + ")" * 5_000

        found = compile_condition(text, max_code_points=100_000, max_tokens=100_000).evaluate(STATE)

        assert found.active

    def test_of_more_tokens_than_usual_is_pickled_with_its_limit(self) -> None:
        condition = compile_condition("!" * 2_000 + "true", max_tokens=3_000)

        assert pickle.loads(pickle.dumps(condition)).evaluate(STATE).active
