"""Replay: the log leads to the projection, retraction to what would be without, and failures are set aside."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fabric_app.mesh.errors import StatehouseError
from sessions_app.protocol.limits import DEFAULT_LIMITS
from sessions_app.protocol.replay import Entity, EntityKind, after_foreign_entity, fold
from tests.sessions.protocol.state_sessions import Session, change, definition, effect
from tests.sessions.protocol.strategies import KEYS, NUMBERS

NAMES = ("a", "b")
DAILY = {
    "id": "daily",
    "target": "/day",
    "when": "each day",
    "effect": {"op": "increment"},
    "cadence": "every-turn",
    "condition": 'exists("a", "/day")',
}

names = st.sampled_from(NAMES)
some_changes = st.lists(
    st.builds(lambda key, number: change("set", f"/{key.replace('~', '~0').replace('/', '~1')}", number), KEYS, NUMBERS)
    | st.just(change("increment", "/day", 1))
    | st.builds(lambda key: change("remove", f"/{key}"), st.sampled_from(["a", "b", "day"])),
    min_size=1,
    max_size=3,
)
definitions = st.builds(
    lambda closed, rules: definition(
        schema={"type": "object", "additionalProperties": {"type": "integer"} if closed else True}, rules=rules
    ),
    st.booleans(),
    st.sampled_from([[], [DAILY]]),
)
acts = st.one_of(
    st.tuples(st.just("create"), names, definitions),
    st.tuples(st.just("update"), names, definitions),
    st.tuples(st.just("reset"), names, st.none()),
    st.tuples(st.just("delete"), names, st.none()),
    st.tuples(st.just("commit"), names, some_changes),
    st.tuples(st.just("commit"), names, some_changes),
    st.tuples(st.just("nothing"), names, st.none()),
)


def act(session: Session, what: str, name: str, operand: Any) -> None:
    """Carry out one act; what is refused leaves no entity."""
    try:
        if what == "commit":
            session.commit(**{name: operand})
        elif what == "nothing":
            session.commit()
        elif what == "create":
            session.configure("create", name, definition=operand, initialValue={"day": 1})
        else:
            session.configure(what, name, **({} if operand is None else {"definition": operand}))
    except StatehouseError:
        return


def played(*of: tuple[str, str, Any]) -> Session:
    session = Session()
    session.bootstrap(a={"day": 1})
    for each in of:
        act(session, *each)
    return session


class TestFold:
    @given(st.lists(acts, max_size=12), st.integers(0, 12))
    def test_leads_to_the_projection_from_the_start_and_from_any_snapshot(self, of: list[Any], cut: int) -> None:
        session = Session()
        session.bootstrap(a={"day": 1})
        for each in of:
            act(session, *each)
            assert fold(session.log).projection == session.projection

        snapshot = fold(session.log[:cut]).projection
        whole, tail = fold(session.log), fold(session.log[cut:], snapshot)
        assert whole.quarantined == ()
        assert tail.projection == whole.projection

    @given(st.lists(acts, max_size=12), st.data())
    def test_without_some_entities_never_fails_and_brings_nothing_back(
        self, of: list[Any], data: st.DataObject
    ) -> None:
        session = played(*of)
        retracted = data.draw(st.sets(st.sampled_from([entity.key for entity in session.log])))

        left = session.without(*retracted)
        folded = fold(left)

        created = {entity.body["namespace"] for entity in left if entity.kind is EntityKind.CONFIGURATION}
        begun = {"a"} if any(entity.kind is EntityKind.BOOTSTRAP for entity in left) else set()
        assert folded.projection.namespaces.keys() <= created | begun
        standing = [entity for entity in left if entity not in [each.entity for each in folded.quarantined]]
        again = fold(standing)
        assert (again.projection, again.quarantined) == (folded.projection, ())

    @given(st.lists(st.tuples(names, some_changes), max_size=10))
    def test_without_independent_entities_is_as_if_they_had_never_been(self, commits: list[Any]) -> None:
        both, alone = Session(), Session()
        both.bootstrap(a={"day": 1}, b={"day": 1})
        alone.bootstrap(a={"day": 1}, b={"day": 1})
        of_b = set()
        for name, changes in commits:
            before = both.accepted
            act(both, "commit", name, changes)
            if name == "a":
                act(alone, "commit", name, changes)
            else:
                of_b.update(range(before, both.accepted))

        folded = fold(both.without(*of_b))

        assert (folded.projection, folded.quarantined) == (alone.projection, ())

    @given(st.lists(acts, max_size=12))
    def test_reads_foreign_entities_alike(self, of: list[Any]) -> None:
        session = played(*of)

        projection = fold(()).projection
        for entity in session.log:
            projection = after_foreign_entity(projection, entity, DEFAULT_LIMITS)

        assert projection == session.projection


class TestRetraction:
    def test_of_the_create_quarantines_what_was_built_on_it(self) -> None:
        session = played(("create", "b", definition()))
        session.commit(b=[change("increment", "/day", 1)])
        session.commit(a=[change("increment", "/day", 1)])

        folded = fold(session.without(1))

        assert list(folded.projection.namespaces) == ["a"]
        assert folded.projection.namespaces["a"].value == {"day": 2}
        assert [each.entity.key for each in folded.quarantined] == [2]
        assert folded.quarantined[0].reason["code"] == "NAMESPACE_NOT_FOUND"

    def test_of_one_commit_keeps_the_later_ones_whose_revisions_no_longer_match(self) -> None:
        session = played(*[("commit", "a", [change("increment", "/day", 1)])] * 100)

        folded = fold(session.without(6))

        assert folded.quarantined == ()
        assert folded.projection.namespaces["a"].value == {"day": 100}
        assert folded.projection.namespaces["a"].revision == 100

    def test_of_a_delete_leaves_the_old_namespace_and_quarantines_the_second_create(self) -> None:
        session = played(("create", "b", definition(title="old")), ("delete", "b", None))
        session.configure("create", "b", definition=definition(title="new"), initialValue=1)

        folded = fold(session.without(2))

        assert folded.projection.namespaces["b"].definition.title == "old"
        assert folded.quarantined[0].reason["code"] == "REVISION_CONFLICT"

    def test_of_a_target_quarantines_the_commit_that_needs_it_and_what_then_fails(self) -> None:
        session = played(("commit", "a", [change("set", "/bag", [])]))
        session.commit(a=[change("append", "/bag", {"coins": 1})])
        session.commit(a=[change("increment", "/bag/0/coins", 1)])
        session.commit(a=[change("set", "/mood", "calm")])

        folded = fold(session.without(1))

        assert folded.projection.namespaces["a"].value == {"day": 1, "mood": "calm"}
        assert [each.entity.key for each in folded.quarantined] == [2, 3]
        assert folded.quarantined[0].reason["code"] == "STATE_UPDATE_INVALID"

    def test_of_an_update_asks_the_old_rules_again(self) -> None:
        closed = definition(updateMode="disabled")
        session = played(("update", "a", closed), ("update", "a", definition()))
        session.commit(a=[change("increment", "/day", 1)])

        folded = fold(session.without(2))

        assert folded.quarantined[0].reason["code"] == "STATE_NAMESPACE_UPDATE_DISABLED"
        assert folded.projection.namespaces["a"].value == {"day": 1}

    def test_of_a_wider_schema_quarantines_values_that_fit_it_alone(self) -> None:
        narrow = definition(schema={"properties": {"day": {"maximum": 2}}})
        session = played(("update", "a", narrow), ("update", "a", definition()))
        session.commit(a=[change("increment", "/day", 5)])

        folded = fold(session.without(2))

        assert folded.quarantined[0].reason["code"] == "STATE_RESULT_SCHEMA_INVALID"

    def test_leaves_values_that_others_wrote_meanwhile(self) -> None:
        session = played(("create", "b", definition()))
        session.commit(a=[change("increment", "/day", 1)])

        folded = fold(session.without(2))

        assert folded.projection.namespaces["a"].value == {"day": 1}
        assert folded.projection.namespaces["b"] == session.projection.namespaces["b"]


class TestAForeignEntity:
    def test_of_no_known_form_is_refused(self) -> None:
        projection = played().projection
        bodies: list[Any] = [None, 7, "x", [None], {"action": []}, [effect("a", 1, None)], {"version": 1}]

        refused = 0
        for kind in EntityKind:
            for body in bodies:
                try:
                    after_foreign_entity(projection, Entity(0, kind, body), DEFAULT_LIMITS)
                except StatehouseError:
                    refused += 1

        assert refused == len(bodies) * len(EntityKind)
