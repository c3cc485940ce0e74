"""Repairs of heads that came in untrusted: what each leaves, what it refuses, and that work goes on after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from fabric_app.mesh.errors import InvalidArguments, VersionConflict
from fabric_app.mesh.models import Event, KeyVersion, LogHead
from fabric_app.models import Activity, TransitionState, Workspace
from fabric_app.operations import mesh_writes, projection, repairs
from fabric_app.operations.repair_plans import LogBroken
from fabric_app.operations.repairs import RepairChanged
from fabric_app.protocol.repairs import (
    CommitNotFinishable,
    NoCommittedHead,
    NoStoredHead,
    NothingToRepair,
)
from fabric_app.queries import accepted_head, current_state, history, quarantined_heads
from tests.factories import MAYA, NOON, move

pytestmark = pytest.mark.django_db

PENDING = {"version": 1, "status": "pending"}
COMMITTED = {"version": 1, "status": "committed"}
PREVIEWS = {
    repairs.finish_commit: repairs.preview_finish_commit,
    repairs.remove_pending_head: repairs.preview_remove_pending_head,
    repairs.restore_last_committed_head: repairs.preview_restore_last_committed_head,
}
UNREADABLE = {
    "a text": "planned",
    "an empty object": {},
    "a later protocol": {"protocolVersion": 3, "transitionId": "t", "label": "plan", "to": "planned"},
    "a protocol in words": {"protocolVersion": "2", "transitionId": "t", "label": "plan", "to": "planned"},
    "no proof": {"protocolVersion": 2, "transitionSequence": 1, "transitionId": "t", "label": "plan", "to": "planned"},
    "no sequence": {
        "protocolVersion": 2,
        "commitProof": PENDING,
        "transitionId": "t",
        "label": "plan",
        "to": "planned",
    },
}


def import_event(workspace: Workspace, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return mesh_writes.import_event(
        workspace=workspace, topic="fabric.state", kind=kind, data=data, actor=MAYA, now=NOON
    )


def import_head(workspace: Workspace, value: Any) -> None:
    mesh_writes.import_key(workspace=workspace, key="state/current", value=value, actor=MAYA, now=NOON)


def propose(workspace: Workspace, label: str = "apply", to: str = "applied", **data: Any) -> dict[str, Any]:
    """Import a proposal without its marker."""
    told = {"protocolVersion": 1, "phase": "proposed", "label": label, "to": to, "summary": "", **data}
    return import_event(workspace, "transition", told)


def mark(workspace: Workspace, proposal: dict[str, Any], phase: str = "committed") -> None:
    data = {"protocolVersion": 1, "phase": phase, "transitionId": proposal["id"]}
    import_event(workspace, f"transition.{phase}", data)


def pending(proposal: dict[str, Any], **members: Any) -> dict[str, Any]:
    """The head that the peer stores before it publishes the commit marker."""
    data = proposal["data"]
    return {
        "protocolVersion": 2,
        "commitProof": PENDING,
        "transitionSequence": proposal["sequence"],
        "label": data["label"],
        "to": data["to"],
        "summary": data["summary"],
        "kind": "state",
        "transitionId": proposal["id"],
        "ts": 1,
        **members,
    }


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: member for name, member in value.items() if name not in names}


def as_protocol_1(head: dict[str, Any]) -> dict[str, Any]:
    return {**without(head, "commitProof", "transitionSequence"), "protocolVersion": 1}


def as_legacy(head: dict[str, Any]) -> dict[str, Any]:
    return without(head, "commitProof", "transitionSequence", "protocolVersion")


def carry_out(operation: Callable[..., Any], workspace: Workspace, operator: Any, **changes: Any) -> dict[str, Any]:
    """Repair as an operator does who has looked at the preview."""
    preview = PREVIEWS[operation](workspace)
    decided = {"expected_version": preview.expected_version, "reason": "Import broke off.", "seen": preview.digest}
    answer: dict[str, Any] = operation(
        workspace=workspace, user=operator, actor=MAYA, now=NOON, **{**decided, **changes}
    )
    return answer


def reason_of(workspace: Workspace) -> str | None:
    state = current_state(workspace)["quarantine"]
    return state["reason"] if state else None


def rows() -> tuple[int, int, int, int]:
    return Event.objects.count(), KeyVersion.objects.count(), Activity.objects.count(), LogEntry.objects.count()


class TestFinishCommit:
    def test_a_pending_head_without_marker_gets_marker_and_proof(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned")
        proposal = propose(workspace)
        import_head(workspace, pending(proposal))
        assert reason_of(workspace) == "no-commit-marker"

        answer = carry_out(repairs.finish_commit, workspace, operator)

        head = current_state(workspace)["head"]
        assert (head["transitionId"], head["commitProof"], head["version"]) == (proposal["id"], COMMITTED, 4)
        assert answer["head"] == head
        assert [each["label"] for each in history(workspace, _everything())["transitions"]] == ["plan", "apply"]
        assert list(Event.objects.order_by("-sequence").values_list("kind", flat=True)[:2]) == [
            "state.repaired",
            "transition.committed",
        ]

    def test_a_pending_head_with_marker_gets_the_proof_alone(self, workspace: Workspace, operator: Any) -> None:
        proposal = propose(workspace)
        import_head(workspace, pending(proposal))
        mark(workspace, proposal)
        assert reason_of(workspace) is None

        carry_out(repairs.finish_commit, workspace, operator)

        assert current_state(workspace)["head"]["commitProof"] == COMMITTED
        assert Event.objects.filter(kind="transition.committed").count() == 1

    def test_a_pending_head_whose_proposal_is_gone_is_complete_by_itself(
        self, workspace: Workspace, operator: Any
    ) -> None:
        gone = {"id": "gone", "sequence": 7, "data": {"label": "apply", "to": "applied", "summary": "s"}}
        import_head(workspace, pending(gone))

        carry_out(repairs.finish_commit, workspace, operator)

        assert [each["sequence"] for each in history(workspace, _everything())["transitions"]] == [7]

    @pytest.mark.parametrize("older", [as_protocol_1, as_legacy])
    def test_an_older_head_gets_a_proof_of_its_own(
        self, workspace: Workspace, operator: Any, older: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> None:
        proposal = propose(workspace)
        import_head(workspace, older(pending(proposal)))
        assert reason_of(workspace) is not None

        carry_out(repairs.finish_commit, workspace, operator)

        head = current_state(workspace)["head"]
        assert (head["protocolVersion"], head["commitProof"]) == (2, COMMITTED)
        assert head["transitionSequence"] == proposal["sequence"]

    def test_an_older_head_of_unknown_place_is_refused(self, workspace: Workspace, operator: Any) -> None:
        gone = {"id": "gone", "sequence": 7, "data": {"label": "apply", "to": "applied", "summary": "s"}}
        import_head(workspace, as_protocol_1(pending(gone)))

        self._is_refused(workspace, operator, "no-sequence")

    def test_a_rejected_one_is_refused(self, workspace: Workspace, operator: Any) -> None:
        proposal = propose(workspace)
        import_head(workspace, pending(proposal))
        mark(workspace, proposal, "rejected")

        self._is_refused(workspace, operator, "rejected")

    @pytest.mark.parametrize("is_marked", [True, False])
    def test_one_that_contradicts_its_proposal_is_refused(
        self, workspace: Workspace, operator: Any, is_marked: bool
    ) -> None:
        proposal = propose(workspace)
        import_head(workspace, pending(proposal, to="elsewhere"))
        if is_marked:
            mark(workspace, proposal)

        self._is_refused(workspace, operator, "contradicts-proposal")

    def test_a_proposal_of_an_unknown_phase_is_refused(self, workspace: Workspace, operator: Any) -> None:
        proposal = propose(workspace, phase="odd")
        import_head(workspace, pending(proposal))

        self._is_refused(workspace, operator, "contradicts-proposal")

    @pytest.mark.parametrize("value", UNREADABLE.values(), ids=UNREADABLE)
    def test_an_unreadable_one_is_refused(self, workspace: Workspace, operator: Any, value: Any) -> None:
        import_head(workspace, value)

        self._is_refused(workspace, operator, reason_of(workspace))

    def test_a_committed_head_needs_none(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned")

        with pytest.raises(NothingToRepair):
            carry_out(repairs.finish_commit, workspace, operator)

    def test_without_a_head_there_is_nothing_to_finish(self, workspace: Workspace, operator: Any) -> None:
        with pytest.raises(NoStoredHead):
            carry_out(repairs.finish_commit, workspace, operator)

    def _is_refused(self, workspace: Workspace, operator: Any, reason: str | None) -> None:
        before = rows()
        preview = repairs.preview_finish_commit(workspace)
        assert preview.refusal is not None
        assert (preview.after, preview.events) == (preview.before, ())

        with pytest.raises(CommitNotFinishable) as refused:
            carry_out(repairs.finish_commit, workspace, operator)

        assert refused.value.details["reason"] == reason
        assert rows() == before


class TestRemovePendingHead:
    @pytest.mark.parametrize("value", UNREADABLE.values(), ids=UNREADABLE)
    def test_the_head_goes_and_its_version_stays(self, workspace: Workspace, operator: Any, value: Any) -> None:
        import_head(workspace, value)

        answer = carry_out(repairs.remove_pending_head, workspace, operator)

        assert answer["head"] is None
        assert current_state(workspace)["head"] is None
        assert reason_of(workspace) is None
        assert move(workspace, "plan", "planned")["head"]["version"] == 3

    def test_a_trusted_head_is_not_removed(self, workspace: Workspace, operator: Any) -> None:
        proposal = propose(workspace)
        import_head(workspace, pending(proposal))
        mark(workspace, proposal)

        with pytest.raises(NothingToRepair):
            carry_out(repairs.remove_pending_head, workspace, operator)

    def test_there_is_none_to_remove(self, workspace: Workspace, operator: Any) -> None:
        with pytest.raises(NoStoredHead):
            carry_out(repairs.remove_pending_head, workspace, operator)


class TestRestoreLastCommittedHead:
    def test_the_last_committed_value_comes_back_at_a_higher_version(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned")
        stored = move(workspace, "apply", "applied", evidence=["true", " "])["head"]
        import_head(workspace, "garbage")

        answer = carry_out(repairs.restore_last_committed_head, workspace, operator)

        assert answer["head"] == {**stored, "version": stored["version"] + 2}
        assert accepted_head(workspace.id).value == without(stored, "version")

    def test_work_goes_on_from_it(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned")
        import_head(workspace, pending(propose(workspace)))
        carry_out(repairs.restore_last_committed_head, workspace, operator)

        move(workspace, "apply", "applied", from_="planned")

        labels = [each["label"] for each in history(workspace, _everything())["transitions"]]
        assert labels == ["plan", "apply"]

    def test_a_stored_certificate_stays_behind(self, workspace: Workspace, operator: Any) -> None:
        head = without(move(workspace, "plan", "planned")["head"], "version")
        certificate = _certificate(head, version=3)
        import_head(workspace, {**head, "certificate": certificate, "certificationStatus": "certified"})
        assert current_state(workspace)["certification"]["current"] is not None
        import_head(workspace, {})

        answer = carry_out(repairs.restore_last_committed_head, workspace, operator)

        assert answer["head"] == {**head, "version": 5}
        assert current_state(workspace)["certification"]["current"] is None

    def test_a_reduction_is_pending_again(self, workspace: Workspace, operator: Any) -> None:
        reduction = {"files": [], "netDelta": -2}
        proposal = propose(workspace, complexity=reduction)
        import_head(workspace, pending(proposal, complexity=reduction, commitProof=COMMITTED))
        import_head(workspace, "garbage")

        answer = carry_out(repairs.restore_last_committed_head, workspace, operator)

        assert answer["head"]["certificationStatus"] == "pending"

    def test_a_version_that_was_rejected_is_passed_over(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned")
        proposal = propose(workspace)
        import_head(workspace, pending(proposal, commitProof=COMMITTED))
        mark(workspace, proposal, "rejected")
        import_head(workspace, {})

        answer = carry_out(repairs.restore_last_committed_head, workspace, operator)

        assert answer["head"]["label"] == "plan"

    def test_where_only_events_came_in_the_head_is_made_again_from_them(
        self, workspace: Workspace, operator: Any
    ) -> None:
        """Two proposals, committed in the other order: the later commit is the head."""
        first, second = propose(workspace, "one", "first", summary="s", tags=["a"]), propose(workspace, "two", "second")
        mark(workspace, second)
        mark(workspace, first)
        import_head(workspace, {"protocolVersion": 9})

        answer = carry_out(repairs.restore_last_committed_head, workspace, operator)

        head = answer["head"]
        assert (head["label"], head["to"], head["summary"], head["tags"]) == ("one", "first", "s", ["a"])
        assert (head["transitionSequence"], head["transitionId"]) == (first["sequence"], first["id"])
        assert current_state(workspace)["head"] == head

    def test_a_removed_head_can_be_replaced(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned")
        import_head(workspace, {})
        carry_out(repairs.remove_pending_head, workspace, operator)

        carry_out(repairs.restore_last_committed_head, workspace, operator)

        assert current_state(workspace)["head"]["label"] == "plan"
        assert current_state(workspace)["head"]["version"] == 4

    def test_nothing_was_ever_committed(self, workspace: Workspace, operator: Any) -> None:
        import_head(workspace, pending(propose(workspace)))

        with pytest.raises(NoCommittedHead):
            carry_out(repairs.restore_last_committed_head, workspace, operator)

    def test_a_trusted_head_is_not_replaced(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned")

        with pytest.raises(NothingToRepair):
            carry_out(repairs.restore_last_committed_head, workspace, operator)


@pytest.mark.parametrize("operation", PREVIEWS)
class TestEveryRepairOfAHead:
    def test_a_preview_writes_nothing_and_says_what_the_repair_writes(
        self, workspace: Workspace, operator: Any, operation: Callable[..., Any]
    ) -> None:
        self._quarantine(workspace)
        before = rows()
        preview = PREVIEWS[operation](workspace)
        assert rows() == before

        answer = carry_out(operation, workspace, operator)

        assert preview.before == KeyVersion.objects.get(version=3, is_deletion=False).value
        after = None if answer["head"] is None else without(answer["head"], "version")
        assert preview.after == after
        written = Event.objects.order_by("-sequence")[: len(preview.events)][::-1]
        assert [each["kind"] for each in preview.events] == [event.kind for event in written]
        for shown, event in zip(preview.events, written, strict=True):
            assert shown["data"].items() <= event.data.items()

    def test_it_leaves_event_activity_and_admin_log(
        self, workspace: Workspace, operator: Any, operation: Callable[..., Any]
    ) -> None:
        self._quarantine(workspace)

        event = carry_out(operation, workspace, operator, reason="  Import <b>broke</b> off. ")["event"]

        assert (event["topic"], event["kind"], event["from"]) == ("fabric.state", "state.repaired", MAYA.as_json())
        assert event["data"]["reason"] == "Import <b>broke</b> off."
        line = Activity.objects.get(kind="repair")
        assert (line.name, line.event_sequence) == (event["data"]["action"], event["sequence"])
        entry = LogEntry.objects.get()
        assert (entry.user, entry.object_id) == (operator, str(workspace.pk))
        assert entry.get_change_message() == f"{line.name}: Import <b>broke</b> off."
        assert quarantined_heads() == []

    def test_a_stale_version_changes_nothing(
        self, workspace: Workspace, operator: Any, operation: Callable[..., Any]
    ) -> None:
        self._quarantine(workspace)
        before = rows()

        with pytest.raises(VersionConflict) as refused:
            carry_out(operation, workspace, operator, expected_version=2)

        assert refused.value.details == {"expected": 2, "current": 3}
        assert rows() == before

    @pytest.mark.parametrize("reason", ["", " \n\t", "x" * 1001, "a\0b", "\ud800"])
    def test_without_a_storable_reason_nothing_happens(
        self, workspace: Workspace, operator: Any, operation: Callable[..., Any], reason: str
    ) -> None:
        self._quarantine(workspace)
        before = rows()

        with pytest.raises(InvalidArguments):
            carry_out(operation, workspace, operator, reason=reason)

        assert rows() == before

    def test_a_log_that_moved_on_under_the_same_version_asks_to_look_again(
        self, workspace: Workspace, operator: Any, operation: Callable[..., Any]
    ) -> None:
        self._quarantine(workspace)
        before = rows()

        with pytest.raises(RepairChanged):
            carry_out(operation, workspace, operator, seen="sha256:other")

        assert rows() == before

    def test_a_large_head_is_named_by_its_digest(
        self, workspace: Workspace, operator: Any, operation: Callable[..., Any]
    ) -> None:
        self._quarantine(workspace, note="\1" * 43_000)

        event = carry_out(operation, workspace, operator)["event"]

        assert set(event["data"]["before"]) == {"digest", "bytes"}

    def _quarantine(self, workspace: Workspace, **members: Any) -> None:
        """Plan is committed; apply was proposed, stored pending at version 3, and never marked."""
        move(workspace, "plan", "planned")
        import_head(workspace, pending(propose(workspace), **members))


@pytest.mark.django_db(transaction=True)
class TestRebuildProjection:
    def test_what_differed_is_put_right_and_told(self, workspace: Workspace, operator: Any) -> None:
        first = move(workspace, "plan", "planned")["event"]["id"]
        TransitionState.objects.filter(transition_id=first).update(is_visible=False)
        assert repairs.preview_rebuild_projection(workspace).count == 1

        answer = repairs.rebuild_projection(
            workspace=workspace, reason="Somebody edited rows.", user=operator, actor=MAYA, now=NOON
        )

        assert list(projection.differences(workspace.id)) == []
        data = answer["event"]["data"]
        assert (data["action"], data["after"]) == ("rebuild-projection", {"differences": 0, "first": []})
        assert [each["row"] for each in data["before"]["first"]] == [first]
        assert Activity.objects.filter(kind="repair", name="rebuild-projection").count() == 1

    def test_a_log_that_is_not_whole_makes_no_projection(self, workspace: Workspace, operator: Any) -> None:
        move(workspace, "plan", "planned")
        LogHead.objects.update(event_sequence=9)

        with pytest.raises(LogBroken):
            repairs.rebuild_projection(workspace=workspace, reason="Why not.", user=operator, actor=MAYA, now=NOON)

        assert not Event.objects.filter(kind="state.repaired").exists()

    def test_without_a_reason_nothing_happens(self, workspace: Workspace, operator: Any) -> None:
        with pytest.raises(InvalidArguments):
            repairs.rebuild_projection(workspace=workspace, reason=" ", user=operator, actor=MAYA, now=NOON)

        assert not Event.objects.exists()


def _everything() -> Any:
    from fabric_app.protocol.arguments import HistoryArguments

    return HistoryArguments(include_archived=True)


def _certificate(head: dict[str, Any], *, version: int) -> dict[str, Any]:
    named = {"transitionId": head["transitionId"], "label": head["label"], "to": head["to"]}
    return {
        "certificateId": "c",
        "sequence": 3,
        "certificationStatus": "certified",
        "targets": [named],
        "head": {**named, "version": version},
        "evidenceDigest": "sha256:e",
        "resultDigest": "sha256:r",
        "ts": 1,
        "current": True,
    }
