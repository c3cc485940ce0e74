"""What a patch touches, and what its reconciliation leaves behind. Section 11."""

from __future__ import annotations

from typing import Any

import pytest

from negotiation_app.protocol.conflicts import NegotiationPaused, PatchStale, StaleOperation
from tests.negotiation.protocol.talks import Talks, fact, item, usd


@pytest.fixture
def talks() -> Talks:
    talks = Talks()
    talks.learn(fact("list", usd("100"), item("e1"), status="SUPPORTED_INFERENCE"))
    return talks


def propose(talks: Talks, *operations: dict[str, Any]) -> None:
    """A specialist reads the present version and proposes."""
    numbered = [{**operation, "id": f"o{number}"} for number, operation in enumerate(operations, 1)]
    talks.say("submit_patch", {"patch": {"ref": "p1", "stateVersion": talks.state.version, "operations": numbered}})


def update(ref: str, *evidence: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"op": "UPDATE_WITH_EVIDENCE", "target": f"propositions/{ref}", "evidence": list(evidence), **more}


class TestAStaleOperation:
    def test_is_one_whose_slot_got_another_statement(self, talks: Talks) -> None:
        propose(talks, update("list", item("e2"), status="KNOWN"))
        talks.learn(fact("other", usd("110"), item("e3"), status="SUPPORTED_INFERENCE"))

        with pytest.raises(StaleOperation) as refused:
            talks.say("reconcile_patch", {"patch": "p1", "accept": ["o1"]})

        assert refused.value.details["changedFields"] == ["facts/acme/list.fee"]

    def test_is_not_one_whose_target_only_got_further_evidence(self, talks: Talks) -> None:
        propose(talks, update("list", item("e2"), status="KNOWN"))
        talks.learn(update("list", item("e3", "PUBLIC_SOURCE")))

        with pytest.raises(PatchStale) as refused:
            talks.say("reconcile_patch", {"patch": "p1"})
        assert refused.value.details["applicable"] == ["o1"]

        assert talks.say("reconcile_patch", {"patch": "p1", "accept": ["o1"]})["operations"] == {"o1": "APPLIED"}

    def test_is_one_that_read_a_computed_result_that_moved(self, talks: Talks) -> None:
        talks.say("record_proposal", {"proposal": {"ref": "o1", "side": "OWN", "terms": {"fee": usd("90")}}})
        note = {"ref": "j1", "kind": "RISK", "text": "far apart", "dependsOn": ["derived/gap/fee"]}
        propose(talks, {"op": "ADD", "judgement": note})
        talks.say("record_proposal", {"proposal": {"ref": "c1", "side": "COUNTERPART", "terms": {"fee": usd("99")}}})

        assert talks.say("preview_patch", {"patch": "p1"})["conflicting"] == ["o1"]


class TestARefusedOperation:
    def test_leaves_nothing_behind_and_says_why(self, talks: Talks) -> None:
        propose(talks, fact("weak", usd("1"), item("e2", "PUBLIC_SOURCE")), update("list", item("e3"), status="KNOWN"))

        answer = talks.say("reconcile_patch", {"patch": "p1"})

        assert answer["operations"] == {"o1": "REFUSED:EVIDENCE_TOO_WEAK", "o2": "APPLIED"}
        assert "e2" not in talks.state.evidence
        assert talks.state.patches["p1"].outcomes["o1"]["error"]["carries"] == "SUPPORTED_INFERENCE"

    def test_takes_the_steps_that_it_left_out_of_history_with_it(self, talks: Talks) -> None:
        propose(talks, fact("weak", usd("1"), item("e2", "PUBLIC_SOURCE")))

        answer = talks.say("reconcile_patch", {"patch": "p1"})

        assert (answer["material"], answer["patchStatus"]) == (False, "REJECTED")
        assert answer["steps"][1]["result"] == "no proposition is stated"

    def test_is_an_own_offer_during_a_pause(self, talks: Talks) -> None:
        proposal = {"ref": "o1", "side": "OWN", "terms": {"fee": usd("90")}}
        talks.say("decide", {"decision": {"ref": "d1", "kind": "PAUSE", "seenVersion": 2, "reason": "holiday"}})
        talks.say("change_status", {"to": "PAUSED", "decision": "d1"})
        propose(talks, {"op": "ADD", "proposal": proposal})

        answer = talks.say("reconcile_patch", {"patch": "p1"})

        assert answer["operations"] == {"o1": f"REFUSED:{NegotiationPaused.code}"}
