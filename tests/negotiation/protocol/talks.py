"""A negotiation in memory for the tests of the protocol: says who does what, keeps the log, moves the clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from negotiation_app.protocol.decide import decide
from negotiation_app.protocol.document import document
from negotiation_app.protocol.names import Role
from negotiation_app.protocol.requests import Context, Decided, Entry, Operation
from negotiation_app.protocol.state import Negotiation

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
RENEWAL: dict[str, Any] = {
    "ref": "renewal",
    "title": "Renewal of a licence",
    "mode": "STANDARD",
    "parties": [
        {"ref": "user", "name": "Halden Kliniken", "side": "OWN"},
        {"ref": "acme", "name": "Acme Inc.", "side": "COUNTERPART"},
        {"ref": "broker", "name": "Nordic Resell", "side": "THIRD"},
    ],
    "issues": [
        {"ref": "fee", "label": "Annual fee", "type": "money", "direction": "LOWER"},
        {"ref": "seats", "label": "Seats", "type": "number", "direction": "HIGHER"},
    ],
}
ROLE_OF = {
    "submit_patch": Role.SPECIALIST,
    "decide": Role.PRINCIPAL,
    "revoke_decision": Role.PRINCIPAL,
    "acknowledge_notification": Role.PRINCIPAL,
}
WITHOUT_VERSION = frozenset(("submit_patch", "preview_patch", "record_simulation", "take_snapshot", *ROLE_OF))


class Talks:
    """What is said to a negotiation goes to its present version, by the role that may say it, an hour later."""

    def __init__(self, **frame: Any) -> None:
        self.clock = MONDAY
        self.state = Negotiation()
        self.log: list[Entry] = []
        self._keep(decide(self.state, Operation("create_negotiation", {**RENEWAL, **frame}), self.context()))

    def context(self, role: Role = Role.ORCHESTRATOR) -> Context:
        return Context(frozenset((role,)), str(role), self.clock)

    def say(self, operation: str, body: dict[str, Any], *, role: Role | None = None) -> dict[str, Any]:
        """Carry an operation out and return its answer. Raises whatever refuses it; nothing is kept then."""
        self.clock += timedelta(hours=1)
        if operation not in WITHOUT_VERSION:
            body = {"stateVersion": self.state.version, **body}
        asked = self.context(role or ROLE_OF.get(operation, Role.ORCHESTRATOR))
        return self._keep(decide(self.state, Operation(operation, body), asked))

    def learn(self, *operations: dict[str, Any], type: str = "NEW_FACT") -> dict[str, Any]:  # noqa: A002
        return self.say("record_event", {"event": {"type": type}, "operations": list(operations)})

    def shown(self) -> dict[str, Any]:
        return document(self.state, self.clock)

    def _keep(self, decided: Decided) -> dict[str, Any]:
        self.state = decided.state
        if decided.entry is not None:
            self.log.append(decided.entry)
        return decided.answer


def usd(amount: str) -> dict[str, Any]:
    return {"type": "money", "amount": amount, "currency": "USD"}


def item(ref: str, kind: str = "DOCUMENT", **more: Any) -> dict[str, Any]:
    return {"ref": ref, "kind": kind, "locator": f"binder, {ref}", **more}


def fact(ref: str, value: dict[str, Any], *evidence: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A proposition about Acme's list price, KNOWN by default."""
    told = {"ref": ref, "subject": "acme", "attribute": "list.fee", "value": value, "status": "KNOWN", **more}
    return {"op": "ADD", "proposition": {**told, "evidence": list(evidence)}}
