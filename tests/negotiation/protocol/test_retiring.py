"""What is taken out of force: no longer compared with, no longer watched, and never gone from its history."""

from __future__ import annotations

import json
from typing import Any

import pytest

from negotiation_app.protocol.artefacts import concise_artefact
from negotiation_app.protocol.brief import brief
from negotiation_app.protocol.conflicts import TargetNotEffective
from negotiation_app.protocol.refusals import UnknownRef
from negotiation_app.protocol.wording import differences
from tests.negotiation.protocol.talks import Talks, item, usd


def basis(document: str) -> dict[str, Any]:
    return {"reason": f"as {document} says", "evidence": [item(document)]}


def floor(amount: str, document: str) -> dict[str, Any]:
    return {"boundary": {"issue": "fee", "kind": "FLOOR", "value": usd(amount), "basis": basis(document)}}


@pytest.fixture
def talks() -> Talks:
    talks = Talks()
    talks.say("set_boundary", floor("100", "budget"))
    other = {"description": "Another", "terms": {"fee": usd("104")}, "basis": basis("their-quote")}
    talks.say("set_batna", {"batna": other})
    return talks


def retire(talks: Talks) -> None:
    talks.say("retire_boundary", {"boundary": {"issue": "fee", "kind": "FLOOR", "basis": basis("waiver")}})
    talks.say("retire_batna", {"batna": {"basis": basis("press")}})


class TestRetiring:
    def test_leaves_nothing_in_force_and_the_history_in_place(self, talks: Talks) -> None:
        retire(talks)

        shown = talks.shown()
        assert shown["boundaries"]["fee"]["FLOOR"]["history"] == [usd("100"), None]
        assert shown["boundaries"]["fee"]["FLOOR"]["basis"]["reason"] == "as waiver says"
        assert shown["batna"]["history"] == ["Another", None]
        assert (talks.state.batna, len(talks.state.batnas)) == (None, 1)

    def test_is_told_in_words(self, talks: Talks) -> None:
        before = talks.shown()
        retire(talks)

        told = {each["field"]: each["words"] for each in differences(before, talks.shown())}

        assert "retired" in told["boundaries/fee/FLOOR"]
        assert "retired" in told["batna"]
        assert "Another" not in brief(talks.shown()).partition("## Without a deal")[2].partition("##")[0]

    def test_names_both_values_in_its_notification(self, talks: Talks) -> None:
        body = {"boundary": {"issue": "fee", "kind": "FLOOR", "basis": basis("waiver")}}

        (told,) = talks.say("retire_boundary", body)["notifications"]

        assert told["triggers"] == ["BOUNDARY_CHANGED"]
        assert told["changes"][0]["before"]["value"] == usd("100")
        assert told["changes"][0]["after"] is None
        assert "100 USD" in told["priorView"]
        assert "as waiver says" in told["newEvidence"]

    def test_is_kept_out_of_the_concise_snapshot(self, talks: Talks) -> None:
        retire(talks)

        told = json.loads(concise_artefact(talks.state, at=talks.clock).text or "")

        assert (told["boundaries"], told["batna"]) == ({}, None)

    def test_of_what_is_retired_is_refused(self, talks: Talks) -> None:
        retire(talks)

        again = {"issue": "fee", "kind": "FLOOR", "basis": basis("second-waiver")}

        with pytest.raises(TargetNotEffective):
            talks.say("retire_boundary", {"boundary": again})
        with pytest.raises(TargetNotEffective):
            talks.say("retire_batna", {"batna": {"basis": basis("second-press")}})

    def test_of_what_never_was_is_refused_with_its_place(self) -> None:
        with pytest.raises(UnknownRef) as refused:
            Talks().say("retire_batna", {"batna": {"basis": basis("press")}})

        assert refused.value.details["problems"][0]["path"] == "/batna"

    def test_lets_the_target_stand_where_only_the_floor_would_have_held_it(self, talks: Talks) -> None:
        talks.say("retire_boundary", {"boundary": {"issue": "fee", "kind": "FLOOR", "basis": basis("waiver")}})

        worse = {"issue": "fee", "kind": "TARGET", "value": usd("120"), "basis": basis("news")}

        assert talks.say("set_boundary", {"boundary": worse})["material"] is True

    def test_as_a_patch_reads_it_is_a_change_of_that_field(self, talks: Talks) -> None:
        operation = {"op": "SUPERSEDE", "id": "o1", "target": "batna", "reason": "a better one"}
        batna = {"description": "A third", "terms": {}, "basis": basis("letter")}
        patch = {"ref": "p1", "stateVersion": talks.state.version, "operations": [{**operation, "batna": batna}]}
        talks.say("submit_patch", {"patch": patch})
        talks.say("retire_batna", {"batna": {"basis": basis("press")}})

        told = talks.say("preview_patch", {"patch": "p1"})

        assert (told["applicable"], told["conflicting"]) == ([], ["o1"])
        assert "batna" in told["changedFields"]
