"""What goes stale, what asks for review, how doubt spreads and how it ends. Sections 8, 10, 12.3 and 13."""

from __future__ import annotations

from typing import Any

import pytest

from negotiation_app.protocol.conflicts import DependencyNotCurrent, PropositionDisputed
from tests.negotiation.protocol.talks import Talks, fact, item, usd


@pytest.fixture
def talks() -> Talks:
    """Talks where a list price carries an inference, a floor and, by the floor, a strategy."""
    talks = Talks()
    talks.learn(
        fact("list", usd("100"), item("order-form"), party="acme"),
        fact(
            "pressure",
            {"type": "boolean", "value": True},
            {"ref": "i1", "kind": "INFERENCE", "premises": ["list"]},
            attribute="pressure",
            status="SUPPORTED_INFERENCE",
        ),
        {"op": "ADD", "boundary": {"issue": "fee", "kind": "FLOOR", "value": usd("100"), "basis": basis("list")}},
        {"op": "ADD", "judgement": judgement("s1", "STRATEGY", "boundaries/fee/FLOOR")},
        {"op": "ADD", "judgement": judgement("r1", "RISK", "propositions/pressure")},
    )
    return talks


def basis(*propositions: str) -> dict[str, Any]:
    return {"reason": "no more than list", "propositions": list(propositions)}


def judgement(ref: str, kind: str, *paths: str) -> dict[str, Any]:
    return {"ref": ref, "kind": kind, "text": "Wait", "recommendation": "say nothing", "dependsOn": list(paths)}


def reissue(talks: Talks) -> dict[str, Any]:
    """The vendor reissues its order form."""
    told = {"op": "SUPERSEDE", "target": "propositions/list", "because": "SAME_SOURCE_UPDATE", "reason": "reissued"}
    return talks.learn({**told, "proposition": fact("list-2", usd("105"), item("form-2"), party="acme")["proposition"]})


class TestASupersededFact:
    def test_makes_stale_what_depends_and_asks_what_cites_it_for_review(self, talks: Talks) -> None:
        answer = reissue(talks)

        assert set(answer["needsReview"]) == {
            "propositions/pressure",
            "boundaries/fee/FLOOR",
            "judgements/s1",
            "judgements/r1",
        }
        assert talks.state.judgements["s1"].status == "STALE"
        assert talks.state.propositions["pressure"].status == "SUPPORTED_INFERENCE"

    def test_carries_no_inference_any_more(self, talks: Talks) -> None:
        reissue(talks)
        talks.learn(update("pressure", item("mail", "COUNTERPART_STATEMENT", statedAs="QUESTION")))
        assert talks.state.propositions["pressure"].review_state == "NEEDS_REVIEW"

        talks.learn(update("pressure", item("report", "PUBLIC_SOURCE")))

        assert talks.state.propositions["pressure"].review_state == "CURRENT"


class TestADisputedFact:
    def test_asks_all_that_rests_on_it_for_review_and_carries_nothing(self, talks: Talks) -> None:
        answer = talks.learn(fact("other", usd("110"), item("quote")))

        assert talks.state.judgements["s1"].status == "NEEDS_REVIEW"
        assert answer["notifications"][0]["triggers"] == ["STRATEGY_CHANGED", "BOUNDARY_CHANGED"]
        with pytest.raises(PropositionDisputed):
            talks.say(
                "set_boundary",
                {"boundary": {"issue": "fee", "kind": "TARGET", "value": usd("90"), "basis": basis("list")}},
            )

    def test_may_still_get_further_evidence(self, talks: Talks) -> None:
        talks.learn(fact("other", usd("110"), item("quote")))

        assert talks.learn(update("list", item("letter")))["material"] is True


class TestAReReading:
    def test_is_under_review_until_another_item_carries_it(self, talks: Talks) -> None:
        told = {"op": "SUPERSEDE", "target": "propositions/list", "because": "TRANSCRIPTION_ERROR", "reason": "digits"}
        answer = talks.learn({**told, "proposition": fact("list-2", usd("110"), {"ref": "order-form"})["proposition"]})
        assert "propositions/list-2" in answer["needsReview"]

        talks.learn(update("list-2", item("scan")))

        assert talks.state.propositions["list-2"].review_state == "CURRENT"


class TestAReview:
    def test_of_a_judgement_waits_for_what_it_rests_on(self, talks: Talks) -> None:
        reissue(talks)
        reaffirm = {"judgement": "s1", "outcome": "REAFFIRM", "reason": "still right"}
        with pytest.raises(DependencyNotCurrent):
            talks.say("review_judgement", reaffirm)

        boundary = {"issue": "fee", "kind": "FLOOR", "value": usd("100"), "basis": basis("list-2")}
        assert talks.say("set_boundary", {"boundary": boundary})["material"] is True
        answer = talks.say("review_judgement", reaffirm)

        assert (answer["material"], answer["notifications"]) == (True, [])
        assert talks.say("review_judgement", reaffirm)["material"] is False

    def test_of_a_boundary_keeps_both_grounds_in_its_history(self, talks: Talks) -> None:
        reissue(talks)
        boundary = {"issue": "fee", "kind": "FLOOR", "value": usd("100"), "basis": basis("list-2")}

        talks.say("set_boundary", {"boundary": boundary})

        entries = talks.state.boundaries["fee/FLOOR"].entries
        assert [entry.basis.propositions for entry in entries] == [("list",), ("list-2",)]


def update(ref: str, evidence: dict[str, Any]) -> dict[str, Any]:
    return {"op": "UPDATE_WITH_EVIDENCE", "target": f"propositions/{ref}", "evidence": [evidence]}
