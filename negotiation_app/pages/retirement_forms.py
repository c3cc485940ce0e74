"""The forms that take something out of force: a target, a floor, the BATNA, or a proposal. Rows stay as they were."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from fabric_app.mesh.http.values import Field
from negotiation_app.pages.controls import basis_fields, choices
from negotiation_app.pages.forms import OperationForm, basis_of, given, optional
from negotiation_app.protocol.names import Role

Json = dict[str, Any]
FATES = ("WITHDRAWN", "REJECTED", "EXPIRED", "RECONFIRMED", "RECORDED_IN_ERROR")


def _boundary_fields(state: Json) -> list[Field]:
    in_force = [
        (f"{issue}/{kind}", f"{kind.lower()} of {issue}")
        for issue, bounds in state["boundaries"].items()
        for kind, row in bounds.items()
        if not row["retired"]
    ]
    return [Field("boundary", "Which", kind="select", choices=tuple(in_force)), *basis_fields()]


def _boundary_body(post: QueryDict) -> Json:
    issue, _, kind = given(post, "boundary").partition("/")
    return {"boundary": {"issue": issue, "kind": kind, "basis": basis_of(post)}}


def _batna_fields(_state: Json) -> list[Field]:
    return basis_fields()


def _batna_body(post: QueryDict) -> Json:
    return {"batna": {"basis": basis_of(post)}}


def _proposal_fields(state: Json) -> list[Field]:
    return [
        Field("proposal", "Proposal", kind="select", choices=choices(state["proposals"])),
        Field("status", "Status", kind="select", choices=choices(FATES)),
        Field("reason", "Reason", kind="textarea", required=True),
        Field("correctedBy", "Corrected by", help="For one recorded in error: the name of the right one."),
    ]


def _proposal_body(post: QueryDict) -> Json:
    told = {name: given(post, name) for name in ("proposal", "status", "reason")}
    return {**told, **optional(post, correctedBy="correctedBy")}


RETIREMENT_FORMS = (
    OperationForm(
        "retire-boundary", "retire_boundary", "Retire a target or floor",
        "Nothing is held against it any more. What it was stays in its history.",
        Role.ORCHESTRATOR, _boundary_fields, _boundary_body,
    ),
    OperationForm(
        "retire-batna", "retire_batna", "Retire the BATNA",
        "There is no alternative any more. What it was stays in its history.",
        Role.ORCHESTRATOR, _batna_fields, _batna_body,
    ),
    OperationForm(
        "proposal-status", "set_proposal_status", "What became of a proposal",
        "Appended to its row; the row stays as it was.",
        Role.ORCHESTRATOR, _proposal_fields, _proposal_body,
    ),
)  # fmt: skip
