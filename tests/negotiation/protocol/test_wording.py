"""Changes, events and differences as sentences, which say what is different and nothing else."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from negotiation_app.protocol.document import document
from negotiation_app.protocol.fold import at_version
from negotiation_app.protocol.row_json import row_json
from negotiation_app.protocol.wording import change_in_words, differences, event_in_words, field_in_words
from tests.conformance.negotiation_memory import MemoryPlayer
from tests.conformance.negotiation_vectors import scenarios
from tests.negotiation.protocol.stated import MARCH, money
from tests.negotiation.protocol.talks import Talks, fact, item, usd

Json = dict[str, Any]
PROPOSITION = {"lifecycle": "EFFECTIVE", "reviewState": "CURRENT", "disputed": False}


@cache
def played() -> tuple[MemoryPlayer, ...]:
    """Return every scenario of the vectors, played to its end."""
    players = []
    for parameter in scenarios():
        (scenario,) = parameter.values
        player = MemoryPlayer()
        player.open(scenario["given"])
        for step in scenario["steps"]:
            player.play(step)
        players.append(player)
    return tuple(players)


class TestNamingAField:
    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("boundaries/fee/TARGET", "target of fee"),
            ("facts/acme/budget.max", "budget.max of acme"),
            ("offers/OWN", "our current offer"),
            ("offers/COUNTERPART", "their current offer"),
            ("negotiation/status", "the negotiation's status"),
            ("propositions/budget", "proposition budget"),
            ("evidence/budget", "evidence of budget"),
            ("batna", "BATNA"),
            ("strategy", "strategy"),
            ("rates/EUR/USD", "rate of EUR/USD"),
            ("derived/gap/fee", "gap of fee"),
            ("derived/offers/OWN/fee/vsFloor", "our offer: fee against the floor"),
            ("derived/concessions/COUNTERPART/fee", "their moves on fee"),
            ("derived", "what is computed"),
            ("", ""),
        ],
    )
    def test_it_is_short(self, path, name):
        assert field_in_words(path) == name


class TestPuttingAChangeInWords:
    @pytest.mark.parametrize(
        ("field", "before", "after", "words"),
        [
            ("negotiation/status", "ACTIVE", "NO_DEAL", "The negotiation's status: active, now no deal."),
            ("offers/COUNTERPART", {"proposal": "c1", "terms": {"fee": money("9")}}, None,
             "Their current offer: c1, fee 9 EUR is gone."),
            ("propositions/budget", None, {"value": money("90"), "status": "HYPOTHESIS", **PROPOSITION},
             "Proposition budget: now 90 EUR (hypothesis)."),
            ("propositions/budget", {"value": money("90"), "status": "HYPOTHESIS", **PROPOSITION},
             {"value": money("90"), "status": "SUPPORTED_INFERENCE", **PROPOSITION},
             "Proposition budget (90 EUR): hypothesis, now supported inference."),
            ("propositions/budget", {"value": money("90"), "status": "KNOWN", **PROPOSITION},
             {"value": money("90"), "status": "KNOWN", **PROPOSITION, "disputed": True},
             "Proposition budget (90 EUR): known, now known, disputed."),
            ("boundaries/fee/FLOOR", {"value": money("90"), "reviewState": "CURRENT"},
             {"value": money("92"), "reviewState": "CURRENT"}, "Floor of fee: 90 EUR, now 92 EUR."),
            ("boundaries/fee/FLOOR", {"value": money("90"), "reviewState": "CURRENT"},
             {"value": money("90"), "reviewState": "NEEDS_REVIEW"},
             "Floor of fee (90 EUR): now to be looked at again."),
            ("boundaries/fee/FLOOR", {"value": money("90"), "reviewState": "NEEDS_REVIEW"},
             {"value": money("90"), "reviewState": "CURRENT"},
             "Floor of fee (90 EUR): no longer to be looked at again."),
            ("concessions/k1",
             {"side": "OWN", "issue": "fee", "fromValue": money("9"), "toValue": money("8"), "state": "GRANTED"},
             {"side": "OWN", "issue": "fee", "fromValue": money("9"), "toValue": money("8"), "state": "REGRETTED"},
             "Concession k1 (fee from 9 EUR to 8 EUR): granted, now regretted."),
            ("criteria/cap", None, {"comparator": "ONE_OF", "values": [money("9"), money("8")], "retired": False},
             "Criterion cap: now one of 9 EUR, 8 EUR."),
            ("reviews/r1", {"proposal": "p1", "result": "FAIL"}, {"proposal": "p1", "result": "FAIL"},
             "Review r1 (p1): fail as before; something that belongs to it changed."),
            ("contradictions/contradiction-1", None, {"kind": "FLAGGED", "members": ["a", "b"], "status": "OPEN"},
             "Contradiction contradiction-1: now a against b (open)."),
            ("evidence/budget", ["e1"], ["e1", "e2"], "Evidence of budget: e2 added."),
            ("derived/gap/fee", {"state": "UNDETERMINED", "amount": None, "percent": None},
             {"state": "OPEN", "amount": money("20000"), "percent": "11.11"},
             "Gap of fee: undetermined, now 20,000 EUR (11.11 %)."),
            ("attributes/contact", None, None, "Attribute contact: recorded."),
        ],
        ids=lambda each: each if isinstance(each, str) else "",
    )  # fmt: skip
    def test_it_says_what_is_different(self, field, before, after, words):
        assert change_in_words({"field": field, "before": before, "after": after}) == words

    def test_no_change_of_any_scenario_is_shown_as_json(self):
        told = [
            change_in_words(change)
            for player in played()
            for row in player.now.history.values()
            for change in row_json(row)["changes"]
        ]

        assert told
        assert [words for words in told if '{"' in words or not words.endswith(".")] == []


class TestPuttingAnEventInWords:
    def test_its_source_its_words_and_its_effect_are_told(self):
        talks = Talks()
        talks.learn(fact("list", usd("90"), item("e1")))

        told = event_in_words(row_json(talks.state.history["2"]))

        assert told == (
            "New fact, 2026-03-02T10:00:00Z, version 2. Proposition list: now 90 USD (known). "
            "List.fee of acme: now 90 USD (known)."
        )

    def test_one_without_effect_says_so(self):
        talks = Talks()
        event = {"type": "USER_MESSAGE", "party": "user", "locator": "chat", "text": "好的。"}
        talks.say("record_event", {"event": event})

        told = event_in_words(row_json(talks.state.history["2"]))

        assert told == "User message of user (chat), 2026-03-02T10:00:00Z, still version 1. 好的。 Nothing changed."


class TestTellingTwoVersionsApart:
    def test_each_row_that_differs_has_a_sentence(self):
        talks = Talks()
        before = talks.shown()
        talks.learn(fact("list", usd("90"), item("e1")))
        talks.say("record_proposal", {"proposal": {"ref": "c1", "side": "COUNTERPART", "terms": {"fee": usd("95")}}})

        told = differences(before, talks.shown())

        assert [each["words"] for each in told] == [
            "The negotiation's stateVersion: 1, now 3.",
            "Proposition list: now 90 USD (known).",
            "Evidence item e1: now document, binder, e1.",
            "Their current offer: now c1, fee 95 USD.",
            "Proposal c1: now fee 95 USD (open).",
        ]

    def test_a_version_does_not_differ_from_itself(self):
        for player in played():
            shown = document(player.now, MARCH)
            assert differences(shown, shown) == []

    def test_every_version_of_every_scenario_can_be_told_from_its_end(self):
        for player in played():
            end = document(player.now, MARCH)
            start = document(at_version(player.log, 1), MARCH)
            for each in (*differences(start, end), *differences(end, start)):
                assert each["words"].endswith(".")
                assert '{"' not in each["words"]
