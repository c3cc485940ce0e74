"""The frame as it changes: parties that join, the deadline, and whether it goes on."""

from __future__ import annotations

from typing import Any

import pytest

from negotiation_app.protocol.refusals import BodyInvalid, ValueFormat
from negotiation_app.protocol.wording import change_in_words, event_in_words
from tests.negotiation.protocol.talks import Talks, item, usd

WHY = {"reason": "their board meets then"}


@pytest.fixture
def talks() -> Talks:
    return Talks()


class TestTheDeadline:
    @pytest.mark.parametrize(
        "again",
        ["2026-06-30T23:00:00Z", "2026-07-01T01:00:00+02:00"],
    )
    def test_said_in_other_words_changes_nothing(self, talks: Talks, again: str) -> None:
        talks.say("set_deadline", {"deadline": "2026-06-30T23:00:00Z", **WHY})

        answer = talks.say("set_deadline", {"deadline": again, **WHY})

        assert (answer["material"], answer["changes"]) == (False, [])
        assert talks.shown()["process"]["deadline"] == "2026-06-30T23:00:00Z"

    def test_keeps_its_reason_in_the_history(self, talks: Talks) -> None:
        event = talks.say("set_deadline", {"deadline": "2026-06-30", **WHY})

        assert event["event"]["reason"] == WHY["reason"]
        assert event["changes"] == [{"field": "process/deadline", "before": None, "after": "2026-06-30"}]
        assert "2026-06-30" in event_in_words({**event["event"], "changes": event["changes"]})

    @pytest.mark.parametrize("deadline", ["soon", "EXPIRED", "2026-02-30", 20260630, [], {}, True])
    def test_is_a_day_or_an_instant(self, talks: Talks, deadline: Any) -> None:
        with pytest.raises(ValueFormat):
            talks.say("set_deadline", {"deadline": deadline, **WHY})


class TestTheExpectation:
    def test_is_told_in_words(self, talks: Talks) -> None:
        answer = talks.say("set_expectation", {"expectedToContinue": True, **WHY})

        assert [change_in_words(each) for each in answer["changes"]] == [
            "Whether it is expected to continue: no, now yes."
        ]

    @pytest.mark.parametrize("said", ["yes", 1, None, []])
    def test_is_true_or_false(self, talks: Talks, said: Any) -> None:
        with pytest.raises(BodyInvalid):
            talks.say("set_expectation", {"expectedToContinue": said, **WHY})


class TestAParty:
    def test_speaks_in_events_and_propositions_from_then_on(self, talks: Talks) -> None:
        talks.say("add_party", {"party": {"ref": "bank", "name": "Hartmann & Cie", "side": "THIRD"}})
        told = {"ref": "rate", "subject": "bank", "attribute": "fee", "value": usd("1"), "party": "bank"}
        evidence = [item("letter")]

        talks.learn({"op": "ADD", "proposition": {**told, "status": "KNOWN", "evidence": evidence}})

        assert talks.shown()["propositions"]["rate"]["party"] == "bank"

    def test_may_be_what_a_judgement_depends_on(self, talks: Talks) -> None:
        judgement = {"ref": "j1", "kind": "COUNTERPART", "text": "He decides", "dependsOn": ["parties/acme"]}

        talks.say("record_judgement", {"judgement": judgement})

        assert talks.shown()["judgements"]["j1"]["dependsOn"] == ["parties/acme"]
