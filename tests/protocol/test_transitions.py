"""What stops a transition before it is written, and after it lost the head to another."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_app.mesh.errors import VersionConflict
from fabric_app.protocol.arguments import TransitionArguments
from fabric_app.protocol.bounds import HEAD_ATTEMPTS
from fabric_app.protocol.errors import (
    ContentionChainBroken,
    ContentionHeadAdvanced,
    ContentionRetriesExhausted,
    FromMismatch,
    ReductionWithoutEvidence,
    TransitionRejected,
    error_text,
)
from fabric_app.protocol.heads import Accepted, committed_head, pending_head
from fabric_app.protocol.transitions import check_attempts, check_from, check_reduction, recheck_after_loss

HEAD = Accepted(transition_id="t1", label="a", to="one")


class TestCheckingFrom:
    @pytest.mark.parametrize(("head", "declared"), [(HEAD, "one"), (HEAD, None), (None, "zero"), (None, None)])
    def test_what_chains_or_says_nothing_passes(self, head: Accepted | None, declared: str | None) -> None:
        check_from(head, declared)

    def test_another_destination_is_refused_with_both(self) -> None:
        with pytest.raises(FromMismatch) as refused:
            check_from(HEAD, "two")

        assert refused.value.details == {"actual": "one", "declared": "two"}

    def test_a_long_label_is_shown_cut_and_told_whole(self) -> None:
        with pytest.raises(FromMismatch) as refused:
            check_from(HEAD, "x" * 100_000)

        assert len(refused.value.sentence()) < 500
        assert len(refused.value.details["declared"]) == 100_000


class TestCheckingAReduction:
    @pytest.mark.parametrize(("net", "evidence"), [(0, []), (3, []), (-1, ["true"]), (-1, [" ", "true"])])
    def test_growth_and_backed_reductions_pass(self, net: int, evidence: list[str]) -> None:
        check_reduction(net, evidence)

    @pytest.mark.parametrize("evidence", [[], ["", " \t"]])
    def test_a_reduction_without_a_command_is_refused(self, evidence: list[str]) -> None:
        with pytest.raises(ReductionWithoutEvidence) as refused:
            check_reduction(-2, evidence)

        assert refused.value.details == {"netDelta": -2}


class TestLosingTheHead:
    @pytest.mark.parametrize("current", [{"to": "one"}, {}, None, "text"])
    def test_a_winner_that_breaks_no_chain_lets_it_try_again(self, current: Any) -> None:
        recheck_after_loss(current, "one")

    def test_a_winner_that_leads_elsewhere_is_named(self) -> None:
        with pytest.raises(ContentionChainBroken) as refused:
            recheck_after_loss({"to": "two"}, "one")

        assert refused.value.details == {"actual": "two", "declared": "one"}

    def test_without_from_an_advanced_head_is_named(self) -> None:
        with pytest.raises(ContentionHeadAdvanced) as refused:
            recheck_after_loss({"to": "two"}, None)

        assert refused.value.details == {"actual": "two"}

    def test_attempts_are_bounded(self) -> None:
        check_attempts(HEAD_ATTEMPTS - 1)
        with pytest.raises(ContentionRetriesExhausted):
            check_attempts(HEAD_ATTEMPTS)


class TestRejecting:
    def test_the_cause_is_nested_and_flags_stand_only_where_they_apply(self) -> None:
        cause = VersionConflict(expected=1, current=2)

        plain = TransitionRejected(cause=cause)
        marked = TransitionRejected(cause=cause, quarantine=True, reporting_failed=True)

        assert plain.details == {"cause": cause.as_json()}
        assert {**marked.details, "cause": None} == {"cause": None, "quarantine": True, "reportingFailed": True}
        assert cause.sentence() in plain.sentence()
        assert error_text(cause) == f"VERSION_CONFLICT: {cause.sentence()}"


class TestBuildingAHead:
    def test_members_stand_in_their_order_and_a_reduction_is_pending(self) -> None:
        given = TransitionArguments("a", "one", "claim", from_="zero", evidence=(), tags=("t",))
        delta = {"files": [], "netDelta": -1}

        pending = pending_head(given, transition_id="t1", sequence=4, complexity=delta, ts=9)

        assert list(pending) == [
            "protocolVersion", "commitProof", "transitionSequence", "label", "from", "to", "summary", "kind",
            "complexity", "transitionId", "ts", "evidence", "tags", "certificationStatus",
        ]  # fmt: skip
        assert pending["evidence"] == []
        assert committed_head(pending) == {**pending, "commitProof": {"version": 1, "status": "committed"}}
