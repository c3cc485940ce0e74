"""What each action takes, and that everything else is refused with all of its problems at once."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_app.mesh.errors import InvalidArguments
from fabric_app.mesh.validation import MAX_PROBLEMS
from fabric_app.protocol.arguments import (
    SCHEMAS,
    HistoryArguments,
    TransitionArguments,
    VerifyArguments,
    parse,
)
from fabric_app.protocol.errors import UnknownAction
from tests.protocol.strategies import any_json, loosely

LONGEST = 600_000
MOVE = {"label": "a", "to": "b", "summary": "a claim"}
DIGEST = "sha256:" + "0" * 64


def refused(action: str, args: Any) -> dict[str, str]:
    """Return the code of each problem by its pointer."""
    with pytest.raises(InvalidArguments) as found:
        parse(action, args, max_timeout_ms=LONGEST)
    assert all(problem.detail.endswith(".") for problem in found.value.problems)
    return {problem.path: problem.code for problem in found.value.problems}


class TestParsing:
    def test_a_full_transition_becomes_a_value(self) -> None:
        args = {**MOVE, "from": "z", "evidence": ["true"], "tags": [], "kind": "representation", "force": True}

        parsed = parse("transition", {**args, "complexity": {"files": ["a b/[id].tsx"]}}, max_timeout_ms=LONGEST)

        assert parsed == TransitionArguments(
            label="a",
            to="b",
            summary="a claim",
            from_="z",
            evidence=("true",),
            tags=(),
            kind="representation",
            complexity_files=("a b/[id].tsx",),
            force=True,
        )

    @pytest.mark.parametrize(("limit", "kept"), [(1.9, 1), (1, 1), (20.0, 20), (10**400, 10**400)])
    def test_a_limit_is_floored(self, limit: float, kept: int) -> None:
        assert parse("history", {"limit": limit}, max_timeout_ms=LONGEST) == HistoryArguments(limit=kept)

    def test_an_empty_history_label_is_no_filter(self) -> None:
        assert parse("history", {"label": ""}, max_timeout_ms=LONGEST) == HistoryArguments()

    def test_an_empty_list_of_labels_is_not_the_same_as_none(self) -> None:
        assert parse("verify", {"labels": []}, max_timeout_ms=LONGEST) == VerifyArguments(labels=())
        assert parse("verify", None, max_timeout_ms=LONGEST) == VerifyArguments(labels=None)

    def test_the_longest_timeout_is_taken_and_one_more_refused(self) -> None:
        assert parse("checkGoal", {"timeoutMs": LONGEST}, max_timeout_ms=LONGEST)
        assert refused("checkGoal", {"timeoutMs": LONGEST + 1}) == {"/timeoutMs": "too_large"}

    def test_an_unknown_action_has_its_own_error(self) -> None:
        with pytest.raises(UnknownAction):
            parse("nope", {}, max_timeout_ms=LONGEST)


class TestRefusing:
    def test_all_independent_problems_are_told_at_once(self) -> None:
        args = {"label": " ", "to": 5, "evidence": ["true", 1], "kind": "other", "sur/plus": 1, "complexity": {}}

        assert refused("transition", args) == {
            "/summary": "required",
            "/label": "blank",
            "/to": "wrong_type",
            "/evidence/1": "wrong_type",
            "/kind": "not_allowed",
            "/complexity/files": "required",
            "/sur~1plus": "unknown_member",
        }

    @pytest.mark.parametrize(
        ("action", "args", "problems"),
        [
            ("transition", {**MOVE, "label": "a\ud800"}, {"/label": "lone_surrogate"}),
            ("transition", {**MOVE, "evidence": ["\udfff"]}, {"/evidence/0": "lone_surrogate"}),
            ("transition", {**MOVE, "to": "a\0"}, {"/to": "nul_character"}),
            ("transition", {**MOVE, "summary": "x" * 5_000_000}, {"/summary": "too_long"}),
            ("transition", {**MOVE, "tags": ["t"] * 10_001}, {"/tags": "too_many_items"}),
            ("transition", {**MOVE, "from": None}, {"/from": "wrong_type"}),
            ("transition", [], {"": "wrong_type"}),
            ("history", {"limit": 0.5}, {"/limit": "too_small"}),
            ("history", {"limit": True}, {"/limit": "wrong_type"}),
            ("history", {"limit": float("nan")}, {"/limit": "wrong_type"}),
            ("verify", {"timeoutMs": "5"}, {"/timeoutMs": "wrong_type"}),
            ("verify", {"expectedEvidenceDigest": DIGEST + "\n"}, {"/expectedEvidenceDigest": "too_long"}),
            ("verify", {"expectedEvidenceDigest": "md5:0"}, {"/expectedEvidenceDigest": "wrong_form"}),
            ("goal", {"check": "\t "}, {"/check": "blank"}),
            ("get", {"x": 1}, {"/x": "unknown_member"}),
            ("complexity", {"files": "x"}, {"/files": "wrong_type"}),
        ],
    )
    def test_a_value_outside_the_rules_is_named(self, action: str, args: Any, problems: dict[str, str]) -> None:
        assert refused(action, args) == problems

    def test_a_flood_of_problems_is_cut(self) -> None:
        assert len(refused("verify", {"labels": [1] * 5_000})) == MAX_PROBLEMS

    @given(st.data())
    @settings(max_examples=400, deadline=None)
    def test_any_json_either_parses_or_is_refused(self, data: st.DataObject) -> None:
        action = data.draw(st.sampled_from(sorted(SCHEMAS)))
        args = data.draw(loosely(dict.fromkeys(SCHEMAS[action]["properties"], any_json)))

        with suppress(InvalidArguments):
            assert parse(action, args, max_timeout_ms=LONGEST)
