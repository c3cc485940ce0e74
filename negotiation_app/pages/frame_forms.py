"""The forms of the frame: who takes part, until when, and whether it goes on across exchanges."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from fabric_app.mesh.http.values import Field
from negotiation_app.pages.controls import REF_HELP
from negotiation_app.pages.forms import OperationForm, given
from negotiation_app.protocol.names import Role

Json = dict[str, Any]
YES, NO = "yes", "no"


def _party_fields(_state: Json) -> list[Field]:
    sides = (("THIRD", "neither side's"), ("COUNTERPART", "theirs"), ("OWN", "ours"))
    return [
        Field("ref", "Short name", required=True, help=REF_HELP),
        Field("name", "Name", required=True),
        Field("side", "Side", kind="select", choices=sides),
    ]


def _party_body(post: QueryDict) -> Json:
    return {"party": {name: given(post, name) for name in ("ref", "name", "side")}}


def _deadline_fields(state: Json) -> list[Field]:
    now = state["process"]["deadline"]
    return [
        Field(
            "deadline", "Deadline", value="" if now in {None, "EXPIRED"} else now,
            help="A day, or an instant with its offset; empty for none.",
        ),
        Field("reason", "Reason", kind="textarea", required=True),
    ]  # fmt: skip


def _deadline_body(post: QueryDict) -> Json:
    return {"deadline": given(post, "deadline") or None, "reason": given(post, "reason")}


def _expectation_fields(state: Json) -> list[Field]:
    now = YES if state["negotiation"]["expectedToContinue"] else NO
    return [
        Field(
            "expectedToContinue", "Goes on across exchanges", value=now, kind="select",
            choices=((YES, "yes, the state is kept with every event"), (NO, "no, with material events alone")),
        ),
        Field("reason", "Reason", kind="textarea", required=True),
    ]  # fmt: skip


def _expectation_body(post: QueryDict) -> Json:
    said = given(post, "expectedToContinue")
    return {"expectedToContinue": {YES: True, NO: False}.get(said, said), "reason": given(post, "reason")}


FRAME_FORMS = (
    OperationForm(
        "party", "add_party", "Add a party", "Of either side or of neither. A party stays as it was added.",
        Role.ORCHESTRATOR, _party_fields, _party_body,
    ),
    OperationForm(
        "deadline", "set_deadline", "Set the deadline", "Set it, move it, or clear it; what depends on it is marked.",
        Role.ORCHESTRATOR, _deadline_fields, _deadline_body,
    ),
    OperationForm(
        "expectation", "set_expectation", "Say whether it goes on",
        "In mode STANDARD this decides whether the state is also kept with events that change nothing.",
        Role.ORCHESTRATOR, _expectation_fields, _expectation_body,
    ),
)  # fmt: skip
