"""One client of a negotiation; run as `python -m tests.reliability.negotiation_program <JSON>`.

The JSON is a `Job`. An orchestrator records facts, offers and targets on the version that it read, and reconciles what
specialists submit; a specialist reads, and proposes a target and a fact on that. Prints an `Act` a line as JSON.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import django

START_SECONDS = 60
Json = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """What one client does. `starts_at`: seconds since 1970, when all begin."""

    negotiation: str
    account: str
    role: str
    name: str
    starts_at: float
    seconds: float


@dataclass(frozen=True)
class Act:
    """How one call ended. `on`: the version that it was decided on; `version` and `event` are those of the answer."""

    kind: str
    label: str
    seconds: float
    on: int
    version: int | None = None
    event: str | None = None
    error: str | None = None


def main() -> None:
    django.setup()
    job = Job(**json.loads(sys.argv[1]))
    client = Client(job)
    time.sleep(max(0.0, min(job.starts_at - time.time(), START_SECONDS)))
    ends = time.monotonic() + job.seconds
    while time.monotonic() < ends:
        client.act()
    for act in client.acts:
        print(json.dumps(asdict(act)))


class Client:
    """Reads the negotiation, decides by what it read, and asks."""

    def __init__(self, job: Job) -> None:
        from django.contrib.auth import get_user_model

        from negotiation_app.protocol.names import Role

        self.job = job
        self.role = Role(job.role)
        self.user = get_user_model().objects.get(username=job.account)
        self.acts: list[Act] = []
        self.random = random.Random(job.name)
        self.number = 0

    def act(self) -> None:
        from django.db import connection, reset_queries

        from negotiation_app.models import Negotiation
        from negotiation_app.stored_state import current_state

        negotiation = Negotiation.objects.get(ref=self.job.negotiation)
        state = current_state(negotiation)
        self.number += 1
        choices = SPECIALIST if self.role == "specialist" else ORCHESTRATOR
        kind, build = self.random.choice(choices)
        body = build(self, state)
        if body is not None:
            self._ask(kind, negotiation.pk, state.version, body)
        reset_queries()
        # As at the end of a request: the connection goes back to the pool.
        connection.close()

    @property
    def label(self) -> str:
        return f"{self.job.name}-{self.number}"

    def evidence(self) -> list[Json]:
        return [{"ref": f"doc-{self.label}", "kind": "DOCUMENT", "locator": f"binder, {self.label}"}]

    def amount(self) -> Json:
        return {"type": "money", "amount": str(self.random.randint(50, 99)), "currency": "USD"}

    def target(self) -> Json:
        basis = {"reason": "read it", "evidence": self.evidence()}
        return {"issue": "fee", "kind": "TARGET", "value": self.amount(), "basis": basis}

    def fact(self) -> Json:
        told = {"ref": f"fact-{self.label}", "subject": "acme", "attribute": f"of.{self.label}", "value": self.amount()}
        evidence = [{"ref": f"item-{self.label}", "kind": "DOCUMENT", "locator": f"folder, {self.label}"}]
        return {"op": "ADD", "proposition": {**told, "status": "KNOWN", "evidence": evidence}}

    def _ask(self, kind: str, negotiation_id: Any, version: int, body: Json) -> None:
        from django.db import Error
        from django.utils import timezone

        from fabric_app.mesh.actors import actor_of
        from fabric_app.mesh.errors import StatehouseError
        from negotiation_app.operations.performing import Asked, perform

        began, told, error = time.monotonic(), {}, None
        try:
            told = perform(
                negotiation_id=negotiation_id,
                asked=Asked(kind, body, self.label),
                roles=frozenset((self.role,)),
                actor=actor_of(self.user),
                now=timezone.now(),
            )
        except StatehouseError as refused:
            error = refused.code
        except Error as failed:
            error = repr(failed)
        event = told.get("event", {}).get("ref")
        self.acts.append(
            Act(kind, self.label, time.monotonic() - began, version, told.get("stateVersion"), event, error)
        )


def _fact(client: Client, state: Any) -> Json:
    return {"stateVersion": state.version, "event": {"type": "NEW_FACT"}, "operations": [client.fact()]}


def _offer(client: Client, state: Any) -> Json:
    proposal = {"ref": f"offer-{client.label}", "side": "COUNTERPART", "terms": {"fee": client.amount()}}
    return {"stateVersion": state.version, "proposal": proposal}


def _target(client: Client, state: Any) -> Json:
    return {"stateVersion": state.version, "boundary": client.target()}


def _reconciling(client: Client, state: Any) -> Json | None:
    """Take what is still valid of the oldest patch that nobody looked at; its target only where it is not stale."""
    waiting = sorted(row.order for row in state.patches.values() if row.status == "SUBMITTED")
    if not waiting:
        return None
    patch = next(row for row in state.patches.values() if row.order == waiting[0])
    moved = state.changed_since("boundaries/fee/TARGET", patch.state_version)
    return {"stateVersion": state.version, "patch": patch.ref, "accept": ["fact"] if moved else ["target", "fact"]}


def _patch(client: Client, state: Any) -> Json:
    target = {"op": "SUPERSEDE", "id": "target", "target": "boundaries/fee/TARGET", "reason": "better"}
    operations = [{**target, "boundary": client.target()}, {**client.fact(), "id": "fact"}]
    return {"patch": {"ref": f"patch-{client.label}", "stateVersion": state.version, "operations": operations}}


def _note(client: Client, state: Any) -> Json:
    return {"stateVersion": state.version, "event": {"type": "USER_MESSAGE", "text": client.label}}


Build = Callable[[Client, Any], Json | None]
ORCHESTRATOR: list[tuple[str, Build]] = [
    ("record_event", _fact),
    ("record_event", _note),
    ("record_proposal", _offer),
    ("set_boundary", _target),
    ("reconcile_patch", _reconciling),
    ("reconcile_patch", _reconciling),
]
SPECIALIST: list[tuple[str, Build]] = [("submit_patch", _patch)]


if __name__ == "__main__":
    main()
