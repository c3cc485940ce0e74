"""What the user hears of: once an operation, in words that say something. Section 14."""

from __future__ import annotations

from typing import Any

import pytest

from negotiation_app.protocol.refusals import BodyInvalid
from tests.negotiation.protocol.talks import Talks, item, usd

TEXTS = ("newEvidence", "priorView", "changedRecommendation")


def floor(amount: str, ref: str, reason: str = "budget") -> dict[str, Any]:
    basis = {"reason": reason, "evidence": [item(ref)]}
    return {"boundary": {"issue": "fee", "kind": "FLOOR", "value": usd(amount), "basis": basis}}


@pytest.fixture
def talks() -> Talks:
    talks = Talks()
    talks.say("set_boundary", floor("100", "b1"))
    return talks


class TestAMovedFloor:
    def test_is_told_with_before_after_and_three_texts(self, talks: Talks) -> None:
        (told,) = talks.say("set_boundary", floor("92", "b2", "budget cut"))["notifications"]

        (change,) = told["changes"]
        assert (change["before"]["value"]["amount"], change["after"]["value"]["amount"]) == ("100", "92")
        assert told["newEvidence"] == "budget cut; DOCUMENT: binder, b2"
        assert "100" in told["priorView"]
        assert told["changedRecommendation"].startswith("under review")
        assert told["altersStrategy"] is False

    def test_says_whether_a_computed_result_moved_with_it(self, talks: Talks) -> None:
        talks.say("record_proposal", {"proposal": {"ref": "c1", "side": "COUNTERPART", "terms": {"fee": usd("95")}}})

        (told,) = talks.say("set_boundary", floor("92", "b2"))["notifications"]

        assert told["altersStrategy"] is True

    def test_is_told_in_the_orchestrators_better_words(self, talks: Talks) -> None:
        words = {name: f"Better {name}." for name in TEXTS}

        (told,) = talks.say("set_boundary", {**floor("92", "b2"), "surface": words})["notifications"]

        assert {name: told[name] for name in TEXTS} == words

    @pytest.mark.parametrize("words", ["", "  ", "x" * 601])
    def test_is_not_told_in_empty_or_endless_words(self, talks: Talks, words: str) -> None:
        with pytest.raises(BodyInvalid):
            talks.say("set_boundary", {**floor("92", "b2"), "surface": {"newEvidence": words}})

    def test_is_told_in_at_most_six_hundred_characters_by_itself(self, talks: Talks) -> None:
        (told,) = talks.say("set_boundary", floor("92", "b2", "very " * 400))["notifications"]

        assert all(0 < len(told[name]) <= 600 for name in TEXTS)

    def test_is_not_told_in_light(self) -> None:
        talks = Talks(mode="LIGHT")
        talks.say("set_boundary", floor("100", "b1"))

        answer = talks.say("set_boundary", floor("92", "b2"))

        assert answer["notifications"] == []
        assert "not announced in LIGHT" in answer["steps"][-1]["result"]


class TestAcknowledging:
    def test_is_kept_as_it_was_the_first_time(self, talks: Talks) -> None:
        talks.say("set_boundary", floor("92", "b2"))
        first = talks.say("acknowledge_notification", {"notification": "notification-1"})

        again = talks.say("acknowledge_notification", {"notification": "notification-1"})

        assert again == first
        assert talks.state.version == 3
