"""Which stored heads are trusted: the table of section 4, and any JSON value at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_app.protocol.bounds import EVENT_TEXT_BYTES
from fabric_app.protocol.certificates import target_json
from fabric_app.protocol.errors import HeadQuarantined
from fabric_app.protocol.heads import (
    Accepted,
    HeadIdentity,
    MarkerFacts,
    Quarantine,
    Quarantined,
    head_status,
    names_text,
)
from fabric_app.protocol.records import TransitionRecord, record_from_head
from fabric_app.protocol.transitions import trusted
from tests.protocol.strategies import any_json, head_values

IDENTITY = {"transitionId": "t1", "label": "a", "to": "one"}
COMMITTED_PROOF = {"version": 1, "status": "committed"}
PENDING_PROOF = {"version": 1, "status": "pending"}
PENDING = {**IDENTITY, "protocolVersion": 2, "commitProof": PENDING_PROOF, "transitionSequence": 1}
COMMITTED = {**PENDING, "commitProof": COMMITTED_PROOF}
MARKED = {**IDENTITY, "protocolVersion": 1}

NOTHING = MarkerFacts()
PROPOSED = MarkerFacts(proposed=True)
MARKER = MarkerFacts(committed=True, proposed=True)
REJECTED = MarkerFacts(committed=True, rejected=True, proposed=True)
CONTRADICTED = MarkerFacts(committed=True, proposed=True, contradicts=True)

ACCEPTED = [
    ("committed proof without any event", COMMITTED, NOTHING),
    ("committed proof under a rejection", COMMITTED, REJECTED),
    ("integers written as fractions", {**COMMITTED, "protocolVersion": 2.0, "transitionSequence": 7.0}, NOTHING),
    ("pending proof with its marker", PENDING, MARKER),
    ("marker whose proposal is gone", PENDING, MarkerFacts(committed=True)),
    ("protocol 1 with its marker", MARKED, MARKER),
    ("legacy without events", IDENTITY, NOTHING),
    ("legacy over a committed proposal", IDENTITY, MARKER),
]
REFUSED = [
    (None, NOTHING, Quarantine.NOT_AN_OBJECT),
    ("text", NOTHING, Quarantine.NOT_AN_OBJECT),
    ([], NOTHING, Quarantine.NOT_AN_OBJECT),
    ({}, NOTHING, Quarantine.NO_IDENTITY),
    ({**COMMITTED, "label": ""}, NOTHING, Quarantine.NO_IDENTITY),
    ({**COMMITTED, "to": 5}, NOTHING, Quarantine.NO_IDENTITY),
    ({**COMMITTED, "transitionId": "x" * 300}, NOTHING, Quarantine.NO_IDENTITY),
    ({**COMMITTED, "protocolVersion": 3}, MARKER, Quarantine.UNKNOWN_PROTOCOL),
    ({**COMMITTED, "protocolVersion": "2"}, MARKER, Quarantine.UNKNOWN_PROTOCOL),
    ({**COMMITTED, "protocolVersion": True}, MARKER, Quarantine.UNKNOWN_PROTOCOL),
    ({**COMMITTED, "protocolVersion": None}, MARKER, Quarantine.UNKNOWN_PROTOCOL),
    ({**COMMITTED, "transitionSequence": 0}, MARKER, Quarantine.BAD_SEQUENCE),
    ({**COMMITTED, "transitionSequence": "3"}, MARKER, Quarantine.BAD_SEQUENCE),
    ({**COMMITTED, "transitionSequence": 2**53}, MARKER, Quarantine.BAD_SEQUENCE),
    ({**COMMITTED, "transitionSequence": True}, MARKER, Quarantine.BAD_SEQUENCE),
    ({**COMMITTED, "commitProof": None}, MARKER, Quarantine.BAD_PROOF),
    ({**COMMITTED, "commitProof": {"version": 2, "status": "committed"}}, MARKER, Quarantine.BAD_PROOF),
    ({**COMMITTED, "commitProof": {"version": 1, "status": "odd"}}, MARKER, Quarantine.BAD_PROOF),
    ({**COMMITTED, "commitProof": {"version": 1, "status": []}}, MARKER, Quarantine.BAD_PROOF),
    (PENDING, NOTHING, Quarantine.NO_COMMIT_MARKER),
    (PENDING, PROPOSED, Quarantine.NO_COMMIT_MARKER),
    (PENDING, REJECTED, Quarantine.REJECTED),
    (PENDING, CONTRADICTED, Quarantine.CONTRADICTS_PROPOSAL),
    (MARKED, NOTHING, Quarantine.NO_COMMIT_MARKER),
    (MARKED, REJECTED, Quarantine.REJECTED),
    (IDENTITY, PROPOSED, Quarantine.UNCOMMITTED_PROPOSAL),
    (IDENTITY, REJECTED, Quarantine.UNCOMMITTED_PROPOSAL),
]


class TestJudgingAHead:
    @pytest.mark.parametrize(("value", "facts"), [case[1:] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED])
    def test_a_proven_head_is_accepted(self, value: Any, facts: MarkerFacts) -> None:
        assert head_status(value, facts) == Accepted(transition_id="t1", label="a", to="one")

    @pytest.mark.parametrize(("value", "facts", "reason"), REFUSED)
    def test_anything_else_is_quarantined_with_its_reason(
        self, value: Any, facts: MarkerFacts, reason: Quarantine
    ) -> None:
        status = head_status(value, facts)

        assert status == Quarantined(reason)
        with pytest.raises(HeadQuarantined) as refused:
            trusted(status)
        assert refused.value.details["reason"] == reason.value
        assert status.explanation in refused.value.sentence()

    @given(any_json | head_values, st.builds(MarkerFacts, *[st.booleans()] * 4))
    @settings(max_examples=300, deadline=None)
    def test_any_json_value_is_answered(self, value: Any, facts: MarkerFacts) -> None:
        status = head_status(value, facts)

        assert isinstance(status, Accepted | Quarantined)
        record_from_head(value)


class TestIdentity:
    def test_long_texts_are_cut_and_still_recognised_by_their_digests(self) -> None:
        head = HeadIdentity(transition_id="t1", label="\u20ac" * 2000, to="x" * 5000, version=3)

        recorded = head.as_json()

        assert len(recorded["label"].encode()) == EVENT_TEXT_BYTES - 1
        assert recorded["labelOmittedBytes"] == 6000 - 1023
        assert head.equals_json(recorded)
        assert not HeadIdentity("t1", "\u20ac" * 2001, "x" * 5000, 3).equals_json(recorded)
        assert not HeadIdentity("t1", head.label, head.to, 4).equals_json(recorded)

    def test_a_target_with_a_long_label_still_names_its_transition(self) -> None:
        record = TransitionRecord(transition_id="t1", sequence=1, label="l" * 3000, to="one")

        target = target_json(record)

        assert list(target) == ["transitionId", "label", "labelDigest", "labelOmittedBytes", "to"]
        assert names_text(target, "label", record.label)
        assert not names_text(target, "label", "l" * 3001)

    def test_blank_commands_kept_in_a_head_are_no_evidence(self) -> None:
        record = record_from_head({**COMMITTED, "evidence": [" ", ""], "tags": ["", "t"]})

        assert record is not None
        assert (record.evidence, record.tags) == ((), ("t",))
