"""What is written beside the rows, by mode and size. Section 16."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from fabric_app.mesh.canonical import digest
from negotiation_app.protocol.artefacts import concise_artefact, full_artefact
from negotiation_app.protocol.decide import decide
from negotiation_app.protocol.document import document
from negotiation_app.protocol.names import ArtefactForm
from negotiation_app.protocol.requests import Operation
from tests.negotiation.protocol.talks import Talks, fact, item, usd

CONCISE = {
    "ref",
    "title",
    "mode",
    "status",
    "stateVersion",
    "issues",
    "offers",
    "boundaries",
    "batna",
    "criteria",
    "openContradictions",
    "ledger",
    "lastReview",
    "strategy",
    "judgementsNotCurrent",
    "digest",
}


@pytest.fixture
def talks() -> Talks:
    talks = Talks()
    talks.learn(fact("list", usd("100"), item("e1")), fact("other", usd("110"), item("e2")))
    talks.say("record_proposal", {"proposal": {"ref": "o1", "side": "OWN", "terms": {"fee": usd("90")}}})
    for number in range(7):
        told = {"ref": f"c{number}", "side": "OWN", "issue": "fee", "from": usd("90"), "to": usd("91")}
        talks.say("record_concession", {"concession": {**told, "state": "GRANTED"}})
    return talks


class TestTheFullForm:
    def test_is_the_whole_state_with_its_digest(self, talks: Talks) -> None:
        written = full_artefact(talks.state, at=talks.clock, limit=None)

        assert written.form is ArtefactForm.FULL
        assert json.loads(written.text or "") == document(talks.state, talks.clock)
        assert written.digest == digest(document(talks.state, talks.clock))

    def test_gives_way_to_the_concise_one_where_it_is_too_large_by_a_byte(self, talks: Talks) -> None:
        size = len((full_artefact(talks.state, at=talks.clock, limit=None).text or "").encode())

        assert full_artefact(talks.state, at=talks.clock, limit=size).form is ArtefactForm.FULL
        assert full_artefact(talks.state, at=talks.clock, limit=size - 1).form is ArtefactForm.CONCISE


class TestTheConciseForm:
    def test_has_exactly_what_is_needed_to_go_on(self, talks: Talks) -> None:
        told: dict[str, Any] = json.loads(concise_artefact(talks.state, at=talks.clock).text or "")

        assert set(told) == CONCISE
        assert told["openContradictions"] == {"contradiction-1": ["list", "other"]}
        assert told["ledger"]["totals"] == {"OWN": 7, "COUNTERPART": 0}
        assert list(told["ledger"]["last"]) == ["c2", "c3", "c4", "c5", "c6"]
        assert told["digest"] == digest(document(talks.state, talks.clock))


@pytest.mark.parametrize(
    ("frame", "material", "form"),
    [
        ({"mode": "LIGHT"}, True, "NONE"),
        ({"mode": "STANDARD"}, True, "FULL"),
        ({"mode": "STANDARD"}, False, "NONE"),
        ({"mode": "STANDARD", "expectedToContinue": True}, False, "FULL"),
        ({"mode": "FULL"}, False, "FULL"),
    ],
)
def test_the_mode_decides_what_an_event_writes(frame: dict[str, Any], material: bool, form: str) -> None:
    talks = Talks(**frame)
    body = {"stateVersion": 1, "event": {"type": "COUNTERPART_WITHDREW" if material else "USER_MESSAGE"}}

    decided = decide(talks.state, Operation("record_event", body), talks.context())

    assert decided.artefact.form == decided.answer["artefact"] == form
    assert decided.artefact.text is None


@pytest.mark.parametrize("limit", [1, 1_000_000])
def test_an_event_writes_the_state_out_where_its_size_decides(limit: int) -> None:
    talks = Talks(mode="FULL")
    body = {"stateVersion": 1, "event": {"type": "USER_MESSAGE"}}

    decided = decide(talks.state, Operation("record_event", body), replace(talks.context(), artefact_max_bytes=limit))

    assert decided.artefact.form == ("CONCISE" if limit == 1 else "FULL")
    assert decided.artefact.digest is not None
    assert json.loads(decided.artefact.text or "")
