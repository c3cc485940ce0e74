"""Turn commits: what they change, in which order, and what they refuse."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.commit import commit
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.projection import Projection
from tests.sessions.protocol.state_sessions import change, effect, namespace, state, story

CAST: dict[str, Any] = {"characters": {"mira": {"affection": 5}}, "bag": ["rope"]}


def value(projection: Projection, name: str = "story") -> Any:
    return projection.namespaces[name].value


def refusal(projection: Projection, effects: Any, limits: Any = DEFAULT_LIMITS) -> CommitRefused:
    with pytest.raises(CommitRefused) as refused:
        commit(projection, effects, limits)
    return refused.value


class TestCommit:
    def test_says_path_by_path_what_was_there_and_what_is(self) -> None:
        before = state(story=CAST)

        changed = commit(
            before,
            story(
                change("increment", "/characters/mira/affection", 2),
                change("append", "/bag", "lamp"),
                change("set", "/day", 1),
            ),
            DEFAULT_LIMITS,
        ).changed

        told = [(each["path"], each.get("before"), each.get("after")) for each in (one.as_json() for one in changed)]
        assert told == [("/characters/mira/affection", 5, 7), ("/bag/1", None, "lamp"), ("/day", None, 1)]
        assert "before" not in changed[1].as_json()

    def test_shares_what_it_did_not_change_and_leaves_what_it_was_given(self) -> None:
        before = state(story=copy.deepcopy(CAST))

        after = commit(before, story(change("append", "/bag", "lamp")), DEFAULT_LIMITS).projection

        assert value(before) == CAST
        assert value(after)["characters"] is value(before)["characters"]

    def test_runs_effects_in_order_and_keeps_nothing_where_a_later_one_fails(self) -> None:
        before = state(story=CAST, world={"season": "winter"})
        effects = [
            effect("world", 1, change("set", "/season", "spring")),
            effect("story", 1, change("remove", "/nothing")),
        ]

        refused = refusal(before, effects)

        assert refused.code == "STATE_UPDATE_INVALID"
        assert refused.issues[0].path == "/effects/1/payload/changes/0/path"
        assert value(before, "world") == {"season": "winter"}

    def test_lets_a_condition_see_earlier_effects(self) -> None:
        bloom = {"id": "bloom", "target": "/bloom", "when": "spring", "effect": {"op": "set"}}
        rule = bloom | {"condition": 'state("world", "/season") == "spring"'}
        garden = namespace({"bloom": False}, updateMode="rules-required", rules=[rule])
        before = Projection(1, {**state(world={"season": "winter"}).namespaces, "story": garden})
        grow = effect("story", 1, change("set", "/bloom", True, ruleId="bloom"))

        after = commit(before, [effect("world", 1, change("set", "/season", "spring")), grow], DEFAULT_LIMITS)

        assert value(after.projection) == {"bloom": True}
        assert refusal(before, [grow]).code == "STATE_RULE_CONDITION_UNSATISFIED"

    def test_leaves_every_other_namespace_as_it_is(self) -> None:
        before = state(story=CAST, ui={"theme": "dark"})

        after = commit(before, story(change("set", "/day", 1)), DEFAULT_LIMITS).projection

        assert after.namespaces["ui"] is before.namespaces["ui"]

    def test_refuses_a_second_delivery(self) -> None:
        sent = story(change("append", "/bag", "sword"))
        after = commit(state(story=CAST), sent, DEFAULT_LIMITS).projection

        refused = refusal(after, sent)

        assert (refused.code, refused.status) == ("REVISION_CONFLICT", 409)
        assert refused.issues[0].details == {"expected": 1, "current": 2}

    def test_gathers_every_independent_fault_of_all_effects(self) -> None:
        before = state(story=CAST, world={})
        effects = [
            effect("story", 1, change("set", "day", 1), change("increment", "/bag", "2")),
            effect("world", 1, change("merge", "/x", 1)),
        ]

        refused = refusal(before, effects)

        assert (refused.code, refused.status) == ("STATE_UPDATE_VALIDATION_FAILED", 422)
        assert [issue.path for issue in refused.issues] == [
            "/effects/0/payload/changes/0/path",
            "/effects/0/payload/changes/1/by",
            "/effects/1/payload/changes/0/op",
        ]

    def test_lists_no_more_issues_than_allowed(self) -> None:
        faults = [change("set", f"no slash {n}", 1) for n in range(100)]

        refused = refusal(state(story=CAST), story(*faults))

        assert len(refused.issues) == DEFAULT_LIMITS.issues

    def test_takes_as_many_changes_as_allowed_and_no_more(self) -> None:
        limits = replace(DEFAULT_LIMITS, changes=3)
        changes = [change("set", f"/k{n}", n) for n in range(4)]

        assert commit(state(story={}), story(*changes[:3]), limits)
        assert refusal(state(story={}), story(*changes), limits).code == "STATE_CHANGES_LIMIT"

    @pytest.mark.parametrize("path", ["", "/a", "/a/b"])
    def test_refuses_what_would_nest_too_deep_wherever_it_goes(self, path: str) -> None:
        limits = replace(DEFAULT_LIMITS, depth=4)
        used = path.count("/")
        fits, too_deep = nested(4 - used), nested(5 - used)

        assert commit(state(story={"a": {"b": 1}}), story(change("set", path, fits)), limits)
        assert refusal(state(story={"a": {"b": 1}}), story(change("set", path, too_deep)), limits).code == (
            "STATE_CHANGE_VALUE_INVALID"
        )

    def test_refuses_thousands_of_nested_arrays(self) -> None:
        refused = refusal(state(story={}), story(change("set", "/x", nested(3_000))))

        assert refused.code == "STATE_CHANGE_VALUE_INVALID"


def nested(levels: int) -> Any:
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


class TestNumbers:
    @pytest.mark.parametrize(
        ("start", "by", "end"),
        [
            (1, 0.5, 1.5),
            (0.1, 0.2, 0.1 + 0.2),
            (2**53 - 1, 1, float(2**53)),
            (float(2**53), 1, float(2**53)),
            (1.5, -0.5, 1),
        ],
    )
    def test_are_added_as_doubles(self, start: Any, by: Any, end: Any) -> None:
        after = commit(state(story={"n": start}), story(change("increment", "/n", by)), DEFAULT_LIMITS).projection

        assert value(after)["n"] == end
        assert type(value(after)["n"]) is type(end)

    @pytest.mark.parametrize("by", [float("inf"), float("nan"), True, "2", None, 10**400])
    def test_that_are_none_or_not_finite_are_no_step(self, by: Any) -> None:
        assert refusal(state(story={"n": 1}), story(change("increment", "/n", by))).code == (
            "STATE_CHANGE_INCREMENT_BY_INVALID"
        )

    @pytest.mark.parametrize("start", ["20", True, None, [1], {"n": 1}])
    def test_are_added_to_numbers_alone(self, start: Any) -> None:
        refused = refusal(state(story={"n": start}), story(change("increment", "/n", -2)))

        assert refused.code == "STATE_UPDATE_INVALID"


class TestParents:
    def test_are_never_made_up(self) -> None:
        assert refusal(state(story={}), story(change("set", "/quests/0/name", "sword"))).code == (
            "STATE_CHANGE_APPLICATION_FAILED"
        )


class TestAnArrayThatLosesAnItem:
    @pytest.mark.parametrize(
        "changes",
        [
            [change("increment", "/l/1", 1), change("remove", "/l/0")],
            [change("remove", "/l/0"), change("increment", "/l/1", 1), change("set", "/other", 1)],
        ],
    )
    def test_is_checked_where_its_items_are_now(self, changes: list[Any]) -> None:
        schema = {"properties": {"l": {"type": "array", "items": {"type": "integer", "maximum": 5}}}}
        before = Projection(1, {"story": namespace({"l": [5, 5, 5]}, schema=schema)})

        refused = refusal(before, story(*changes))

        assert refused.code == "STATE_RESULT_SCHEMA_INVALID"

    def test_is_checked_as_a_whole_also_inside_another(self) -> None:
        schema = {"items": {"type": "array", "items": {"type": "integer", "maximum": 5}}}
        before = Projection(1, {"story": namespace([[1], [1, 5]], schema=schema)})
        changes = [change("increment", "/1/1", 1), change("remove", "/1/0"), change("remove", "/0")]

        assert refusal(before, story(*changes)).code == "STATE_RESULT_SCHEMA_INVALID"


class TestAnItemThatIsAList:
    def test_is_one_item_and_refused_by_the_schema_of_items(self) -> None:
        schema = {"properties": {"bag": {"type": "array", "items": {"type": "string"}}}}
        before = Projection(1, {"story": namespace({"bag": ["sword"]}, schema=schema)})

        refused = refusal(before, story(change("append", "/bag", ["sword", "shield"])))

        assert refused.code == "STATE_CHANGE_VALUE_SCHEMA_INVALID"
