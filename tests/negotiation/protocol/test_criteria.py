"""Pre-commitments change by complete revisions alone, and may be taken up again. Section 12.4."""

from __future__ import annotations

from typing import Any

import pytest

from negotiation_app.protocol.conflicts import CriterionPreviousMismatch
from negotiation_app.protocol.refusals import BodyInvalid, EvidenceNotNew
from tests.negotiation.protocol.talks import Talks, item, usd


@pytest.fixture
def talks() -> Talks:
    """Talks with the commitment to pay at most 100."""
    talks = Talks()
    approve(talks, "a1", usd("100"))
    told = {"ref": "cap", "label": "Cap", "on": {"issue": "fee"}, "comparator": "AT_MOST", "value": usd("100")}
    talks.say("set_criterion", {"criterion": told, "decision": "a1"})
    return talks


def approve(talks: Talks, ref: str, value: dict[str, Any] | None) -> None:
    told = {"ref": ref, "kind": "APPROVE_CRITERION", "seenVersion": talks.state.version, "subject": "cap"}
    approved = {"comparator": "AT_MOST", "value": value}
    talks.say("decide", {"decision": {**told, "value": approved, "reason": "talked over"}})


def change(previous: Any, new: Any, decision: str, *evidence: dict[str, Any]) -> dict[str, Any]:
    told = {"criterion": "cap", "previousValue": previous, "newValue": new, "reason": "new budget"}
    return {**told, "newEvidence": list(evidence), "decision": decision}


class TestAChange:
    def test_brings_only_new_evidence(self, talks: Talks) -> None:
        talks.say(
            "set_boundary",
            {
                "boundary": {
                    "issue": "fee",
                    "kind": "FLOOR",
                    "value": usd("100"),
                    "basis": {"reason": "budget", "evidence": [item("b1")]},
                }
            },
        )
        approve(talks, "a2", usd("105"))
        talks.say("change_criterion", change(usd("100"), usd("105"), "a2", item("memo")))
        approve(talks, "a3", usd("110"))

        with pytest.raises(EvidenceNotNew):
            talks.say("change_criterion", change(usd("105"), usd("110"), "a3", item("later"), {"ref": "b1"}))

    def test_has_one_value_where_one_is_compared(self, talks: Talks) -> None:
        approve(talks, "a2", usd("105"))

        with pytest.raises(BodyInvalid):
            talks.say("change_criterion", change(usd("100"), [usd("105"), usd("106")], "a2", item("memo")))


class TestARetiredCriterion:
    @pytest.fixture
    def retired(self, talks: Talks) -> Talks:
        approve(talks, "a2", None)
        talks.say("change_criterion", change(usd("100"), None, "a2", item("memo")))
        return talks

    def test_has_no_current_value_to_be_replaced(self, retired: Talks) -> None:
        approve(retired, "a3", usd("95"))

        with pytest.raises(CriterionPreviousMismatch):
            retired.say("change_criterion", change(usd("100"), usd("95"), "a3", item("memo-2")))

    def test_is_taken_up_again_on_the_same_terms(self, retired: Talks) -> None:
        approve(retired, "a3", usd("95"))

        retired.say("change_criterion", change(None, usd("95"), "a3", item("memo-2")))

        row = retired.state.criteria["cap"]
        assert (row.retired, len(row.revisions)) == (False, 3)
