"""Many clients of one session: every acknowledged change is there once, or was taken back, or says why it is aside."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from django.db import connection

from fabric_app.mesh.errors import StatehouseError
from sessions_app.models import Entity, Turn
from sessions_app.operations.check import check_session
from sessions_app.protocol.events import EntityStatus, TurnStatus
from sessions_app.protocol.replay import EntityKind
from tests.reliability.processes import environment, outputs_of_all
from tests.reliability.session_program import LOOSE, Act, Job
from tests.sessions.places import Place, bootstrap, change, effect

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = float(os.environ.get("STATEHOUSE_CONTENTION_SECONDS", "60"))
STARTING_SECONDS = 6.0
ENDING_SECONDS = 120.0
CLIENTS = 8
# What a client that is slower than the others may hear.
LOSSES = {"REVISION_CONFLICT", "COMMIT_RETRY_STALE", "NAMESPACE_NOT_FOUND", "STATE_UPDATE_VALIDATION_FAILED"}


def acts_on(place: Place, folder: Path) -> list[Act]:
    """Let eight processes write to one session at the same time, and return how each of their calls ended."""
    starts_at = time.time() + STARTING_SECONDS
    jobs = [Job(str(place.id), place.user.username, f"c{n}", starts_at, SECONDS) for n in range(CLIENTS)]
    outputs = outputs_of_all(
        [["tests.reliability.session_program", json.dumps(asdict(job))] for job in jobs],
        env=environment(STATEHOUSE_DB_POOL_SIZE="4"),
        folder=folder,
        timeout=STARTING_SECONDS + SECONDS + ENDING_SECONDS,
    )
    return [Act(**json.loads(line)) for output in outputs for line in output.splitlines()]


def summary(acts: Sequence[Act]) -> str:
    waits = sorted(act.seconds for act in acts)
    ends = Counter((act.kind, act.error or "done") for act in acts)
    return f"{len(acts)} calls: {dict(ends)}; median {waits[len(waits) // 2]:.3f} s, longest {waits[-1]:.3f} s"


class TestEightClientsOfOneSession:
    @pytest.mark.slow
    @pytest.mark.timeout(600)
    def test_each_acknowledged_change_is_there_once_or_was_set_aside(self, tmp_path: Path) -> None:
        place = Place(bootstrap({"log": []}, LOOSE))

        acts = acts_on(place, tmp_path)

        print(summary(acts), Counter(Entity.objects.filter(session_id=place.id).values_list("status", flat=True)))
        assert {act.error for act in acts if act.error} <= LOSSES
        acknowledged = {act.sequence: act.label for act in acts if act.label and act.sequence}
        commits = Entity.objects.filter(session_id=place.id, kind=EntityKind.TURN_COMMIT, sequence__in=acknowledged)
        standing = {row.sequence: row.status for row in commits.only("sequence", "status")}
        assert standing.keys() == acknowledged.keys()
        counting = [acknowledged[each] for each, status in standing.items() if status == EntityStatus.EFFECTIVE]
        assert sorted(place.value()["log"]) == sorted(counting)
        assert set(standing.values()) <= {*EntityStatus} - {EntityStatus.SKIPPED}
        assert check_session(place.id) == []


class TestOneTurnCommittedByMany:
    def commits(self, place: Place, turn: int, *labels: str) -> list[str]:
        """Commit one turn from a thread for each label at once; return how each ended."""
        barrier, ends = threading.Barrier(len(labels)), []

        def commit(label: str) -> None:
            barrier.wait(30)
            try:
                answer = place.commit(effect(1, change("append", "/log", value=label)), turn=turn)
                ends.append("replayed" if answer["replayed"] else "stored")
            except StatehouseError as refused:
                ends.append(refused.code)
            finally:
                connection.close()

        threads = [threading.Thread(target=commit, args=(label,)) for label in labels]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        return sorted(ends)

    @pytest.fixture
    def place(self) -> Place:
        return Place(bootstrap({"log": []}, LOOSE))

    def test_with_the_same_content_has_one_effect(self, place: Place) -> None:
        turn = place.begin()["turn"]

        ends = self.commits(place, turn, *["sword"] * 8)

        assert ends == ["replayed"] * 7 + ["stored"]
        assert place.value() == {"log": ["sword"]}
        assert check_session(place.id) == []

    def test_with_other_content_the_others_hear_of_a_conflict(self, place: Place) -> None:
        turn = place.begin()["turn"]

        ends = self.commits(place, turn, *[f"sword {n}" for n in range(8)])

        assert ends == ["COMMIT_CONFLICT"] * 7 + ["stored"]
        assert len(place.value()["log"]) == 1
        assert Turn.objects.get(session_id=place.id).status == TurnStatus.COMMITTED
        assert check_session(place.id) == []
