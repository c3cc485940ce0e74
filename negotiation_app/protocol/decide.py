"""Deciding an operation: the checks in their order, then what it does, as rows to append and the answer.

`prepare` checks role and form; then the caller looks for an answer to the same request under its idempotency key;
`carry_out` checks the version, the subject of the route, the status gate, the refs and the rules. Nothing changes
where anything is refused. Source: canonical negotiation state, section 1, "Order of checks".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.errors import NotFound, VersionConflict
from negotiation_app.protocol.asides import ASIDES
from negotiation_app.protocol.bodies import FORMS
from negotiation_app.protocol.draft import Draft, Source
from negotiation_app.protocol.errors import RoleForbidden
from negotiation_app.protocol.evidence import refuse_tainted_locator
from negotiation_app.protocol.finish import finish
from negotiation_app.protocol.forms import read
from negotiation_app.protocol.gate_of_status import check_gate
from negotiation_app.protocol.references import References
from negotiation_app.protocol.refs_of_writes import source
from negotiation_app.protocol.requests import Context, Decided, Operation
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.times import stamp
from negotiation_app.protocol.writes import WRITES

# Operation -> the member of its body that is the subject of its route, and the table that it is looked up in.
SUBJECTS = {
    "resolve_contradiction": ("contradiction", "contradictions"),
    "reconcile_patch": ("patch", "patches"),
    "reject_patch": ("patch", "patches"),
    "preview_patch": ("patch", "patches"),
    "set_proposal_status": ("proposal", "proposals"),
    "set_concession_status": ("concession", "concessions"),
    "change_criterion": ("criterion", "criteria"),
    "review_judgement": ("judgement", "judgements"),
    "revoke_decision": ("decision", "decisions"),
    "acknowledge_notification": ("notification", "notifications"),
}


@dataclass(frozen=True)
class Prepared:
    """An operation whose role and form are in order."""

    name: str
    body: Mapping[str, Any]


def decide(state: Negotiation, request: Operation, context: Context) -> Decided:
    """Return what the request does to the state. Raises the error of the first group of checks that fails."""
    return carry_out(state, prepare(request, context), context)


def prepare(request: Operation, context: Context) -> Prepared:
    """Check who asks, and the form of what he sends. Raises RoleForbidden, and the form's errors."""
    form = FORMS[request.name]
    if not context.roles & form.roles:
        raise RoleForbidden(operation=request.name, allowed=sorted(form.roles))
    body = read(form.read, request.body)
    if request.name == "submit_patch":
        body["rawOperations"] = request.body["patch"]["operations"]
    return Prepared(request.name, body)


def carry_out(state: Negotiation, prepared: Prepared, context: Context) -> Decided:
    """Check the rest, and work out what the operation does."""
    name, body = prepared.name, prepared.body
    if FORMS[name].writes:
        _check_version(state, body["stateVersion"])
    if name in SUBJECTS:
        _check_subject(state, name, body)
    if name != "create_negotiation":
        check_gate(state, name, body)
    if name in ASIDES:
        return ASIDES[name](state, body, context)
    return _write(state, name, body, context)


def _check_version(state: Negotiation, expected: int) -> None:
    if expected != state.version:
        changed = state.fields_changed_since(expected)
        raise VersionConflict(expected=expected, current=state.version, changedFields=changed)


def _check_subject(state: Negotiation, name: str, body: Mapping[str, Any]) -> None:
    member, table = SUBJECTS[name]
    if body[member] not in getattr(state, table):
        raise NotFound(what=member, name=body[member])


def _write(state: Negotiation, name: str, body: Mapping[str, Any], context: Context) -> Decided:
    write = WRITES[name]
    told = body.get("event") or {}
    at = stamp(context.at)
    event = Source(
        ref=told.get("ref", f"event-{state.seq + 1}"),
        type=write.event_type(state, body),
        occurred_at=told.get("occurredAt", at),
        party=told.get("party"),
        locator=told.get("locator"),
        text=told.get("text"),
        reason=body.get("reason"),
    )
    references = References(state)
    references.take("history", event.ref, "/event/ref")
    source(references, body)
    write.check(references, state, body, context.at)
    references.refuse_if_any()
    refuse_tainted_locator(state, event.locator, "The event")
    draft = Draft(state, context, event, body.get("surface") or {})
    write.act(draft, body)
    return finish(draft, name)
