"""Whatever is said in whatever order: the log leads to the state, and what must never be false stays true.

Source: canonical negotiation state, section 0 and the last paragraph.
"""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_app.mesh.errors import NotFound
from negotiation_app.protocol.derived import every_cell
from negotiation_app.protocol.errors import NegotiationError
from negotiation_app.protocol.evidence import carried, is_tainted
from negotiation_app.protocol.facts import working_view
from negotiation_app.protocol.fold import apply, at_version, fold
from negotiation_app.protocol.indexes import pair_key
from negotiation_app.protocol.lookup import look
from negotiation_app.protocol.names import Certainty, DecisionStatus, JudgementStatus
from negotiation_app.protocol.requests import Entry
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.validity import overlap
from negotiation_app.protocol.worth import agree
from tests.negotiation.protocol.sayings import Sayings
from tests.negotiation.protocol.talks import Talks, fact, item, usd

MOST_STEPS = 25


def talk(data: st.DataObject, steps: int) -> Talks:
    """Say so many things, one after the other, and look at each step."""
    talks = Talks()
    talks.say("record_simulation", {"simulation": SIMULATION})
    talks.learn(fact("list", usd("100"), item("order-form"), party="acme"), fact("guess", usd("100"), item("letter")))
    sayings = Sayings(data, talks)
    for _ in range(steps):
        before = talks.state
        name, body = sayings.next()
        try:
            answer = talks.say(name, body)
        except (NegotiationError, NotFound):
            assert talks.state is before
        else:
            check(before, talks.state)
            assert_recomputed(before, talks, answer)
    return talks


SIMULATION: dict[str, Any] = {
    "ref": "rp1",
    "kind": "ROLE_PLAY",
    "statements": [{"ref": "s1", "speaker": "Acme", "text": "Perhaps 90."}],
}


def check(before: Negotiation, after: Negotiation) -> None:
    assert after.version == sum(row.material for row in after.history.values())
    assert_only_grew(before, after)
    assert_known_is_carried(after)
    assert_no_silent_conflict(after)
    assert all(after.changed_at.get(path, 0) >= version for path, version in before.changed_at.items())


def assert_only_grew(before: Negotiation, after: Negotiation) -> None:
    for table in ("concessions", "proposals", "reviews", "history", "evidence", "simulations", "propositions"):
        assert set(getattr(before, table)) <= set(getattr(after, table))
    assert all(after.reviews[ref].result == row.result for ref, row in before.reviews.items())
    for ref, row in before.criteria.items():
        assert after.criteria[ref].revisions[: len(row.revisions)] == row.revisions
    for table in ("boundaries", "batnas", "proposals", "concessions"):
        for key, old in getattr(before, table).items():
            assert getattr(after, table)[key].entries[: len(old.entries)] == old.entries
    assert all(after.parties[ref] == party for ref, party in before.parties.items())
    used = {ref for ref, row in before.decisions.items() if row.status == DecisionStatus.USED}
    assert all(after.decisions[ref].used_by == before.decisions[ref].used_by for ref in used)


def assert_recomputed(before: Negotiation, talks: Talks, answer: dict[str, Any]) -> None:
    """Exactly what differs was recomputed, and nothing that rests on what moved is current unless it is new."""
    old, new = (every_cell(state, talks.clock) for state in (before, talks.state))
    differing = {path for path in {**old, **new} if (path in old, old.get(path)) != (path in new, new.get(path))}
    assert set(answer.get("recomputed", ())) == differing
    for ref, row in before.judgements.items():
        if row.status == talks.state.judgements[ref].status == JudgementStatus.CURRENT:
            for path in row.depends_on:
                assert seen(before, path, talks.clock) == seen(talks.state, path, talks.clock)


def seen(state: Negotiation, path: str, at: datetime) -> Any:
    """Return what a dependent looks at: of a slot what its view says, of a position its value, which strategy."""
    family, _, rest = path.partition("/")
    if family == "strategy":
        return state.strategy
    if family == "facts":
        return working_view(state, rest, at).says()
    found = look(state, path, at)
    return _without_review(found) if family in ("batna", "boundaries") else found


def _without_review(told: Any) -> Any:
    """Leave out the review state, and how many decimals an amount was stated with."""
    if not isinstance(told, dict):
        return told
    parts = {name: each for name, each in told.items() if name != "reviewState"}
    return {name: Fraction(each) if name == "amount" else _without_review(each) for name, each in parts.items()}


def assert_known_is_carried(state: Negotiation) -> None:
    for row in state.propositions.values():
        if row.is_effective and row.status == Certainty.KNOWN:
            items = [state.evidence[each] for each in row.evidence]
            subject, _, attribute = row.slot.partition("/")
            assert any(
                not is_tainted(state, each) and carried(state, each, subject, attribute) == Certainty.KNOWN
                for each in items
            )


def assert_no_silent_conflict(state: Negotiation) -> None:
    for slot in state.slots:
        known = [row for row in state.in_slot(slot) if row.is_effective and row.status == Certainty.KNOWN]
        for one, other in combinations(known, 2):
            if overlap(one, other) and not agree(state, one, other):
                together = set(state.disputes.get(one.ref, ())) & set(state.disputes.get(other.ref, ()))
                assert together or pair_key(one.ref, other.ref) in state.exempt


class TestWhateverIsSaid:
    @settings(max_examples=100, deadline=None)
    @given(st.data(), st.integers(1, MOST_STEPS))
    def test_nothing_that_must_never_be_false_becomes_false(self, data: st.DataObject, steps: int) -> None:
        talk(data, steps)

    @settings(max_examples=50, deadline=None)
    @given(st.data(), st.integers(1, MOST_STEPS))
    def test_the_log_leads_to_the_state_at_every_version(self, data: st.DataObject, steps: int) -> None:
        talks = talk(data, steps)
        read_back = [Entry.from_json(entry.as_json()) for entry in talks.log]

        assert fold(read_back) == talks.state
        state = Negotiation()
        for entry in read_back:
            state = apply(state, entry)
            if entry.event is not None and entry.event.material:
                assert at_version(read_back, state.version).changed_at == state.changed_at
