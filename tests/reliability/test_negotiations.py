"""Two orchestrators and four specialists at once: no gap, no lost event, no stale overwrite. Sections 5 and 11."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from negotiation_app.models import NegotiationEntry
from negotiation_app.operations.check import check_negotiation
from negotiation_app.protocol.names import Role
from negotiation_app.stored_state import folded
from tests.negotiation.deals import Deal, learned
from tests.negotiation.protocol.talks import item, usd
from tests.people import person
from tests.reliability.negotiation_program import Act, Job
from tests.reliability.processes import environment, outputs_of_all

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = float(os.environ.get("STATEHOUSE_CONTENTION_SECONDS", "60"))
STARTING_SECONDS = 6.0
ENDING_SECONDS = 120.0
CREW = (Role.ORCHESTRATOR,) * 2 + (Role.SPECIALIST,) * 4
TARGET = "boundaries/fee/TARGET"
# What a client that is slower than another one may hear.
LOSSES = {"VERSION_CONFLICT", "PATCH_ALREADY_RECONCILED", "STALE_OPERATION"}


@pytest.fixture
def deal() -> Deal:
    deal = Deal()
    deal.learn(learned("list", "110"))
    basis = {"reason": "as researched", "evidence": [item("market")]}
    deal.say("set_boundary", {"boundary": {"issue": "fee", "kind": "TARGET", "value": usd("90"), "basis": basis}})
    return deal


def acts_on(deal: Deal, folder: Path) -> list[Act]:
    """Let the crew work on one negotiation at the same time, and return how each of their calls ended."""
    starts_at = time.time() + STARTING_SECONDS
    jobs = []
    for number, role in enumerate(CREW):
        name = f"{role}-{number}"
        deal.grant(person(name), role)
        jobs.append(Job(deal.ref, name, str(role), f"c{number}", starts_at, SECONDS))
    outputs = outputs_of_all(
        [["tests.reliability.negotiation_program", json.dumps(asdict(job))] for job in jobs],
        env=environment(STATEHOUSE_DB_POOL_SIZE="4"),
        folder=folder,
        timeout=STARTING_SECONDS + SECONDS + ENDING_SECONDS,
    )
    return [Act(**json.loads(line)) for output in outputs for line in output.splitlines()]


def summary(acts: Sequence[Act]) -> str:
    waits = sorted(act.seconds for act in acts)
    ends = Counter((act.kind, act.error or "done") for act in acts)
    return f"{len(acts)} calls: {dict(ends)}; median {waits[len(waits) // 2]:.3f} s, longest {waits[-1]:.3f} s"


def stored_rows(deal: Deal) -> list[tuple[str, dict[str, Any]]]:
    """Return every row that the log wrote, in order, as it is stored."""
    entries = NegotiationEntry.objects.filter(negotiation=deal.row).order_by("sequence").values_list("data", flat=True)
    return [(each["table"], each["row"]) for data in entries for each in data["rows"]]


def applies(patch: dict[str, Any]) -> bool:
    return bool(patch["outcomes"]["target"]["outcome"] == "APPLIED")


def stale_overwrites(rows: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    """List the patches whose target was applied though it was read before the target's last change."""
    changed_at, reconciled, found = 0, {}, []
    for table, row in rows:
        if table == "patches" and row["status"] != "SUBMITTED":
            reconciled[row["ref"]] = row
        if table != "history":
            continue
        found += [ref for ref, patch in reconciled.items() if applies(patch) and patch["stateVersion"] < changed_at]
        reconciled.clear()
        if any(change["field"] == TARGET for change in row["changes"]):
            changed_at = row["stateVersion"]
    return found


class TestACrewOfSix:
    @pytest.mark.slow
    @pytest.mark.timeout(600)
    def test_loses_nothing_and_overwrites_nothing_newer(self, deal: Deal, tmp_path: Path) -> None:
        before = folded(deal.row)

        acts = acts_on(deal, tmp_path)

        print(summary(acts))
        assert {act.error for act in acts if act.error} <= LOSSES
        state, rows = folded(deal.row), stored_rows(deal)
        events = [row for table, row in rows if table == "history"]
        done = [act for act in acts if act.event]
        assert [row["seq"] for row in events] == list(range(1, len(events) + 1))
        assert [row["stateVersion"] for row in events if row["material"]] == list(range(1, state.version + 1))
        assert {act.event: act.version for act in done} == {
            row["ref"]: row["stateVersion"] for row in events if row["seq"] > before.seq
        }
        assert len(done) == len(events) - before.seq
        # Whatever was written directly was decided on the version right before its own.
        versions = {row["ref"]: row["stateVersion"] - row["material"] for row in events}
        assert {act.on == versions[act.event] for act in done} == {True}
        submitted = {f"patch-{act.label}" for act in acts if act.kind == "submit_patch" and act.error is None}
        assert set(state.patches) == submitted
        assert {row.status for row in state.patches.values()} & {"APPLIED", "PARTIALLY_APPLIED"}
        assert stale_overwrites(rows) == []
        assert check_negotiation(deal.ref) == []
