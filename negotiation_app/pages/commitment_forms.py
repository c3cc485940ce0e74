"""The forms of what was said beforehand: criteria, their changes, and the override of a review."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from fabric_app.mesh.http.values import Field
from negotiation_app.pages.controls import REF_HELP, VALUE_HELP, choices, item_fields
from negotiation_app.pages.forms import OperationForm, evidence_of, given, lines, optional, value_of
from negotiation_app.protocol.names import Comparator, DecisionKind, Role

Json = dict[str, Any]


def _approvals(state: Json, kind: DecisionKind) -> Field:
    found = [ref for ref, row in state["decisions"].items() if row["status"] == "OPEN" and row["kind"] == kind]
    help_ = "The principal decides first, on the page Decide."
    return Field("decision", "Approved by decision", kind="select", choices=choices(found, empty="none"), help=help_)


def _criterion_fields(state: Json) -> list[Field]:
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("label", "In words", required=True),
        Field("issue", "Issue", kind="select", choices=choices(state["issues"], empty="judged by hand, or a fact")),
        Field("fact", "Or a fact", help="Instead of an issue: its path, such as acme/delivery.weeks."),
        Field("comparator", "Has to be", kind="select", choices=choices(Comparator)),
        Field("value", "Value", help=f"{VALUE_HELP} One a line for one of several."),
        _approvals(state, DecisionKind.APPROVE_CRITERION),
    ]


def _criterion_body(post: QueryDict) -> Json:
    comparator = given(post, "comparator")
    criterion: Json = {name: given(post, name) for name in ("ref", "label")}
    criterion["comparator"] = comparator
    on = optional(post, issue="issue") or optional(post, fact="fact")
    if on:
        criterion["on"] = on
    if given(post, "value"):
        criterion["value"] = _values(post, "value", several=comparator == Comparator.ONE_OF)
    return {"criterion": criterion, **optional(post, decision="decision")}


def _change_fields(state: Json) -> list[Field]:
    return [
        Field("criterion", "Criterion", kind="select", choices=choices(state["criteria"])),
        Field("previousValue", "Previous value", help=f"As it stands. {VALUE_HELP} One a line for one of several."),
        Field("newValue", "New value"),
        Field("reason", "Reason", kind="textarea", required=True),
        *item_fields(),
        _approvals(state, DecisionKind.APPROVE_CRITERION),
    ]


def _change_body(post: QueryDict) -> Json:
    told: Json = {"criterion": given(post, "criterion"), **optional(post, reason="reason", decision="decision")}
    for name in ("previousValue", "newValue"):
        if given(post, name):
            told[name] = _values(post, name, several=len(lines(post, name)) > 1)
    return {**told, "newEvidence": evidence_of(post)} if evidence_of(post) else told


def _override_fields(state: Json) -> list[Field]:
    failed = [ref for ref, row in state["reviews"].items() if row["result"] == "FAIL"]
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("review", "Review", kind="select", choices=choices(failed)),
        Field("reason", "Reason", kind="textarea", required=True),
        _approvals(state, DecisionKind.OVERRIDE_REVIEW),
    ]


def _override_body(post: QueryDict) -> Json:
    override = {name: given(post, name) for name in ("ref", "review", "reason")}
    return {"override": override, **optional(post, decision="decision")}


def _values(post: QueryDict, name: str, *, several: bool) -> Any:
    return [value_of(each) for each in lines(post, name)] if several else value_of(given(post, name))


COMMITMENT_FORMS = (
    OperationForm(
        "criterion", "set_criterion", "Say what you would accept",
        "Before the offers are there, with the principal's approval. Every revision stays.",
        Role.ORCHESTRATOR, _criterion_fields, _criterion_body,
    ),
    OperationForm(
        "criterion-change", "change_criterion", "Change what you would accept",
        "A revision beside the earlier ones: previous and new value, new evidence, reason, approval.",
        Role.ORCHESTRATOR, _change_fields, _change_body,
    ),
    OperationForm(
        "override", "override_review", "Override a review", "The review keeps its result; the override stands beside.",
        Role.ORCHESTRATOR, _override_fields, _override_body,
    ),
)  # fmt: skip
