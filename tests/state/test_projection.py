"""Whatever is recorded, imported or forged: indexed reads answer what the pure fold of the whole log answers.

Each example is a workspace of its own, driven by random transitions, verifications and raw events and heads,
well-formed and not.
"""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric_app import queries
from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.models import Event, KeyEntry, KeyVersion, Workspace
from fabric_app.mesh.topics import event_json
from fabric_app.operations import mesh_writes
from fabric_app.operations.outcomes import finish_verification
from fabric_app.operations.projection import differences, rebuild
from fabric_app.protocol import reads
from fabric_app.protocol.errors import TransitionRejected
from fabric_app.protocol.fold import StateFold
from fabric_app.protocol.reads import StoredHead
from fabric_app.protocol.verification import CommandOutcome, Status, assess, commands_of
from fabric_app.stored_heads import read_head
from fabric_app.verification_targets import verification_targets
from tests.factories import MAYA, NOON, make_workspace, move, parsed

pytestmark = pytest.mark.django_db

EXAMPLES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
LABELS = ["plan", "apply", "ship", "caf\u00e9"]
RAW: dict[str, Any] = {"actor": MAYA, "now": NOON}

labels = st.sampled_from(LABELS)
maybe_label = st.none() | labels
odd_values = st.sampled_from([None, 5, "", "text", [], {}, True, 1.5])
# Which of the ids that the log has named so far; beyond them, one that nobody knows.
picks = st.integers(0, 6)
numbers = st.integers(1, 60) | odd_values

moves = st.fixed_dictionaries(
    {"label": labels, "to": labels},
    optional={
        "from_": labels,
        "kind": st.sampled_from(["state", "representation"]),
        "evidence": st.lists(st.sampled_from(["true", " "]), max_size=2),
        "force": st.booleans(),
    },
)
transition_data = st.fixed_dictionaries(
    {"label": labels | odd_values, "to": labels | odd_values},
    optional={
        "phase": st.sampled_from(["proposed", "rejected", "odd"]) | odd_values,
        "from": labels | odd_values,
        "kind": st.sampled_from(["state", "representation"]) | odd_values,
        "evidence": st.lists(st.just("true") | odd_values, max_size=2) | odd_values,
        "complexity": st.just({"files": [], "netDelta": -2}) | odd_values,
        "certificationStatus": st.just("pending") | odd_values,
        "ts": numbers,
    },
)
heads = st.fixed_dictionaries(
    {"label": labels, "to": labels, "pick": picks},
    optional={
        "protocolVersion": st.sampled_from([1, 2, 3]) | odd_values,
        "commitProof": st.sampled_from([{"version": 1, "status": word} for word in ("pending", "committed", "odd")]),
        "transitionSequence": numbers,
        "kind": st.sampled_from(["state", "representation"]),
        "complexity": st.just({"files": [], "netDelta": -3}) | odd_values,
        "from": labels,
    },
)
steps = st.one_of(
    st.tuples(st.just("move"), moves),
    st.tuples(st.just("verify"), st.tuples(st.none() | st.lists(labels, max_size=2), st.booleans())),
    st.tuples(st.just("transition"), transition_data | odd_values),
    st.tuples(st.sampled_from(["transition.committed", "transition.rejected"]), picks),
    st.tuples(st.sampled_from(["state.certified", "state.violated"]), st.lists(picks, max_size=2)),
    st.tuples(st.just("head"), heads | odd_values),
    st.tuples(st.just("no head"), st.none()),
)


class Driver:
    """Carries out random steps on a workspace of its own."""

    def __init__(self) -> None:
        self.workspace: Workspace = make_workspace(slug=f"w-{uuid.uuid4().hex}")

    def take(self, step: tuple[str, Any]) -> None:
        kind, given_ = step
        if kind == "move":
            self._move(given_)
        elif kind == "verify":
            self._verify(*given_)
        elif kind == "head":
            self._put_head(given_)
        elif kind == "no head":
            mesh_writes.import_deletion(workspace=self.workspace, key="state/current", **RAW)
        else:
            self._publish(kind, given_)

    def state(self) -> tuple[int, int]:
        return Event.objects.filter(workspace=self.workspace).count(), KeyVersion.objects.filter(
            workspace=self.workspace
        ).count()

    def _move(self, args: dict[str, Any]) -> None:
        before = self.state()
        try:
            move(self.workspace, **args)
        except TransitionRejected:
            pytest.fail("Nobody else writes here.")
        except StatehouseError:
            assert self.state() == before

    def _verify(self, names: list[str] | None, passes: bool) -> None:
        arguments = parsed("verify") if names is None else parsed("verify", labels=names)
        head = read_head(self.workspace.id).identity
        targets = verification_targets(self.workspace, arguments)
        done = CommandOutcome(Status.CONFIRMED, 0) if passes else CommandOutcome(Status.VIOLATED, 1)
        outcomes = [done for _ in commands_of(targets)]
        verification = assess(targets, outcomes, labels_given=names is not None)
        finish_verification(workspace=self.workspace, verification=verification, head=head, **RAW)

    def _put_head(self, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, dict) and "pick" in value:
            value = {**value, "transitionId": self._id(value["pick"])}
        mesh_writes.import_key(workspace=self.workspace, key="state/current", value=value, **RAW)

    def _publish(self, kind: str, value: Any) -> None:
        if kind.startswith("state."):
            ids = [self._id(pick) for pick in value]
            targets = [{"transitionId": transition_id, "label": "plan", "to": "apply"} for transition_id in ids]
            value = {"targets": targets, "evidenceDigest": "e", "resultDigest": "r", "head": None}
        elif kind != "transition":
            value = {"transitionId": self._id(value)}
        mesh_writes.import_event(workspace=self.workspace, topic="fabric.state", kind=kind, data=value, **RAW)

    def _id(self, pick: int) -> str:
        rows = Event.objects.filter(workspace=self.workspace, kind="transition").order_by("sequence")
        known = [str(key) for key in rows.values_list("pk", flat=True)]
        return [*known, "nobody"][min(pick, len(known))]


def folded(workspace: Workspace) -> tuple[StateFold, StoredHead | None]:
    events = Event.objects.filter(workspace=workspace, topic="fabric.state").order_by("sequence")
    entry = KeyEntry.objects.filter(workspace=workspace, key="state/current", is_deleted=False).first()
    return StateFold.of(map(event_json, events)), StoredHead(entry.value, entry.version) if entry else None


class TestRandomHistory:
    @EXAMPLES
    @given(taken=st.lists(steps, max_size=14), label=maybe_label, limit=st.none() | st.integers(1, 4))
    def test_reads_are_those_of_the_fold(
        self, taken: list[tuple[str, Any]], label: str | None, limit: int | None
    ) -> None:
        driver = Driver()
        for step in taken:
            driver.take(step)
        fold, head = folded(driver.workspace)

        state = queries.current_state(driver.workspace)
        state.pop("quarantine")
        assert state == reads.get(fold, head)
        for archived in (False, True):
            args = {"includeArchived": archived, "label": label, "limit": limit}
            asked = parsed("history", **{name: value for name, value in args.items() if value is not None})
            answer = queries.history(driver.workspace, asked)
            answer.pop("next")
            assert answer == reads.history(fold, head, label=label, limit=limit, include_archived=archived)
            wanted = parsed("verify", includeArchived=archived, **({"labels": [label]} if label else {}))
            assert verification_targets(driver.workspace, wanted) == reads.targets_of(
                fold, head, labels=wanted.labels, include_archived=archived
            )

    @EXAMPLES
    @given(taken=st.lists(steps, max_size=14))
    def test_the_projection_is_what_a_rebuild_makes(self, taken: list[tuple[str, Any]]) -> None:
        driver = Driver()
        for step in taken:
            driver.take(step)
        assert list(differences(driver.workspace.id)) == []
        before = queries.current_state(driver.workspace)

        rebuild(driver.workspace.id)

        assert list(differences(driver.workspace.id)) == []
        assert queries.current_state(driver.workspace) == before


class TestPages:
    def test_pages_follow_one_another_to_the_end(self, workspace: Workspace) -> None:
        for number in range(7):
            move(workspace, f"step-{number}", f"at-{number % 2}")
        whole = queries.history(workspace, parsed("history"))["transitions"]

        seen: list[Any] = []
        after: int | None = None
        for _ in range(3):
            page = queries.history(workspace, parsed("history"), after=after, page=3)
            seen, after = [*seen, *page["transitions"]], page["next"]

        assert seen == whole
        assert after is None

    def test_a_label_that_names_a_transition_twice_shows_it_once(self, workspace: Workspace) -> None:
        move(workspace, "same", "same")
        move(workspace, "same", "other", from_="same")

        page = queries.history(workspace, parsed("history", label="same"), page=1)

        assert [record["sequence"] for record in page["transitions"]] == [1]
        assert page["next"] == 1
