"""The forms of the register apart: what was played, and what a finding of it comes to."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from fabric_app.mesh.http.values import Field
from negotiation_app.pages.controls import REF_HELP, choices, item_fields
from negotiation_app.pages.forms import OperationForm, evidence_of, given, lines, optional
from negotiation_app.protocol.names import Disposition, Role

Json = dict[str, Any]
KINDS = ("ROLE_PLAY", "RED_TEAM")


def _simulation_fields(_state: Json) -> list[Field]:
    return [
        Field("ref", "Name", required=True, help=REF_HELP),
        Field("kind", "Kind", kind="select", choices=choices(KINDS)),
        Field(
            "statements", "What was said", kind="textarea", rows=10, required=True,
            help="One statement a line: who, a colon, what. They are named s1, s2 and so on.",
        ),
    ]  # fmt: skip


def _simulation_body(post: QueryDict) -> Json:
    statements = []
    for number, line in enumerate(lines(post, "statements"), 1):
        speaker, _, text = line.partition(":")
        statements.append({"ref": f"s{number}", "speaker": speaker.strip(), "text": text.strip()})
    return {"simulation": {**{name: given(post, name) for name in ("ref", "kind")}, "statements": statements}}


def _finding_fields(state: Json) -> list[Field]:
    return [
        Field("ref", "Name", required=True, help=f"{REF_HELP} That of an earlier finding reconciles it again."),
        Field("simulation", "Played in", kind="select", choices=choices(state["simulations"], empty="an earlier one")),
        Field("statements", "On which statements", kind="textarea", help="One name a line, such as s1."),
        Field("text", "Finding", kind="textarea"),
        Field("disposition", "It is to be", kind="select", choices=choices(Disposition)),
        Field("rationale", "Because", kind="textarea", required=True),
        Field("supportPropositions", "Independent support: propositions", kind="textarea", help="One name a line."),
        *item_fields(),
    ]


def _finding_body(post: QueryDict) -> Json:
    finding: Json = {"ref": given(post, "ref"), **optional(post, simulation="simulation", text="text")}
    if lines(post, "statements"):
        finding["statements"] = lines(post, "statements")
    support: Json = {}
    if lines(post, "supportPropositions"):
        support["propositions"] = lines(post, "supportPropositions")
    if evidence_of(post):
        support["evidence"] = evidence_of(post)
    told = {"finding": finding, "disposition": given(post, "disposition"), "rationale": given(post, "rationale")}
    return {**told, "support": support} if support else told


ROLEPLAY_FORMS = (
    OperationForm(
        "simulation", "record_simulation", "Record a role-play or a red team",
        "Kept apart: nothing of it is ever evidence.",
        Role.SPECIALIST, _simulation_fields, _simulation_body,
    ),
    OperationForm(
        "finding", "reconcile_finding", "Reconcile a finding",
        "Accepted only with independent support; or to be tested, rejected or deferred.",
        Role.ORCHESTRATOR, _finding_fields, _finding_body,
    ),
)  # fmt: skip
