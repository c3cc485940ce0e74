"""Whatever a client sends is taken or refused by a typed error; nothing else ever comes out of the protocol."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import StatehouseError
from negotiation_app.protocol.bodies import FORMS
from negotiation_app.protocol.decide import decide
from negotiation_app.protocol.document import document
from negotiation_app.protocol.names import Role
from negotiation_app.protocol.refusals import BodyInvalid
from negotiation_app.protocol.requests import Context, Entry, Operation
from negotiation_app.protocol.state import Negotiation
from tests.conformance.negotiation_memory import MemoryPlayer
from tests.conformance.negotiation_vectors import scenarios

JUNK: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**400,
    "",
    " ",
    "x",
    "a/b",
    "\x00",
    "\ud800",
    "9" * 500,
    "1e5",
    "2026",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00+14:00",
    "KNOWN",
    "event-1",
    "propositions/x",
    "derived",
    "boundaries/a/FLOOR",
    [],
    [[]],
    ["x"],
    {},
    {"ref": "x"},
    {"type": "money"},
    {"type": "range", "low": None, "high": None},
    {"type": "date", "value": "9999-12-31"},
    {"type": "number", "amount": "-0"},
)
Place = tuple[Any, ...]


@cache
def moments() -> list[tuple[Negotiation, dict[str, Any]]]:
    """List every step of every scenario that an operation decides, with the state before it."""
    found = []
    for parameter in scenarios():
        (scenario,) = parameter.values
        player = MemoryPlayer()
        player.open(scenario["given"])
        for step in scenario["steps"]:
            if step["op"] in FORMS and step["op"] != "read_state":
                found.append((player.now, step))
            player.play(step)
    return found


@cache
def parts() -> list[Any]:
    """List the parts of all bodies, to be put where they do not belong."""
    bodies = [step["body"] for _, step in moments()]
    return [part for body in bodies for place in places(body) for part in [at(body, place)]]


def places(value: Any, above: Place = ()) -> Iterator[Place]:
    yield above
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from places(member, (*above, name))


def at(value: Any, place: Place) -> Any:
    for name in place:
        value = value[name]
    return value


def one_of(data: st.DataObject, choices: Sequence[Any]) -> Any:
    """Draw by place: the choices are too many to be drawn as they are."""
    return choices[data.draw(st.integers(0, len(choices) - 1))]


def twisted(data: st.DataObject, body: Any, version: int) -> Any:
    """Return the body with a part left out, or with something else in its place."""
    changed = copy.deepcopy(body)
    for _ in range(data.draw(st.integers(1, 3))):
        found = [place for place in places(changed) if place]
        if not found:
            break
        *above, name = one_of(data, found)
        holder = at(changed, tuple(above))
        if isinstance(holder, dict) and data.draw(st.booleans()):
            del holder[name]
        else:
            holder[name] = copy.deepcopy(one_of(data, JUNK if data.draw(st.booleans()) else parts()))
    if "stateVersion" in changed:
        changed["stateVersion"] = version
    return changed


class TestAnyBody:
    @settings(max_examples=300, deadline=None)
    @given(st.data())
    def test_is_taken_or_refused_by_name(self, data: st.DataObject) -> None:
        state, step = one_of(data, moments())
        body = twisted(data, step["body"], state.version)
        context = Context(frozenset(Role), "anybody", datetime.fromisoformat(step["at"]))

        try:
            decided = decide(state, Operation(step["op"], body), context)
        except StatehouseError as refused:
            dumps(refused.as_json())
            return

        dumps(decided.answer)
        dumps(document(decided.state, context.at))
        if decided.entry is not None:
            assert Entry.from_json(json.loads(dumps(decided.entry.as_json()))) == decided.entry

    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(sorted(FORMS)), st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=5))
    def test_that_is_no_object_is_refused(self, name: str, body: Any) -> None:
        context = Context(frozenset(Role), "anybody", datetime.fromisoformat("2026-03-02T09:00:00Z"))

        with pytest.raises(BodyInvalid):
            decide(moments()[0][0], Operation(name, body), context)
