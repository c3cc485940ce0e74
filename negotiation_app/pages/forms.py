"""Forms for operations: a table of forms, each of which makes the body that the operation takes.

A value is typed in short (`182000 USD/year`, `5 %`, `30 days`, `2026-03-31`, `yes`) or as JSON; the protocol says what
is wrong with it. A form holds no rule: what it sends is what the API would take.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from fabric_app.mesh.http.values import Field
from negotiation_app.protocol.names import Role

Json = dict[str, Any]
_MONEY = re.compile(r"(-?[0-9.]+)\s*([A-Z]{3})(?:\s*/\s*([a-z_]+))?(?:\s+(net|gross))?")
_PERCENT = re.compile(r"(-?[0-9.]+)\s*(%|bps)")
_DURATION = re.compile(r"(-?[0-9.]+)\s*(minute|hour|day|week|month|quarter|year|business_day)s?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T\S+)?")
_NUMBER = re.compile(r"(-?[0-9.]+)(?:\s+(\S{1,20}))?")
_BOOLEANS = {"yes": True, "no": False}


@dataclass(frozen=True)
class OperationForm:
    """One form: the operation that it performs, who may, its controls, and how they become a body."""

    name: str
    operation: str
    title: str
    lead: str
    role: Role
    fields: Callable[[Json], list[Field]]
    body: Callable[[QueryDict], Json]
    names: tuple[str, ...] = field(default=())


def value_of(text: str) -> Any:
    """Return the value that was typed; what fits no short form is sent as a text value, JSON as it is."""
    typed = text.strip()
    if typed.startswith("{"):
        return _json(typed)
    for read in (_money, _percent, _duration, _date, _boolean, _number):
        value = read(typed)
        if value is not None:
            return value
    return {"type": "text", "value": typed}


def values_of(text: str) -> Json:
    """Return terms that were typed, a line each: `fee: 182000 USD/year`."""
    terms = {}
    for line in text.splitlines():
        name, mark, rest = line.partition(":")
        if mark and name.strip():
            terms[name.strip()] = value_of(rest)
    return terms


def given(post: QueryDict, name: str) -> str:
    return post.get(name, "").replace("\r\n", "\n").strip()


def optional(post: QueryDict, **members: str) -> Json:
    """Return the members whose controls say something."""
    return {member: given(post, name) for member, name in members.items() if given(post, name)}


def lines(post: QueryDict, name: str) -> list[str]:
    return [line.strip() for line in given(post, name).splitlines() if line.strip()]


def evidence_of(post: QueryDict, prefix: str = "evidence") -> list[Json]:
    """Return the evidence item that a form describes; none where its ref was left empty."""
    ref = given(post, f"{prefix}Ref")
    if not ref:
        return []
    members = {"kind": f"{prefix}Kind", "locator": f"{prefix}Locator", "quote": f"{prefix}Quote"}
    return [{"ref": ref, **optional(post, **members, statedAs=f"{prefix}StatedAs")}]


def basis_of(post: QueryDict) -> Json:
    """Return the basis that a form describes: a reason, and what it rests on."""
    basis: Json = optional(post, reason="basisReason", decision="basisDecision")
    if lines(post, "basisPropositions"):
        basis["propositions"] = lines(post, "basisPropositions")
    if evidence_of(post):
        basis["evidence"] = evidence_of(post)
    return basis


def _money(text: str) -> Json | None:
    found = _MONEY.fullmatch(text)
    if found is None:
        return None
    optional_members = {"per": found[3], "qualifier": found[4]}
    told = {"type": "money", "amount": found[1], "currency": found[2]}
    return told | {name: value for name, value in optional_members.items() if value}


def _percent(text: str) -> Json | None:
    found = _PERCENT.fullmatch(text)
    return None if found is None else {"type": "percent", "amount": found[1], "unit": found[2]}


def _duration(text: str) -> Json | None:
    found = _DURATION.fullmatch(text)
    return None if found is None else {"type": "duration", "amount": found[1], "unit": found[2]}


def _date(text: str) -> Json | None:
    return {"type": "date", "value": text} if _DATE.fullmatch(text) else None


def _boolean(text: str) -> Json | None:
    return {"type": "boolean", "value": _BOOLEANS[text]} if text in _BOOLEANS else None


def _number(text: str) -> Json | None:
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    told = {"type": "number", "amount": found[1]}
    return told if found[2] is None else {**told, "unit": found[2]}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"type": "text", "value": text}
