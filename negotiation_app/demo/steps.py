"""What a told negotiation is made of: who does what, and short ways to write values and evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from negotiation_app.protocol.names import Role

Json = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One operation. `days` after the story's beginning; `refused` with this code, where the story expects that."""

    role: Role
    operation: str
    body: Json
    refused: str | None = None


@dataclass(frozen=True)
class Story:
    """A negotiation to tell: how it is opened, and its steps."""

    opening: Json
    steps: tuple[Step, ...]


def orchestrate(operation: str, refused: str | None = None, **body: Any) -> Step:
    return Step(Role.ORCHESTRATOR, operation, body, refused)


def specialise(operation: str, **body: Any) -> Step:
    return Step(Role.SPECIALIST, operation, body)


def decide(ref: str, kind: str, reason: str, **members: Any) -> Step:
    return Step(Role.PRINCIPAL, "decide", {"decision": {"ref": ref, "kind": kind, "reason": reason, **members}})


def money(amount: str, currency: str, per: str | None = None) -> Json:
    priced = {"type": "money", "amount": amount, "currency": currency}
    return priced if per is None else {**priced, "per": per}


def number(amount: str, unit: str | None = None) -> Json:
    counted = {"type": "number", "amount": amount}
    return counted if unit is None else {**counted, "unit": unit}


def evidence(ref: str, kind: str, locator: str, quote: str | None = None, stated_as: str | None = None) -> Json:
    item = {"ref": ref, "kind": kind, "locator": locator}
    optional = {"quote": quote, "statedAs": stated_as}
    return item | {name: value for name, value in optional.items() if value is not None}


def add(ref: str, subject: str, attribute: str, value: Json, *, status: str, item: Json, **members: Any) -> Json:
    """Return an ADD operation of one proposition with one evidence item."""
    stated = {"ref": ref, "subject": subject, "attribute": attribute, "value": value, "status": status}
    return {"op": "ADD", "id": ref, "proposition": {**stated, "evidence": [item], **members}}
