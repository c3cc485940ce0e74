"""The principal's inbox: what has to be known, and the decisions that can be cited."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.http.pages import address, page, problem_of, show
from negotiation_app.pages.doors import act, in_negotiation, live_of, readable, state_of
from negotiation_app.pages.forms import given
from negotiation_app.protocol.row_words import part_in_words
from negotiation_app.protocol.wording import change_in_words
from negotiation_app.queries import state_document

Json = dict[str, Any]


@page
@require_http_methods(["GET", "HEAD", "POST"])
def inbox(request: HttpRequest, ref: str) -> HttpResponse:
    """Show notifications and decisions; acknowledge one, or revoke one."""
    held = readable(request, ref)
    refused: StatehouseError | None = None
    if request.method == "POST":
        operation, body, sentence = _asked(request)
        try:
            act(request, held, operation, body)
        except StatehouseError as error:
            refused = error
        else:
            messages.success(request, sentence)
            return HttpResponseRedirect(address("negotiation-inbox", ref))
    state = state_document(held.row, now=timezone.now())
    notifications = [_notification(name, row) for name, row in reversed(state["notifications"].items())]
    context = {
        **in_negotiation(request, held, "negotiation-inbox"),
        "notifications": sorted(notifications, key=lambda row: row["is_acknowledged"]),
        "decisions": [_decision(name, row) for name, row in reversed(state["decisions"].items())],
        "problem": None if refused is None else problem_of(refused),
    }
    status = 200 if refused is None else refused.status
    live = "" if request.method == "POST" else live_of(held)
    return show(request, "negotiation_app/inbox", context, live=live, status=status)


def _asked(request: HttpRequest) -> tuple[str, Json, str]:
    name = given(request.POST, "name")
    if given(request.POST, "what") == "revoke":
        body = {"decision": name, "reason": given(request.POST, "reason")}
        return "revoke_decision", body, f"The decision {name} is revoked."
    return "acknowledge_notification", {"notification": name}, f"{name} is acknowledged."


def _notification(name: str, row: Json) -> Json:
    return {
        "ref": name,
        "triggers": [each.replace("_", " ").lower() for each in row["triggers"]],
        "new_evidence": row["newEvidence"],
        "prior_view": row["priorView"],
        "changed": row["changedRecommendation"],
        "changes": [change_in_words(each) for each in row["changes"]],
        "is_acknowledged": row["acknowledged"],
    }


def _decision(name: str, row: Json) -> Json:
    return {
        "ref": name,
        "kind": row["kind"].replace("_", " ").lower(),
        "subject": row.get("subject"),
        "value": "" if row.get("value") is None else part_in_words(row["value"]),
        "reason": row["reason"],
        "seen": row["seenVersion"],
        "state": state_of(row["status"]),
        "is_open": row["status"] == "OPEN",
    }
