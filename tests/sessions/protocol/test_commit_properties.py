"""What holds of every commit: nothing on refusal, and on success what a plain reading of the operations gives."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.protocol import pointer
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.changes import ABSENT, Difference
from sessions_app.protocol.commit import commit
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.numbers import as_double
from sessions_app.protocol.projection import Projection
from sessions_app.protocol.retry_patches import RetryPatchInvalid, patched
from sessions_app.protocol.values import same
from tests.sessions.protocol.state_sessions import change, namespace, story
from tests.sessions.protocol.strategies import KEYS, NUMBERS, any_json, kept_values, schemas_of

OPERATIONS = ["set", "increment", "append", "remove"]


def paths_of(value: Any) -> list[tuple[str, ...]]:
    """Return the paths of a value, its root first."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((str(step), *deeper) for step, item in members for deeper in paths_of(item))]


@st.composite
def changes_to(draw: st.DrawFn, value: Any) -> list[dict[str, Any]]:
    """Draw changes that mostly can be carried out: on paths of the value, or one step beside them."""
    changes = []
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(paths_of(value)))
        if draw(st.integers(0, 3)) == 0:
            path = (*path, draw(KEYS))
        op = draw(st.sampled_from(OPERATIONS))
        operand = draw(NUMBERS) if op == "increment" else draw(kept_values)
        changes.append(change(op, pointer.format(path), operand))
    return changes


@st.composite
def sessions(draw: st.DrawFn) -> tuple[Any, dict[str, Any], list[dict[str, Any]]]:
    """Draw a value, a schema that it fits, and changes to it."""
    value = draw(kept_values)
    return value, draw(schemas_of(value)), draw(changes_to(value))


def plainly(value: Any, changes: list[dict[str, Any]]) -> Any:
    """Carry out changes in the plainest way: everything is copied, and Python's own errors say what cannot be done."""
    box = {"": copy.deepcopy(value)}
    for each in changes:
        *above, last = ["", *pointer.parse(each["path"])]
        parent: Any = box
        for segment in above:
            parent = parent[step(parent, segment)]
        key = step(parent, last)
        if each["op"] == "set":
            parent[key] = copy.deepcopy(each["value"])
        elif each["op"] == "remove":
            del parent[key]
        elif each["op"] == "append":
            assert isinstance(parent[key], list)
            parent[key].append(copy.deepcopy(each["value"]))
        else:
            assert type(parent[key]) in (int, float)
            parent[key] = as_double(float(parent[key]) + each["by"])
            assert parent[key] is not None
    return box[""]


def step(container: Any, segment: str) -> Any:
    if isinstance(container, dict):
        return segment
    assert isinstance(container, list)
    index = pointer.index_in(container, segment)
    assert index is not None
    return index


def conflict(changes: list[dict[str, Any]]) -> bool:
    paths = [pointer.parse(each["path"]) for each in changes]
    return any(pointer.conflicts(left, right) for n, left in enumerate(paths) for right in paths[:n])


class TestAnyCommit:
    @given(sessions())
    def test_does_what_plain_copying_and_a_whole_check_do(self, drawn: tuple[Any, dict[str, Any], Any]) -> None:
        value, schema, changes = drawn
        before = Projection(1, {"story": namespace(value, schema=schema)})
        untouched = copy.deepcopy((value, changes))
        checker = before.namespaces["story"].definition.checker

        try:
            after = commit(before, story(*changes), DEFAULT_LIMITS).projection
        except CommitRefused as refused:
            codes = {issue.code.value for issue in refused.issues}
        else:
            codes = set()

        # The plain way, in the order of the document.
        root_removal = any(each["op"] == "remove" and each["path"] == "" for each in changes)
        if root_removal or conflict(changes):
            assert codes
        elif not codes:
            expected = plainly(value, changes)
            assert same(after.namespaces["story"].value, expected)
            assert checker.check(expected) is None
        elif codes == {"STATE_RESULT_SCHEMA_INVALID"}:
            assert checker.check(plainly(value, changes)) is not None
        elif codes <= {"STATE_UPDATE_INVALID", "STATE_CHANGE_APPLICATION_FAILED"}:
            with pytest.raises((AssertionError, KeyError)):
                plainly(value, changes)
        assert repr((value, changes)) == repr(untouched)

    @given(sessions())
    def test_tells_differences_that_lead_back(self, drawn: tuple[Any, dict[str, Any], Any]) -> None:
        value, _, changes = drawn
        before = Projection(1, {"story": namespace(value)})

        try:
            committed = commit(before, story(*changes), DEFAULT_LIMITS)
        except CommitRefused:
            return

        restored = copy.deepcopy(committed.projection.namespaces["story"].value)
        for each in reversed(committed.changed):
            restored = undone(restored, each.difference)
        assert same(restored, value)

    @given(any_json)
    def test_takes_any_json_or_refuses_it(self, raw: Any) -> None:
        before = Projection(1, {"story": namespace({"a": 1})})

        for effects in (raw, [raw], story(raw), story({"op": "set", "path": "/a", "reason": "x", "value": raw})):
            with suppress(CommitRefused):
                commit(before, effects, DEFAULT_LIMITS)

        assert before.namespaces["story"].value == {"a": 1}


def undone(value: Any, difference: Difference) -> Any:
    if not difference.segments:
        return difference.before
    parent = pointer.parent(value, difference.segments).container
    last = difference.segments[-1]
    key: Any = last if isinstance(parent, dict) else int(last)
    if difference.before is ABSENT:
        del parent[key]
    elif difference.after is ABSENT and isinstance(parent, list):
        parent.insert(key, difference.before)
    else:
        parent[key] = difference.before
    return value


class TestAnyPatch:
    @given(
        kept_values,
        st.lists(
            st.fixed_dictionaries(
                {
                    "op": st.sampled_from(["add", "replace", "remove"]),
                    "path": st.lists(KEYS, max_size=2).map(pointer.format),
                },
                optional={"value": any_json},
            ),
            max_size=3,
        ),
    )
    def test_is_applied_or_refused_and_leaves_the_draft(self, draft: Any, patches: list[dict[str, Any]]) -> None:
        untouched = copy.deepcopy(draft)

        with suppress(RetryPatchInvalid):
            patched(draft, patches, DEFAULT_LIMITS)

        assert repr(draft) == repr(untouched)
