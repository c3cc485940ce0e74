"""Which certificate counts: the one stored in the head, the ones in the log, and when neither does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from fabric_app.protocol import reads
from fabric_app.protocol.certificates import (
    Certificate,
    Outcome,
    certificate_for_head,
    certificate_json,
    durable_certificate,
    event_certificate,
    is_current,
    is_visible,
    with_certificate,
    without_certificate,
)
from fabric_app.protocol.fold import StateFold
from fabric_app.protocol.heads import HeadIdentity
from fabric_app.protocol.reads import StoredHead
from fabric_app.protocol.verification import is_certified
from tests.protocol.strategies import any_json, head_values

HEAD = HeadIdentity(transition_id="t1", label="a", to="one", version=2)
STORED = HeadIdentity(transition_id="t1", label="a", to="one", version=3)
TARGET = {"transitionId": "t1", "label": "a", "to": "one"}
OTHER = {"transitionId": "t0", "label": "z", "to": "zero"}
VALUE = {
    "protocolVersion": 2,
    "commitProof": {"version": 1, "status": "committed"},
    "transitionSequence": 1,
    **TARGET,
}
CERTIFIED = Outcome(event_id="c5", sequence=5, certified=True)


def certified_event(*targets: dict[str, Any], sequence: int = 5) -> dict[str, Any]:
    data = {"targets": list(targets), "head": HEAD.as_json(), "evidenceDigest": "sha256:0", "resultDigest": "sha256:1"}
    return {"id": f"c{sequence}", "sequence": sequence, "kind": "state.certified", "data": {**data, "ts": 7}}


def certificate(*targets: dict[str, Any]) -> Certificate:
    found = event_certificate(certified_event(*(targets or (TARGET,))))
    assert found is not None
    return found


class TestReadingTheStoredCertificate:
    @pytest.mark.parametrize("latest", [None, CERTIFIED], ids=["outcome gone", "its own outcome"])
    def test_a_bound_one_counts(self, latest: Outcome | None) -> None:
        value = with_certificate(VALUE, certificate(), HEAD)

        found = durable_certificate(value, STORED, latest)

        assert found is not None
        assert certificate_json(found, current=True) == value["certificate"]
        assert value["certificate"]["head"]["version"] == STORED.version

    @pytest.mark.parametrize(
        ("head", "latest"),
        [
            (HeadIdentity("t1", "a", "one", 4), None),
            (HeadIdentity("t2", "a", "one", 3), None),
            (HeadIdentity("t1", "b", "one", 3), None),
            (HeadIdentity("t1", "a", "two", 3), None),
            (STORED, Outcome(event_id="v6", sequence=6, certified=False)),
            (STORED, Outcome(event_id="c6", sequence=6, certified=True)),
            (STORED, Outcome(event_id="v5", sequence=5, certified=False)),
        ],
        ids=["version", "transition", "label", "destination", "violated since", "certified since", "violated"],
    )
    def test_a_stale_or_overruled_one_does_not(self, head: HeadIdentity, latest: Outcome | None) -> None:
        value = with_certificate(VALUE, certificate(), HEAD)

        assert durable_certificate(value, head, latest) is None

    @pytest.mark.parametrize(
        "member", ["certificateId", "sequence", "targets", "head", "evidenceDigest", "resultDigest"]
    )
    def test_a_malformed_one_does_not(self, member: str) -> None:
        value = with_certificate(VALUE, certificate(), HEAD)
        value["certificate"][member] = None

        assert durable_certificate(value, STORED, None) is None

    def test_revoking_leaves_the_rest_of_the_head(self) -> None:
        assert without_certificate(with_certificate(VALUE, certificate(), HEAD)) == VALUE

    @given(any_json | head_values)
    @settings(max_examples=200, deadline=None)
    def test_any_stored_value_is_answered(self, value: Any) -> None:
        durable_certificate(value, STORED, None)
        reads.get(StateFold.of([certified_event(TARGET)]), StoredHead(value, 3))


class TestReadingCertificatesOfTheLog:
    def test_current_is_bound_to_head_and_outcome(self) -> None:
        assert is_current(certificate(), HEAD, CERTIFIED)
        assert not is_current(certificate(), STORED, CERTIFIED)
        assert not is_current(certificate(OTHER), HEAD, CERTIFIED)
        assert not is_current(certificate(), HEAD, Outcome("c6", 6, certified=True))
        assert not is_current(certificate(), HEAD, None)
        assert not is_current(certificate(), None, CERTIFIED)

    def test_every_target_has_to_be_in_view(self) -> None:
        both = certificate(TARGET, OTHER)

        assert is_visible(both, {"t0", "t1"})
        assert not is_visible(both, {"t1"})

    def test_of_several_chunks_the_one_with_the_head_is_answered(self) -> None:
        first, second = certificate(OTHER), certificate(TARGET)

        assert certificate_for_head([first, second], HEAD) is second
        assert certificate_for_head([first, second], None) is first

    def test_an_archived_target_hides_the_certificate_until_the_archive_is_shown(self) -> None:
        moves = [
            {"id": f"t{number}", "sequence": number + 1, "kind": "transition", "data": {**target, "kind": kind}}
            for number, (target, kind) in enumerate([(OTHER, "state"), (TARGET, "representation")])
        ]
        fold = StateFold.of([*moves, certified_event(TARGET, OTHER)])

        active, whole = reads.history(fold, None), reads.history(fold, None, include_archived=True)

        assert active["certifications"] == []
        assert [move.get("certificationStatus") for move in active["transitions"]] == [None]
        assert [move.get("certificationStatus") for move in whole["transitions"]] == ["certified", "certified"]


class TestCertifying:
    def test_nothing_that_ran_certifies_nothing(self) -> None:
        assert is_certified([], []) is False
