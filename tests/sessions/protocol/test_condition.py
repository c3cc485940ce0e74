"""Conditions against a plain reference, and what callers may rely on whatever the text is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.protocol.condition import Condition, Outcome, compile_condition
from sessions_app.protocol.condition_compile import DIRECT_HEIGHT
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.condition_parse import parse
from tests.sessions.protocol.condition_language import EXPRESSIONS, STATE, Expression, text_of, told

TOKENS = 1_023
ENOUGH_SECONDS = 2.0
WORDS = [
    "state",
    "exists",
    "(",
    ")",
    ",",
    '"story"',
    '"/hp"',
    "true",
    "null",
    "1",
    "-",
    "!",
    "&&",
    "||",
    "==",
    "<",
    " ",
]
SPACES = st.sampled_from(["", " ", "\n", "\u3000", "\ufeff", "\u2028\t"])


def outcome(text: str, *, direct_height: int) -> Outcome:
    return Condition(text, parse(text, max_tokens=TOKENS, direct_height=direct_height), TOKENS).evaluate(STATE)


def refusal(text: str) -> ConditionInvalid | None:
    """Compile and evaluate the text; return why it was refused, or None."""
    try:
        compile_condition(text).evaluate(STATE)
    except ConditionInvalid as refused:
        return refused
    return None


class TestEvaluating:
    @given(EXPRESSIONS, SPACES)
    def test_any_expression_is_answered_as_the_document_says(self, expression: Expression, space: str) -> None:
        found = compile_condition(text_of(expression, space=space)).evaluate(STATE)

        code = found.diagnostic.code if found.diagnostic else None
        assert (found.active, code) == told(expression, STATE)

    @given(EXPRESSIONS)
    def test_shallow_and_deep_ways_answer_alike(self, expression: Expression) -> None:
        text = text_of(expression)

        found = [outcome(text, direct_height=height) for height in (0, 1, DIRECT_HEIGHT)]

        assert found[0] == found[1] == found[2]

    def test_a_diagnostic_says_where_and_which_types(self) -> None:
        found = compile_condition('exists("story", "/hp") && state("story", "/name") > 5').evaluate(STATE)

        assert found.diagnostic is not None
        assert found.diagnostic.as_json() == {
            "code": "STATE_CONDITION_INVALID",
            "severity": "warning",
            "message": "> at position 50 needs two numbers or two texts: "
            'state("story", "/name") is a text, 5 is a number.',
        }

    def test_a_container_on_the_left_is_met_before_a_missing_place_on_the_right(self) -> None:
        found = compile_condition('state("story", "/bag") == state("no", "/x")').evaluate(STATE)

        assert found.diagnostic is not None
        assert found.diagnostic.code == "STATE_CONDITION_INVALID"

    def test_half_of_a_surrogate_pair_can_be_compared_and_its_message_sent(self) -> None:
        found = compile_condition('"\\ud800" > 1').evaluate(STATE)

        assert found.diagnostic is not None
        assert found.diagnostic.message.encode("utf-8")


class TestCompiling:
    @given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=60).map("".join)))
    def test_any_text_is_a_condition_or_refused(self, text: str) -> None:
        refused = refusal(text)

        if refused is not None:
            assert 0 <= refused.position <= len(text)
            assert refused.sentence().endswith(".")
            assert refused.sentence().encode("utf-8")

    @pytest.mark.parametrize(
        "text",
        [
            '"' + "\\" * 4_095,
            '"' + "\\u0000" * 682,
            "1" * 4_096,
            "-" * 4_096,
            "1e" * 2_048,
            "!" * 4_096,
            "(" * 4_096,
            "(true&&" * 585,
            "\u3000" * 4_095 + "1",
            'state("a","' + "/~1" * 1_300 + '")',
            'state("a","' + "9" * 4_000 + '")',
        ],
        ids=lambda text: text[:8],
    )
    def test_no_text_of_the_allowed_length_takes_long(self, text: str) -> None:
        begun = time.process_time()

        refusal(text)

        assert time.process_time() - begun < ENOUGH_SECONDS

    def test_the_same_text_is_compiled_once(self) -> None:
        assert compile_condition(" 1 == 1") is compile_condition("1 == 1\n")

    def test_white_space_at_the_ends_counts_and_is_not_kept(self) -> None:
        kept = compile_condition(" true ", max_code_points=6)

        assert kept.source == "true"
        with pytest.raises(ConditionInvalid, match="7 characters"):
            compile_condition("  true ", max_code_points=6)

    def test_a_place_is_named_in_the_text_as_it_was_given(self) -> None:
        with pytest.raises(ConditionInvalid) as refused:
            compile_condition("\n\n1 == 1 and true")

        assert refused.value.as_json() == {
            "code": "CONDITION_INVALID",
            "message": 'The condition cannot be read: At position 9, "and": write && for it.',
            "errors": [{"path": "", "code": "CONDITION_INVALID", "detail": 'At position 9, "and": write && for it.'}],
            "position": 9,
        }

    @pytest.mark.parametrize(
        ("text", "advice"),
        [
            ("1 = 1", "compare with == or !="),
            ("'a' == 'a'", "double quotes"),
            ("stat_data.hp > 3", "read a variable by state("),
            ('state("story", "/a").b', "by its path"),
            ("2-1 == 1", "no arithmetic"),
            ("(true", "the end: expected )."),
            ("true false", "expected == or != or a comparison or || or && or the end."),
            ("1 <> 2", "expected a value"),
            ('exists("Story", "/a")', "no namespace has such a name"),
            ('exists("story", "a.b")', "begin with a slash"),
            ("1e400 > 1", "no double is so large"),
            ("!" * 1_023 + "true", "the 1023 that are allowed"),
        ],
    )
    def test_a_refusal_says_what_to_write(self, text: str, advice: str) -> None:
        with pytest.raises(ConditionInvalid) as refused:
            compile_condition(text)

        assert advice in refused.value.sentence()
