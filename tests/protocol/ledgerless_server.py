"""A whole state layer in memory, made of nothing but the protocol: it shows that the pure functions suffice.

It has no complexity ledgers, no concurrency and no limits; events and keys are plain values.
"""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

from fabric_app.mesh.errors import StatehouseError
from fabric_app.protocol import arguments, certificates, events, heads, reads, transitions, verification
from fabric_app.protocol.arguments import HistoryArguments, TransitionArguments, VerifyArguments
from fabric_app.protocol.fold import StateFold
from fabric_app.protocol.reads import StoredHead

HEAD, GOAL = "state/current", "state/goal"
MAX_TIMEOUT_MS = 600_000


class Server:
    """One workspace. Every method returns what the action of that name answers."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.events: list[dict[str, Any]] = []
        self.keys: dict[str, tuple[Any, int]] = {}
        self.deleted: dict[str, int] = {}
        self.fold = StateFold()

    def act(self, action: str, args: Any) -> Any:
        parsed = arguments.parse(action, args, max_timeout_ms=MAX_TIMEOUT_MS)
        return getattr(self, f"_{action}")(parsed)

    def answer(self, action: str, args: Any) -> dict[str, Any]:
        """Return `{ok: value}`, or `{error: {code, ...}}`."""
        try:
            return {"ok": self.act(action, args)}
        except StatehouseError as refused:
            return {"error": refused.as_json()}

    def publish(self, kind: str, data: Any) -> dict[str, Any]:
        sequence = len(self.events) + 1
        event = {"id": f"<event:{sequence}>", "sequence": sequence, "topic": events.TOPIC, "kind": kind, "data": data}
        self.events.append(event)
        self.fold.apply(event)
        return event

    def put(self, key: str, value: Any) -> dict[str, Any]:
        version = self.keys[key][1] if key in self.keys else self.deleted.get(key, 0)
        self.keys[key] = (value, version + 1)
        return {"key": key, "value": value, "version": version + 1}

    def delete(self, key: str) -> dict[str, Any]:
        _, self.deleted[key] = self.keys.pop(key)
        return {"deleted": True, "version": self.deleted[key]}

    @property
    def head(self) -> StoredHead | None:
        return StoredHead(*self.keys[HEAD]) if HEAD in self.keys else None

    def _transition(self, given: TransitionArguments) -> dict[str, Any]:
        head = self.head
        accepted = transitions.trusted(self.fold.status_of(head.value)) if head else None
        if not given.force:
            transitions.check_from(accepted, given.from_)
        event = self.publish("transition", events.proposal_data(given, complexity=None, ts=0))
        pending = heads.pending_head(
            given, transition_id=event["id"], sequence=event["sequence"], complexity=None, ts=0
        )
        self.put(HEAD, pending)
        self.publish("transition.committed", events.committed_data(event["id"], ts=0))
        written = self.put(HEAD, heads.committed_head(pending))
        return {"event": event, "head": {**written["value"], "version": written["version"]}}

    def _history(self, given: HistoryArguments) -> dict[str, Any]:
        return reads.history(
            self.fold,
            self.head,
            label=given.label,
            limit=given.limit,
            include_archived=given.include_archived,
        )

    def _get(self, _given: Any) -> dict[str, Any]:
        return reads.get(self.fold, self.head, goal=self.keys[GOAL][0] if GOAL in self.keys else None)

    def _goal(self, given: arguments.GoalArguments) -> dict[str, Any]:
        described = {} if given.description is None else {"description": given.description}
        return self.put(GOAL, {"check": given.check, **described})

    def _verify(self, given: VerifyArguments) -> dict[str, Any]:
        head, identity = self.head, reads.accepted_identity(self.fold, self.head)
        targets = reads.targets_of(self.fold, head, labels=given.labels, include_archived=given.include_archived)
        outcomes = [self._run(command) for _, command in verification.commands_of(targets)]
        assessed = verification.assess(targets, outcomes, labels_given=given.labels is not None)
        if not assessed.certified:
            self._revoke(assessed, identity)
            for data in events.violated_data(assessed, identity, ts=0):
                self.publish("state.violated", data)
            return verification.report(assessed)
        published = [self.publish("state.certified", data) for data in events.certified_data(assessed, identity, ts=0)]
        return verification.report(assessed, certificate=self._persist(published, identity))

    def _revoke(self, assessed: verification.Verification, identity: heads.HeadIdentity | None) -> None:
        head = self.head
        if head is None or identity is None or "certificate" not in head.value:
            return
        if identity.transition_id in {target.transition_id for target in assessed.targets}:
            self.put(HEAD, certificates.without_certificate(head.value))

    def _persist(self, published: list[dict[str, Any]], identity: heads.HeadIdentity | None) -> dict[str, Any]:
        found = [certificate for certificate in map(certificates.event_certificate, published) if certificate]
        certificate = certificates.certificate_for_head(found, identity)
        head = self.head
        if head is None or identity is None:
            return certificates.certificate_json(certificate, current=False)
        latest = self.fold.outcomes.get(identity.transition_id)
        if not certificates.is_current(certificate, identity, latest):
            return certificates.certificate_json(certificate, current=False)
        value = certificates.with_certificate(head.value, certificate, identity)
        self.put(HEAD, value)
        stored: dict[str, Any] = value["certificate"]
        return stored

    def _run(self, command: str) -> verification.CommandOutcome:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=10,
            check=False,
        )
        status = verification.Status.CONFIRMED if done.returncode == 0 else verification.Status.VIOLATED
        return verification.CommandOutcome(
            status=status,
            exit_code=done.returncode,
            output=done.stdout.decode("utf-8", "replace"),
            output_bytes=len(done.stdout),
            output_digest="sha256:" + sha256(done.stdout).hexdigest(),
        )
