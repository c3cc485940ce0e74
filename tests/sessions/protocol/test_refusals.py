"""Refused commits: what helps to mend them, and that they can always be told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.commit import commit
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import Projection
from tests.sessions.protocol.state_sessions import change, effect, namespace, state, story

AFFECTION = {
    "id": "affection",
    "target": "/characters/mira/affection",
    "when": "she is glad",
    "effect": {"op": "increment", "minimum": -3, "maximum": 3},
}
CAST: dict[str, Any] = {"characters": {"mira": {"affection": 5}}, "bag": ["rope"]}


def value(projection: Projection, name: str = "story") -> Any:
    return projection.namespaces[name].value


def refusal(projection: Projection, effects: Any, limits: Any = DEFAULT_LIMITS) -> CommitRefused:
    with pytest.raises(CommitRefused) as refused:
        commit(projection, effects, limits)
    return refused.value


class TestHelp:
    @pytest.mark.parametrize(
        "wrong", ["/characters/mira/afection", "/stat_data/characters/mira/affection", "characters.mira.affection"]
    )
    def test_names_the_nearest_path(self, wrong: str) -> None:
        refused = refusal(state(story=CAST), story(change("increment", wrong, 1)))

        assert refused.issues[0].details["nearestPath"] == "/characters/mira/affection"

    def test_names_the_nearest_rule_and_those_that_are_for_the_path(self) -> None:
        before = Projection(1, {"story": namespace(CAST, updateMode="rules-required", rules=[AFFECTION])})
        sent = change("increment", "/characters/mira/affection", 1, ruleId="afection")

        details = refusal(before, story(sent)).issues[0].details

        assert details == {"allowedRuleIds": ["affection"], "nearestRuleId": "affection"}

    def test_names_the_bounds_of_a_step(self) -> None:
        before = Projection(1, {"story": namespace(CAST, updateMode="rules-required", rules=[AFFECTION])})
        sent = change("increment", "/characters/mira/affection", 7, ruleId="affection")

        assert refusal(before, story(sent)).issues[0].details == {"minimum": -3, "maximum": 3}

    def test_names_the_operation_that_another_language_means(self) -> None:
        refused = refusal(state(story=CAST), story(change("replace", "/bag", value=[])))

        assert refused.issues[0].details["nearest"] == "set"

    def test_names_the_nearest_namespace(self) -> None:
        refused = refusal(state(story=CAST), [effect("sotry", 1, change("set", "/day", 1))])

        assert refused.issues[0].details == {"namespaces": ["story"], "nearest": "story"}


class TestARefusal:
    @pytest.mark.parametrize(
        "effects",
        [
            story(change("set", "/\ud800", 1)),
            story(change("set", "/a", "\ud800")),
            story(change("set", "/a", 1, ruleId="\ud800")),
            story(change("set", "/a", 1) | {"\ud800": 1}),
            story(change("set", "/a", 1) | {"reason": "\ud800"}),
            [effect("story", 1, change("set", "/a", 1)) | {"expectedRevision": float("inf")}],
            [effect("story", 1, change("set", "/a", 1)) | {"expectedRevision": "\ud800"}],
            [{"\ud800": 1}],
        ],
    )
    def test_can_always_be_sent(self, effects: Any) -> None:
        answer = refusal(state(story={"a": 1}), effects).as_json()

        assert json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()


class TestPathsAsModelsWriteThem:
    @pytest.mark.parametrize(
        "path", ["characters.mira.affection", "stat_data.x", "/characters/mira/affection/", "characters/mira", "#/bag"]
    )
    def test_are_refused_and_never_mended(self, path: str) -> None:
        before = state(story=CAST)

        refused = refusal(before, story(change("increment", path, 1)))

        assert refused.code in {"STATE_CHANGE_PATH_INVALID", "STATE_CHANGE_APPLICATION_FAILED"}
        assert value(before) == CAST
