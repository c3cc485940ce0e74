"""Recording transitions: what is stored, what is refused, and what is left of what failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from fabric_app.mesh.idempotency import Idempotency, IdempotencyKeyReused
from fabric_app.mesh.models import Event, KeyEntry, KeyVersion
from fabric_app.mesh.topics import EventTooLarge
from fabric_app.models import Activity, IdempotencyRecord, Workspace
from fabric_app.operations import mesh_writes
from fabric_app.protocol.errors import FromMismatch, HeadQuarantined, ReductionWithoutEvidence
from fabric_app.queries import current_state, history
from tests.factories import MAYA, NOON, NOON_MS, SCRIBE, move, parsed

pytestmark = pytest.mark.django_db


def kinds(workspace: Workspace) -> list[str]:
    return list(Event.objects.filter(workspace=workspace).order_by("sequence").values_list("kind", flat=True))


class TestRecordTransition:
    def test_the_first_one_stores_proposal_marker_and_a_committed_head(self, workspace: Workspace) -> None:
        answer = move(workspace, "plan", "planned", evidence=["true"], tags=["auth"])

        assert kinds(workspace) == ["transition", "transition.committed"]
        event, head = answer["event"], answer["head"]
        assert event["from"] == SCRIBE.as_json()
        assert event["data"]["ts"] == event["createdAt"] == NOON_MS
        assert head["transitionId"] == event["id"]
        assert (head["version"], head["commitProof"]) == (2, {"version": 1, "status": "committed"})
        assert current_state(workspace)["head"] == head

    def test_its_head_moves_as_through_pending(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")

        versions = KeyVersion.objects.filter(workspace=workspace, key="state/current").order_by("sequence")
        assert [row.value["commitProof"]["status"] for row in versions] == ["pending", "committed"]

    def test_it_leaves_an_activity(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")

        line = Activity.objects.get(workspace=workspace, kind="transition")
        assert (line.name, line.outcome, line.event_sequence) == ("plan → planned", "committed", 1)

    def test_a_wrong_from_is_refused_and_nothing_is_written(self, workspace: Workspace) -> None:
        move(workspace, "plan", "planned")
        before = Event.objects.count(), KeyVersion.objects.count(), Activity.objects.count()

        with pytest.raises(FromMismatch) as refused:
            move(workspace, "apply", "applied", from_="elsewhere")

        assert refused.value.details == {"actual": "planned", "declared": "elsewhere"}
        assert (Event.objects.count(), KeyVersion.objects.count(), Activity.objects.count()) == before

    def test_a_quarantined_head_is_not_passed_by_force(self, workspace: Workspace) -> None:
        mesh_writes.import_key(workspace=workspace, key="state/current", value={"to": 5}, actor=MAYA, now=NOON)

        with pytest.raises(HeadQuarantined):
            move(workspace, "plan", "planned", force=True)

        assert kinds(workspace) == []
        assert current_state(workspace)["quarantine"]["reason"] == "no-identity"

    def test_one_over_the_event_limit_is_refused_and_nothing_is_written(
        self, workspace: Workspace, settings: Settings
    ) -> None:
        settings.STATEHOUSE = {**settings.STATEHOUSE, "MAX_EVENT_BYTES": 2048}

        with pytest.raises(EventTooLarge):
            move(workspace, "plan", "planned", summary="x" * 2000)

        assert kinds(workspace) == []
        assert not KeyEntry.objects.filter(workspace=workspace).exists()


class TestRepeatedRequest:
    def test_the_same_request_gets_the_same_answer_and_writes_once(self, workspace: Workspace, operator: Any) -> None:
        key = Idempotency(user_id=operator.pk, key="k-1", request_digest="sha256:a")
        first = move(workspace, "plan", "planned", idempotency=key)

        second = move(workspace, "plan", "planned", idempotency=key)

        assert second == first
        assert kinds(workspace) == ["transition", "transition.committed"]

    def test_another_request_under_the_same_key_is_refused(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned", idempotency=Idempotency(operator.pk, "k-1", "sha256:a"))

        with pytest.raises(IdempotencyKeyReused):
            move(workspace, "apply", "applied", idempotency=Idempotency(operator.pk, "k-1", "sha256:b"))

        assert len(history(workspace, parsed("history"))["transitions"]) == 1
        assert IdempotencyRecord.objects.count() == 1


class TestComplexity:
    def test_a_reduction_without_evidence_is_refused_and_the_ledger_stays(
        self, workspace: Workspace, folder: Path
    ) -> None:
        (folder / "a b.ts").write_text("if (a) b();\n")
        move(workspace, "base", "v1", complexity={"files": ["a b.ts"]})
        (folder / "a b.ts").write_text("b();\n")

        with pytest.raises(ReductionWithoutEvidence):
            move(workspace, "reduce", "v2", complexity={"files": ["a b.ts"]}, evidence=["  "])

        entry = KeyEntry.objects.get(workspace=workspace, key="state/complexity/a b.ts")
        assert (entry.version, entry.value["count"]) == (1, 1)

    def test_a_deleted_file_is_a_reduction_to_nothing(self, workspace: Workspace, folder: Path) -> None:
        (folder / "[id].tsx").write_text("if (a) b();\n")
        move(workspace, "base", "v1", complexity={"files": ["[id].tsx"]})
        (folder / "[id].tsx").unlink()

        answer = move(workspace, "drop", "v2", complexity={"files": ["[id].tsx"]}, evidence=["true"])

        assert answer["head"]["complexity"]["netDelta"] == -1
        assert answer["head"]["certificationStatus"] == "pending"
