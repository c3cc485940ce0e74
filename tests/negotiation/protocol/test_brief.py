"""The brief and what needs a decision: everything that a principal has to know, and no markup of anybody else's."""

from __future__ import annotations

import re

import pytest

from negotiation_app.protocol.brief import brief
from negotiation_app.protocol.document import document
from negotiation_app.protocol.needs import needs
from tests.negotiation.protocol.stated import MARCH
from tests.negotiation.protocol.talks import RENEWAL, Talks, fact, item, usd
from tests.negotiation.protocol.test_wording import played


def set_boundary(talks: Talks, kind: str, amount: str) -> None:
    basis = {"reason": "budget", "evidence": [item(f"e-{kind.lower()}")]}
    talks.say("set_boundary", {"boundary": {"issue": "fee", "kind": kind, "value": usd(amount), "basis": basis}})


def propose(talks: Talks, ref: str, side: str, amount: str) -> None:
    proposal = {"ref": ref, "side": side, "terms": {"fee": usd(amount)}, "conditions": ["three years"]}
    talks.say("record_proposal", {"proposal": proposal})


def half_way() -> Talks:
    """A renewal with offers of both sides, a contradiction, a concession, a criterion, and an overridden review."""
    talks = Talks()
    set_boundary(talks, "TARGET", "80")
    set_boundary(talks, "FLOOR", "95")
    propose(talks, "o1", "OWN", "85")
    propose(talks, "c1", "COUNTERPART", "100")
    talks.learn(fact("list", usd("120"), item("e1")), fact("quote", usd("110"), item("e2")))
    concession = {"ref": "k1", "side": "OWN", "issue": "fee", "from": usd("80"), "to": usd("85"), "state": "GRANTED"}
    talks.say("record_concession", {"concession": concession})
    talks.say("set_concession_status", {"concession": "k1", "status": "REGRETTED", "reason": "too soon"})
    talks.say("review_deal", {"review": {"ref": "r1", "proposal": "c1"}})
    seen = talks.state.version
    decision = {"ref": "d1", "kind": "OVERRIDE_REVIEW", "subject": "r1", "seenVersion": seen, "reason": "time is short"}
    talks.say("decide", {"decision": decision})
    override = {"ref": "v1", "review": "r1", "reason": "time is short"}
    talks.say("override_review", {"override": override, "decision": "d1"})
    judgement = {"ref": "s1", "kind": "STRATEGY", "text": "Wait for March", "recommendation": "counter with 88"}
    talks.say("record_judgement", {"judgement": {**judgement, "dependsOn": ["offers/COUNTERPART"]}})
    propose(talks, "c2", "COUNTERPART", "97")
    return talks


RESOLVE = "resolve it by new evidence or the principal's decision"


def said(floor: str, acceptance: str) -> str:
    against = f"against floors: {floor} floor, against the BATNA: undetermined"
    return f"condition: three years; {against}, a review would say: {acceptance}"


def section(text: str, title: str) -> list[str]:
    """Return the lines of one section."""
    return text.split(f"## {title}\n\n")[1].split("\n\n## ", maxsplit=1)[0].strip().splitlines()


class TestWritingABrief:
    def test_it_shows_where_both_sides_stand_on_each_issue(self):
        text = brief(half_way().shown())

        assert section(text, "Position")[2:] == [
            "| Annual fee | 80 USD | 95 USD | 85 USD | 97 USD | 12 USD (14.12 %) |",
            "| Seats |  |  |  |  | undetermined |",
        ]
        assert section(text, "Current offers") == [
            f"- Our offer, o1 of 2026-03-02T12:00:00Z (open); {said('all at least', 'pass')}",
            f"- Their offer, c2 of 2026-03-02T21:00:00Z (open); {said('some worse than', 'fail')}",
        ]

    def test_it_keeps_what_was_given_up_and_overridden_in_sight(self):
        text = brief(half_way().shown())

        assert section(text, "Concessions") == ["- k1, ours: fee from 80 USD to 85 USD (granted, then regretted)"]
        assert section(text, "Reviews") == [
            "- r1 of c1 at version 9: FAIL",
            "  - floor:fee: not met",
            "  - overridden (v1, by decision d1): time is short",
        ]
        assert section(text, "Open contradictions") == [
            "- contradiction-1, value conflict. list: 120 USD (known, disputed); quote: 110 USD (known, disputed)"
        ]

    def test_it_says_first_what_needs_a_decision(self):
        lines = section(brief(half_way().shown()), "What needs a decision")

        assert lines[:2] == [
            f"- contradiction-1: list against quote, and both cannot hold: {RESOLVE}",
            "- Strategy s1, Wait for March: to be looked at again: reaffirm, replace or retire it",
        ]
        assert all(line.endswith("acknowledge it") for line in lines[2:])

    @pytest.mark.parametrize(
        ("words", "written"),
        [
            ("# Title", r"\# Title"),
            ("1. first\n2. second", r"1\. first 2. second"),
            ("- item", r"\- item"),
            ("-5 | 6", r"-5 \| 6"),
            ("<script>x</script>", r"\<script\>x\</script\>"),
            ("[here](javascript:x) *b* `c` \\", r"\[here\](javascript:x) \*b\* \`c\` \\"),
            ("深圳华强", "深圳华强"),
        ],
    )
    def test_what_people_wrote_is_no_markup(self, words, written):
        issues = [{**RENEWAL["issues"][0], "label": words}]

        text = brief(Talks(title=words, issues=issues).shown())

        assert text.startswith(f"# {written}\n")
        assert f"| {written} |" in section(text, "Position")[2]

    def test_every_scenario_has_one_without_json_and_with_all_its_rows(self):
        for player in played():
            shown = document(player.now, MARCH)
            text = brief(shown)
            assert '{"' not in text
            assert "None" not in re.sub(r"\n\nNone\.\n", "", text)
            for ref in (*shown["ledger"], *shown["reviews"], *shown["criteria"]):
                assert ref in text.replace("\\", "")


class TestListingWhatNeedsADecision:
    def test_a_waiting_patch_tells_its_version_and_a_parked_one_asks_for_a_rerun(self):
        talks = Talks()
        operation = {
            "op": "ADD",
            "id": "o1",
            "proposal": {"ref": "c1", "side": "COUNTERPART", "terms": {"fee": usd("9")}},
        }
        patch = {"ref": "p1", "stateVersion": 1, "operations": [operation]}
        talks.say("submit_patch", {"patch": patch})
        propose(talks, "c2", "COUNTERPART", "97")

        submitted = needs(talks.shown())
        talks.say("reconcile_patch", {"patch": "p1", "accept": []})
        parked = needs(talks.shown())
        talks.say("submit_patch", {"patch": {**patch, "ref": "p2", "stateVersion": 2, "rerunOf": "p1"}})

        assert [need.says for need in submitted] == ["Patch p1, read at version 1, the state is at 2"]
        assert [(need.field, need.status) for need in parked] == [("patches/p1", "PARKED")]
        assert [need.field for need in needs(talks.shown())] == ["patches/p2"]

    def test_once_it_is_over_only_what_was_not_acknowledged_is_left(self):
        talks = half_way()
        talks.say("record_event", {"event": {"type": "COUNTERPART_WITHDREW", "ref": "gone"}})
        talks.say("change_status", {"to": "NO_DEAL", "causeEvent": "gone"})

        assert {need.field.split("/")[0] for need in needs(talks.shown())} == {"notifications"}

    def test_nothing_waits_at_the_beginning(self):
        assert needs(Talks().shown()) == []
