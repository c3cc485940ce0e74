"""Nothing simulated becomes certain, moves a position or ends a dispute by itself. Section 15."""

from __future__ import annotations

from typing import Any

import pytest

from negotiation_app.protocol.refusals import SimulatedBasis, SimulatedSource
from tests.negotiation.protocol.talks import Talks, fact, item, usd

WORDS = "We could certainly live with ninety thousand."
SAID_IN_PLAY = {"ref": "x1", "kind": "SIMULATION", "simulation": "rp1"}


@pytest.fixture
def talks() -> Talks:
    """Talks with a role-play that said something."""
    talks = Talks()
    statements = [
        {"ref": "s1", "speaker": "Acme (simulated)", "text": WORDS},
        {"ref": "s2", "speaker": "U", "text": "Ok"},
    ]
    talks.say("record_simulation", {"simulation": {"ref": "rp1", "kind": "ROLE_PLAY", "statements": statements}})
    return talks


def hypothesis(ref: str, *evidence: dict[str, Any]) -> dict[str, Any]:
    return fact(ref, usd("90"), *evidence, status="HYPOTHESIS", rationale="it was played")


class TestASimulatedHypothesis:
    def test_does_not_supersede_what_is_supported(self, talks: Talks) -> None:
        talks.learn(fact("list", usd("100"), item("e1", "PUBLIC_SOURCE"), status="SUPPORTED_INFERENCE"))
        successor = hypothesis("played", SAID_IN_PLAY)["proposition"]

        with pytest.raises(SimulatedSource):
            talks.learn({"op": "SUPERSEDE", "target": "propositions/list", "reason": "x", "proposition": successor})

    def test_does_not_replace_the_members_of_a_contradiction(self, talks: Talks) -> None:
        talks.learn(fact("one", usd("100"), item("e1")), fact("two", usd("110"), item("e2")))
        body = {"contradiction": "contradiction-1", "resolution": "REPLACE", "reason": "as played"}

        with pytest.raises(SimulatedBasis):
            talks.say("resolve_contradiction", {**body, "proposition": hypothesis("p", SAID_IN_PLAY)["proposition"]})

    def test_taints_what_is_inferred_from_it_until_something_real_supports_it(self, talks: Talks) -> None:
        inference = {"ref": "i1", "kind": "INFERENCE", "premises": ["played"]}
        talks.learn(hypothesis("played", SAID_IN_PLAY), hypothesis("so", inference))
        assert talks.shown()["evidence"]["i1"]["tainted"] is True

        support = {"op": "UPDATE_WITH_EVIDENCE", "target": "propositions/played", "status": "SUPPORTED_INFERENCE"}
        talks.learn({**support, "evidence": [item("mail", "COUNTERPART_STATEMENT")]})

        assert talks.shown()["evidence"]["i1"]["tainted"] is False
        assert talks.shown()["propositions"]["played"]["origin"] == "SIMULATED"


class TestAQuote:
    @pytest.mark.parametrize("quote", [WORDS, WORDS.upper(), f"They wrote: {WORDS}", "certainly live with ninety"])
    def test_of_simulated_words_taints_the_item(self, talks: Talks, quote: str) -> None:
        talks.learn(hypothesis("p1", item("e1", quote=quote)))

        assert talks.state.evidence["e1"].tainted

    @pytest.mark.parametrize("quote", ["Ok", "ninety", "A sentence that nobody played, ok?"])
    def test_of_other_or_short_words_does_not(self, talks: Talks, quote: str) -> None:
        talks.learn(hypothesis("p1", item("e1", quote=quote)))

        assert not talks.state.evidence["e1"].tainted

    def test_that_a_recorded_message_has_is_real(self, talks: Talks) -> None:
        message = {"type": "COUNTERPART_MESSAGE", "party": "acme", "locator": "mail 3", "text": f"Hello. {WORDS}"}
        told = fact("p1", usd("90"), item("e1", "COUNTERPART_STATEMENT", quote=WORDS), status="SUPPORTED_INFERENCE")

        talks.say("record_event", {"event": message, "operations": [told]})

        assert not talks.state.evidence["e1"].tainted


class TestALocator:
    @pytest.mark.parametrize("locator", ["simulation:other", " Simulation:rp1 ", "rp1", "rp1#s1", "rp1/s1"])
    def test_into_a_simulation_is_no_source_of_any_event(self, talks: Talks, locator: str) -> None:
        with pytest.raises(SimulatedSource):
            talks.say("record_event", {"event": {"type": "USER_MESSAGE", "locator": locator}})

    def test_that_only_begins_alike_is_one(self, talks: Talks) -> None:
        talks.say("record_event", {"event": {"type": "USER_MESSAGE", "locator": "rp11"}})

        assert talks.state.seq == 2


class TestATestedFinding:
    def test_becomes_a_hypothesis_with_the_simulation_as_its_evidence(self, talks: Talks) -> None:
        proposition = {"ref": "p1", "subject": "acme", "attribute": "reservation.fee", "value": usd("90")}
        finding = {"ref": "f1", "simulation": "rp1", "statements": ["s1"], "text": "they go to 90"}
        body = {"finding": finding, "disposition": "TEST", "rationale": "plausible"}

        talks.say("reconcile_finding", {**body, "proposition": {**proposition, "status": "HYPOTHESIS"}})

        row = talks.state.propositions["p1"]
        assert (row.origin, row.rationale, row.evidence) == ("SIMULATED", "plausible", ("finding-f1",))
        assert talks.state.evidence["finding-f1"].simulation == "rp1"
