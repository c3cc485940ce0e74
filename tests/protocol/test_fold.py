"""The fold against a second reading of the same rules, and what must hold of any log."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_app.protocol import reads
from fabric_app.protocol.fold import StateFold
from fabric_app.protocol.reads import StoredHead
from fabric_app.protocol.records import record_from_event
from tests.protocol.strategies import LABELS, head_values, logs

heads = st.none() | st.builds(StoredHead, value=head_values, version=st.integers(1, 3))


def named(event: dict[str, Any]) -> list[Any]:
    data = event["data"]
    listed = data.get("targets") if isinstance(data, dict) else None
    whole = [target for target in listed if isinstance(target, dict)] if isinstance(listed, list) else []
    return [
        target.get("transitionId")
        for target in whole
        if all(isinstance(target.get(name), str) for name in ("transitionId", "label", "to")) and target["transitionId"]
    ]


def marked(log: list[dict[str, Any]], kind: str) -> set[str]:
    found = [
        event["data"].get("transitionId") for event in log if event["kind"] == kind and isinstance(event["data"], dict)
    ]
    return {transition_id for transition_id in found if isinstance(transition_id, str)}


def visible_ids(log: list[dict[str, Any]]) -> list[str]:
    """The rule of section 5 over the whole log at once: no phase, or proposed, committed and not rejected."""
    committed = marked(log, "transition.committed") - marked(log, "transition.rejected")
    visible = []
    for event in log:
        if event["kind"] != "transition" or not isinstance(event["data"], dict):
            continue
        legacy = "phase" not in event["data"]
        proven = event["data"].get("phase") == "proposed" and event["id"] in committed
        if (legacy or proven) and record_from_event(event) is not None:
            visible.append(event["id"])
    return visible


def last_outcomes(log: list[dict[str, Any]]) -> dict[str, tuple[str, bool]]:
    verifications = [event for event in log if event["kind"] in ("state.certified", "state.violated")]
    return {
        target: (event["id"], event["kind"] == "state.certified") for event in verifications for target in named(event)
    }


class TestFoldingALog:
    @given(logs())
    @settings(max_examples=150, deadline=None)
    def test_event_by_event_gives_at_every_prefix_what_the_whole_gives(self, log: list[dict[str, Any]]) -> None:
        running = StateFold()

        for length, event in enumerate(log, start=1):
            running.apply(event)

            assert running == StateFold.of(log[:length])
            assert [record.transition_id for record in running.records()] == visible_ids(log[:length])
            outcomes = {target: (last.event_id, last.certified) for target, last in running.outcomes.items()}
            assert outcomes == last_outcomes(log[:length])

    @given(logs(), heads, st.booleans())
    @settings(max_examples=150, deadline=None)
    def test_boundary_is_the_last_visible_representation(
        self, log: list[dict[str, Any]], head: StoredHead | None, archived: bool
    ) -> None:
        fold = StateFold.of(log)

        view = reads.reading(fold, head, include_archived=archived).view

        if not archived:
            assert [record for record in view.records[1:] if record.is_boundary] == []
        assert list(view.records) == sorted(view.records, key=lambda record: record.sequence)


class TestReading:
    @given(logs(), heads)
    @settings(max_examples=200, deadline=None)
    def test_head_and_current_certificate_never_disagree(
        self, log: list[dict[str, Any]], head: StoredHead | None
    ) -> None:
        fold = StateFold.of(log)

        answer = reads.get(fold, head)

        shown = answer["head"] or {}
        assert shown.get("certificate") == answer["certification"]["current"]
        assert (shown.get("certificationStatus") == "certified") == (answer["certification"]["current"] is not None)
        if "certificate" in shown:
            assert shown["certificate"]["current"] is True
            assert shown["certificate"]["head"]["version"] == shown["version"]

    @given(logs(), heads, st.sampled_from([None, *LABELS]), st.none() | st.integers(1, 3), st.booleans())
    @settings(max_examples=150, deadline=None)
    def test_history_shows_only_what_is_committed_and_certified(
        self,
        log: list[dict[str, Any]],
        head: StoredHead | None,
        label: str | None,
        limit: int | None,
        archived: bool,
    ) -> None:
        fold = StateFold.of(log)

        answer = reads.history(fold, head, label=label, limit=limit, include_archived=archived)

        accepted = reads.accepted_identity(fold, head)
        known = set(visible_ids(log)) | ({accepted.transition_id} if accepted else set())
        assert {record["transitionId"] for record in answer["transitions"]} <= known
        assert limit is None or len(answer["transitions"]) <= limit
        outcomes = last_outcomes(log)
        for record in answer["transitions"]:
            if record.get("certificationStatus") == "certified" and record["transitionId"] in outcomes:
                assert outcomes[record["transitionId"]][1] is True
            assert all(command.strip() for command in record.get("evidence", []))

    def test_recent_labels_are_those_of_the_newest_twenty(self) -> None:
        log = [
            {"id": f"t{number}", "sequence": number, "kind": "transition", "data": {"label": f"l{number}", "to": "x"}}
            for number in range(1, 31)
        ]

        answer = reads.get(StateFold.of(log), None)

        assert answer["recentLabels"] == ["x", *[f"l{number}" for number in range(11, 31)]]


class TestAFailedVerificationOfTheHead:
    def test_takes_certificate_and_status_away_even_where_its_event_was_lost(self) -> None:
        identity = {"transitionId": "t1", "label": "a", "to": "one"}
        value = {
            "protocolVersion": 2,
            "commitProof": {"version": 1, "status": "committed"},
            "transitionSequence": 1,
            **identity,
        }
        certified = {
            "id": "c1",
            "sequence": 2,
            "kind": "state.certified",
            "data": {
                "targets": [identity],
                "head": {**identity, "version": 2},
                "evidenceDigest": "sha256:0",
                "resultDigest": "sha256:0",
            },
        }
        fold = StateFold.of([certified])
        before, revoked = StoredHead(value, 2), StoredHead(value, 4)

        assert reads.get(fold, before)["head"]["certificationStatus"] == "certified"
        assert "certificationStatus" not in reads.get(fold, revoked)["head"]
        assert "certificationStatus" not in reads.history(fold, revoked)["transitions"][0]


class TestAnEventOfAnUnknownProtocol:
    @pytest.mark.parametrize("version", [0, 2, 99, "1", None, True])
    def test_makes_no_transition_visible(self, version: Any) -> None:
        claim = {"label": "l", "to": "t", "summary": "s", "protocolVersion": version}
        fold = StateFold.of(
            [
                event("legacy", 1, "transition", claim),
                event("proposed", 2, "transition", {**claim, "phase": "proposed"}),
                event("m1", 3, "transition.committed", {"transitionId": "proposed"}),
                event("known", 4, "transition", {**claim, "protocolVersion": 1, "phase": "proposed"}),
                event("m2", 5, "transition.committed", {"transitionId": "known", "protocolVersion": version}),
            ]
        )

        assert fold.records() == []

    def test_rejects_all_the_same(self) -> None:
        claim = {"label": "l", "to": "t", "summary": "s", "protocolVersion": 1, "phase": "proposed"}
        fold = StateFold.of(
            [
                event("known", 1, "transition", claim),
                event("m1", 2, "transition.committed", {"transitionId": "known", "protocolVersion": 1}),
                event("m2", 3, "transition.rejected", {"transitionId": "known", "protocolVersion": 99}),
            ]
        )

        assert fold.records() == []


def event(event_id: str, sequence: int, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"id": event_id, "sequence": sequence, "kind": kind, "data": data}
