"""Contradictions found late, settled by what was declared later, and closed without losing anything. Section 9."""

from __future__ import annotations

from typing import Any

import pytest

from negotiation_app.protocol.conflicts import TargetNotEffective
from negotiation_app.protocol.refusals import BodyInvalid, EvidenceNotNew
from tests.negotiation.protocol.talks import Talks, fact, item, usd


@pytest.fixture
def talks() -> Talks:
    return Talks()


def eur(amount: str) -> dict[str, Any]:
    return {"type": "money", "amount": amount, "currency": "EUR"}


def declare(talks: Talks, rate: str, as_of: str, ref: str) -> dict[str, Any]:
    basis = {"reason": "fixing", "evidence": [item(ref, "OFFICIAL_RECORD")]}
    told = {"from": "EUR", "to": "USD", "rate": rate, "asOf": as_of, "basis": basis}
    return talks.say("declare_rate", {"rate": told})


class TestADeclaredRate:
    def test_that_shows_a_difference_sharpens_what_could_not_be_compared(self, talks: Talks) -> None:
        talks.learn(fact("one", usd("100"), item("e1")), fact("two", eur("100"), item("e2")))
        assert talks.state.contradictions["contradiction-1"].kind == "INCOMPARABLE"

        declare(talks, "1.10", "2026-02-27", "fx")

        row = talks.state.contradictions["contradiction-1"]
        assert (row.kind, row.status) == ("VALUE_CONFLICT", "OPEN")

    def test_of_an_earlier_day_may_part_what_agreed(self, talks: Talks) -> None:
        declare(talks, "1.10", "2026-02-20", "fx-1")
        talks.learn(fact("one", usd("110"), item("e1")), fact("two", eur("100"), item("e2")))
        assert not talks.state.contradictions

        answer = declare(talks, "1.20", "2026-02-27", "fx-2")

        assert answer["contradictionsOpened"] == ["contradiction-1"]

    def test_of_a_later_day_leaves_an_old_agreement_alone(self, talks: Talks) -> None:
        declare(talks, "1.10", "2026-02-20", "fx-1")
        talks.learn(fact("one", usd("110"), item("e1")), fact("two", eur("100"), item("e2")))

        answer = declare(talks, "1.20", "2026-04-01", "fx-2")

        assert answer["contradictionsOpened"] == []


class TestAnAttributeDeclaredLater:
    def test_dissolves_what_its_slots_may_hold_together(self, talks: Talks) -> None:
        talks.learn(fact("one", usd("100"), item("e1")), fact("two", usd("110"), item("e2")))

        talks.say("define_attribute", {"attribute": {"name": "List.Fee", "multiValued": True}})

        assert talks.state.contradictions["contradiction-1"].status == "DISSOLVED"
        assert not talks.state.is_disputed("one")


class TestAWinner:
    def test_takes_the_place_of_the_others_of_another_slot_too(self, talks: Talks) -> None:
        talks.learn(
            fact("one", usd("100"), item("e1")),
            fact("two", usd("110"), item("e2"), attribute="net.fee"),
            {"op": "FLAG_CONTRADICTION", "between": ["one", "two"], "reason": "net is above list"},
        )
        body = {"contradiction": "contradiction-1", "resolution": "UPHOLD", "winner": "one", "reason": "two was a typo"}

        talks.say("resolve_contradiction", {**body, "evidence": [item("e3")]})

        assert talks.state.propositions["two"].superseded_by == "one"

    def test_is_not_carried_by_what_any_member_has_already(self, talks: Talks) -> None:
        talks.learn(fact("one", usd("100"), item("e1")), fact("two", usd("110"), item("e2")))
        body = {"contradiction": "contradiction-1", "resolution": "UPHOLD", "winner": "one", "reason": "older"}

        with pytest.raises(EvidenceNotNew):
            talks.say("resolve_contradiction", {**body, "evidence": [{"ref": "e2"}]})


class TestAFlag:
    def test_is_not_raised_over_what_was_superseded(self, talks: Talks) -> None:
        talks.learn(
            fact("one", usd("100"), item("e1"), party="acme"), fact("other", usd("1"), item("e2"), attribute="x")
        )
        told = {"op": "SUPERSEDE", "target": "propositions/one", "because": "SAME_SOURCE_UPDATE", "reason": "reissued"}
        talks.learn({**told, "proposition": fact("two", usd("105"), item("e3"), party="acme")["proposition"]})

        with pytest.raises(TargetNotEffective) as refused:
            talks.learn({"op": "FLAG_CONTRADICTION", "between": ["one", "other"], "reason": "odd"})

        assert refused.value.details["supersededBy"] == "two"


class TestAfterTheEnd:
    @pytest.fixture
    def ended(self, talks: Talks) -> Talks:
        talks.say("record_event", {"event": {"type": "COUNTERPART_WITHDREW", "ref": "walk"}})
        talks.say("change_status", {"to": "NO_DEAL", "causeEvent": "walk"})
        return talks

    @pytest.mark.parametrize("type_", ["COUNTERPART_RETURNED", "COUNTERPART_WITHDREW", "DEADLINE_EXPIRED"])
    def test_what_happens_is_history_and_nothing_else(self, ended: Talks, type_: str) -> None:
        answer = ended.say("record_event", {"event": {"type": type_}})

        assert (answer["material"], answer["stateVersion"]) == (False, 3)
        assert ended.state.own.counterpart == "WITHDRAWN"


def test_only_a_wrong_entry_is_corrected_by_another(talks: Talks) -> None:
    told = {"ref": "c1", "side": "OWN", "issue": "fee", "from": usd("90"), "to": usd("91"), "state": "GRANTED"}
    talks.say("record_concession", {"concession": told})
    talks.say("record_concession", {"concession": {**told, "ref": "c2"}})
    body = {"concession": "c1", "status": "REGRETTED", "reason": "too much", "correctedBy": "c2"}

    with pytest.raises(BodyInvalid):
        talks.say("set_concession_status", body)
