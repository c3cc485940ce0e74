"""The forms there are: the commonest operations of orchestrator, principal and specialist."""

from __future__ import annotations

import json
from typing import Any

from django.http import QueryDict

from fabric_app.mesh.http.values import Field
from negotiation_app.pages.commitment_forms import COMMITMENT_FORMS
from negotiation_app.pages.controls import (
    REF_HELP,
    VALUE_HELP,
    basis_fields,
    choices,
    item_fields,
    source_fields,
)
from negotiation_app.pages.forms import (
    OperationForm,
    basis_of,
    evidence_of,
    given,
    lines,
    optional,
    value_of,
    values_of,
)
from negotiation_app.pages.frame_forms import FRAME_FORMS
from negotiation_app.pages.retirement_forms import RETIREMENT_FORMS
from negotiation_app.pages.roleplay_forms import ROLEPLAY_FORMS
from negotiation_app.protocol.names import (
    BoundaryKind,
    Certainty,
    DecisionKind,
    JudgementKind,
    Role,
    Status,
)

Json = dict[str, Any]
EVENTS = (
    "NEW_FACT", "COUNTERPART_MESSAGE", "USER_MESSAGE", "THIRD_PARTY_INPUT", "RESEARCH_RESULT", "DOCUMENT_RECEIVED",
    "COUNTERPART_WITHDREW", "COUNTERPART_RETURNED", "DEADLINE_EXPIRED",
)  # fmt: skip
LATER = ("GRANTED", "RECIPROCATED", "REGRETTED", "WITHDRAWN", "DECLINED", "EXPIRED", "RECORDED_IN_ERROR")


def _event_fields(state: Json) -> list[Field]:
    return [
        Field("type", "What happened", kind="select", choices=choices(EVENTS)),
        Field("party", "By whom", kind="select", choices=choices(state["parties"], empty="nobody of the parties")),
        *source_fields(),
        Field("ref", "Proposition: name", help="Leave empty for an event without a proposition."),
        Field("subject", "Proposition: about whom or what", help="A party, market, negotiation, or another subject."),
        Field("attribute", "Proposition: which attribute", help="Such as budget.max or position.fee."),
        Field("value", "Proposition: value", help=VALUE_HELP),
        Field("asOf", "As of", help="2026, 2026-Q1, 2026-03, 2026-03-14; empty for always."),
        Field("status", "How sure", kind="select", choices=choices(Certainty)),
        Field("rationale", "Why it is plausible", kind="textarea"),
        *item_fields(),
    ]


def _event_body(post: QueryDict) -> Json:
    event = {"type": given(post, "type"), **optional(post, party="party", locator="locator", text="text")}
    if not given(post, "ref"):
        return {"event": event}
    proposition: Json = {
        "ref": given(post, "ref"),
        "subject": given(post, "subject"),
        "attribute": given(post, "attribute"),
        "status": given(post, "status"),
        **optional(post, asOf="asOf", party="party", rationale="rationale"),
    }
    if given(post, "value"):
        proposition["value"] = value_of(given(post, "value"))
    if evidence_of(post):
        proposition["evidence"] = evidence_of(post)
    return {"event": event, "operations": [{"op": "ADD", "proposition": proposition}]}


def _proposal_fields(state: Json) -> list[Field]:
    example = "\n".join(f"{issue}: " for issue in state["issues"])
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("side", "Whose", kind="select", choices=(("COUNTERPART", "theirs"), ("OWN", "ours"))),
        Field("terms", "Terms", value=example, kind="textarea", rows=5, help=f"One issue a line. {VALUE_HELP}"),
        Field("amends", "Amends", kind="select", choices=choices(state["proposals"], empty="a new package")),
        Field("validUntil", "Valid until", help="A day, or an instant with its offset."),
        *source_fields(),
    ]


def _proposal_body(post: QueryDict) -> Json:
    terms = {name: value for name, value in values_of(given(post, "terms")).items() if value.get("value") != ""}
    proposal = {"ref": given(post, "ref"), "side": given(post, "side"), "terms": terms}
    event = optional(post, locator="locator", text="text")
    told: Json = {"proposal": {**proposal, **optional(post, amends="amends", validUntil="validUntil")}}
    return {**told, "event": event} if event else told


def _concession_fields(state: Json) -> list[Field]:
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("side", "Whose", kind="select", choices=(("OWN", "ours"), ("COUNTERPART", "theirs"))),
        Field("issue", "Issue", kind="select", choices=choices(state["issues"])),
        Field("from", "From", required=True, help=VALUE_HELP),
        Field("to", "To", required=True),
        Field("state", "State", kind="select", choices=choices(("OFFERED", "GRANTED"))),
        Field("condition", "On what condition"),
        Field("inExchangeFor", "In exchange for", kind="textarea", help="Names of concessions, one a line."),
    ]


def _concession_body(post: QueryDict) -> Json:
    concession = {name: given(post, name) for name in ("ref", "side", "issue", "state")}
    moved = {name: value_of(given(post, name)) for name in ("from", "to")}
    exchange = {"inExchangeFor": lines(post, "inExchangeFor")} if lines(post, "inExchangeFor") else {}
    return {"concession": {**concession, **moved, **optional(post, condition="condition"), **exchange}}


def _concession_status_fields(state: Json) -> list[Field]:
    return [
        Field("concession", "Concession", kind="select", choices=choices(state["concessions"])),
        Field("status", "Status", kind="select", choices=choices(LATER)),
        Field("reason", "Reason", kind="textarea", required=True),
        Field("correctedBy", "Corrected by", help="For one recorded in error: the name of the right one."),
    ]


def _concession_status_body(post: QueryDict) -> Json:
    told = {name: given(post, name) for name in ("concession", "status", "reason")}
    return {**told, **optional(post, correctedBy="correctedBy")}


def _boundary_fields(state: Json) -> list[Field]:
    return [
        Field("issue", "Issue", kind="select", choices=choices(state["issues"])),
        Field("kind", "Which", kind="select", choices=choices(BoundaryKind)),
        Field("value", "Value", required=True, help=VALUE_HELP),
        *basis_fields(),
    ]


def _boundary_body(post: QueryDict) -> Json:
    named = {"issue": given(post, "issue"), "kind": given(post, "kind")}
    return {"boundary": {**named, "value": value_of(given(post, "value")), "basis": basis_of(post)}}


def _batna_fields(state: Json) -> list[Field]:
    example = "\n".join(f"{issue}: " for issue in state["issues"])
    return [
        Field("description", "What we do without a deal", kind="textarea", required=True),
        Field(
            "terms", "What it is worth", value=example, kind="textarea", rows=5, help=f"One issue a line. {VALUE_HELP}"
        ),
        Field("validUntil", "Valid until"),
        *basis_fields(),
    ]


def _batna_body(post: QueryDict) -> Json:
    terms = {name: value for name, value in values_of(given(post, "terms")).items() if value.get("value") != ""}
    batna = {"description": given(post, "description"), "terms": terms, "basis": basis_of(post)}
    return {"batna": {**batna, **optional(post, validUntil="validUntil")}}


def _judgement_fields(state: Json) -> list[Field]:
    kept = choices(state["judgements"], empty="none")
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("kind", "Kind", kind="select", choices=choices(JudgementKind)),
        Field("text", "Judgement", kind="textarea", required=True),
        Field("recommendation", "Recommendation", kind="textarea"),
        Field(
            "dependsOn", "Depends on", kind="textarea", required=True,
            help="One path a line: offers/COUNTERPART, batna, facts/acme/budget.max, strategy.",
        ),
        Field("supersedes", "Takes the place of", kind="select", choices=kept),
    ]  # fmt: skip


def _judgement_body(post: QueryDict) -> Json:
    judgement = {name: given(post, name) for name in ("ref", "kind", "text")}
    later = optional(post, recommendation="recommendation", supersedes="supersedes")
    return {"judgement": {**judgement, "dependsOn": lines(post, "dependsOn"), **later}}


def _judgement_review_fields(state: Json) -> list[Field]:
    return [
        Field("judgement", "Judgement", kind="select", choices=choices(state["judgements"])),
        Field("outcome", "Outcome", kind="select", choices=choices(("REAFFIRM", "RETIRE"))),
        Field("reason", "Reason", kind="textarea", required=True),
    ]


def _judgement_review_body(post: QueryDict) -> Json:
    return {name: given(post, name) for name in ("judgement", "outcome", "reason")}


def _review_fields(state: Json) -> list[Field]:
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("proposal", "Proposal", kind="select", choices=choices(state["proposals"])),
    ]


def _review_body(post: QueryDict) -> Json:
    return {"review": {"ref": given(post, "ref"), "proposal": given(post, "proposal")}}


def _status_fields(state: Json) -> list[Field]:
    open_decisions = [ref for ref, row in state["decisions"].items() if row["status"] == "OPEN"]
    return [
        Field("to", "To", kind="select", choices=choices(Status)),
        Field("causeEvent", "Because of event", help="The name of a history event, such as event-12."),
        Field("decision", "By decision", kind="select", choices=choices(open_decisions, empty="none")),
        Field("outcome", "Outcome", kind="select", choices=choices(("AGREED", "OTHER"), empty="not for this move")),
        Field(
            "acceptedProposal", "Accepted proposal", kind="select",
            choices=choices(state["proposals"], empty="none"),
        ),
        Field("reason", "Reason", kind="textarea"),
    ]  # fmt: skip


def _status_body(post: QueryDict) -> Json:
    names = ("causeEvent", "decision", "outcome", "acceptedProposal", "reason")
    return {"to": given(post, "to"), **optional(post, **{name: name for name in names})}


def _decision_fields(_state: Json) -> list[Field]:
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("kind", "What is decided", kind="select", choices=choices(DecisionKind)),
        Field("subject", "About", help="The proposal, criterion, review or contradiction that it is about."),
        Field("value", "Value", kind="textarea", help="JSON, where the kind asks for one."),
        Field("reason", "Reason", kind="textarea", required=True),
    ]


def _decision_body(post: QueryDict) -> Json:
    decision: Json = {
        "ref": given(post, "ref"),
        "kind": given(post, "kind"),
        "reason": given(post, "reason"),
        "seenVersion": _seen(post),
        **optional(post, subject="subject"),
    }
    if given(post, "value"):
        decision["value"] = json_or_text(given(post, "value"))
    return {"decision": decision}


def _patch_fields(state: Json) -> list[Field]:
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("summary", "In a sentence"),
        Field(
            "operations", "Operations", kind="textarea", rows=12, is_machine=True, required=True,
            help="A JSON list of ADD, UPDATE_WITH_EVIDENCE, SUPERSEDE, FLAG_CONTRADICTION, each with an id.",
        ),
        Field("rerunOf", "Rerun of", kind="select", choices=choices(state["patches"], empty="none")),
    ]  # fmt: skip


def _patch_body(post: QueryDict) -> Json:
    patch = {
        "ref": given(post, "ref"),
        "stateVersion": _seen(post),
        "operations": json_or_text(given(post, "operations")),
    }
    return {"patch": {**patch, **optional(post, summary="summary", rerunOf="rerunOf")}}


def _seen(post: QueryDict) -> int:
    text = post.get("stateVersion", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1  # noqa: PLR2004 - 2^53 has 16


def json_or_text(text: str) -> Any:
    """Return what the text says as JSON, and the text itself where it is none; the protocol then says what it wants."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


_ORCHESTRATOR, _PRINCIPAL, _SPECIALIST = Role.ORCHESTRATOR, Role.PRINCIPAL, Role.SPECIALIST
FORMS = {
    form.name: form
    for form in (
        OperationForm(
            "event", "record_event", "Record an event", "What happened, and what it lets us state.",
            _ORCHESTRATOR, _event_fields, _event_body,
        ),
        OperationForm(
            "proposal", "record_proposal", "Record a proposal", "A package of either side. Earlier ones stay.",
            _ORCHESTRATOR, _proposal_fields, _proposal_body,
        ),
        OperationForm(
            "concession", "record_concession", "Record a concession", "A row of the ledger, which is never rewritten.",
            _ORCHESTRATOR, _concession_fields, _concession_body,
        ),
        OperationForm(
            "concession-status", "set_concession_status", "What became of a concession",
            "Appended to its row; the row stays as it was.",
            _ORCHESTRATOR, _concession_status_fields, _concession_status_body,
        ),
        OperationForm(
            "boundary", "set_boundary", "Set a target or floor", "With what it rests on. The earlier value stays.",
            _ORCHESTRATOR, _boundary_fields, _boundary_body,
        ),
        OperationForm(
            "batna", "set_batna", "Set the BATNA", "What we do without a deal, and what it rests on.",
            _ORCHESTRATOR, _batna_fields, _batna_body,
        ),
        OperationForm(
            "judgement", "record_judgement", "Record a judgement",
            "With what it depends on, so that it is looked at again when that changes.",
            _ORCHESTRATOR, _judgement_fields, _judgement_body,
        ),
        OperationForm(
            "judgement-review", "review_judgement", "Look at a judgement again", "It still holds, or it is retired.",
            _ORCHESTRATOR, _judgement_review_fields, _judgement_review_body,
        ),
        OperationForm(
            "review", "review_deal", "Review a proposal", "Against criteria, floors and BATNA. Its result stays.",
            _ORCHESTRATOR, _review_fields, _review_body,
        ),
        OperationForm(
            "status", "change_status", "Change the status", "Every change names its cause.",
            _ORCHESTRATOR, _status_fields, _status_body,
        ),
        OperationForm(
            "decision", "decide", "Decide", "The orchestrator can cite it once, as long as what you saw still holds.",
            _PRINCIPAL, _decision_fields, _decision_body,
        ),
        OperationForm(
            "patch", "submit_patch", "Propose a patch", "Against the version that you read.",
            _SPECIALIST, _patch_fields, _patch_body,
        ),
        *COMMITMENT_FORMS,
        *ROLEPLAY_FORMS,
        *FRAME_FORMS,
        *RETIREMENT_FORMS,
    )
}  # fmt: skip
