"""Who has which role, and opening a negotiation."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.http.pages import address, page, problem_of, show
from negotiation_app.access import ADD, CHANGE, require, require_everywhere
from negotiation_app.models import RoleGrant
from negotiation_app.operations.performing import create_negotiation
from negotiation_app.operations.roles import grant_role, role_holders, withdraw_role
from negotiation_app.pages.doors import PLACE, in_negotiation, readable
from negotiation_app.pages.forms import given
from negotiation_app.pages.operate import problems_of
from negotiation_app.protocol.names import Role

Json = dict[str, Any]
SHOWN_GRANTS = 50
EXAMPLE = """{
  "ref": "office-lease",
  "title": "Office lease 2027",
  "mode": "STANDARD",
  "parties": [
    {"ref": "user", "name": "Us", "side": "OWN"},
    {"ref": "landlord", "name": "Landlord", "side": "COUNTERPART"}
  ],
  "issues": [
    {"ref": "rent", "label": "Rent a month", "type": "money", "direction": "LOWER"}
  ]
}"""


@page
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, ref: str) -> HttpResponse:
    """Show the roles in a negotiation; an operator gives them and takes them back."""
    held = readable(request, ref)
    refused: StatehouseError | None = None
    if request.method == "POST":
        try:
            require(request.user, CHANGE, held.row)
            _change_role(request, held.row)
        except StatehouseError as error:
            refused = error
        else:
            messages.success(request, "The roles are changed.")
            return HttpResponseRedirect(address("negotiation-settings", ref))
    grants = RoleGrant.objects.filter(negotiation=held.row).order_by("-id")[:SHOWN_GRANTS]
    context = {
        **in_negotiation(request, held, "negotiation-settings"),
        "holders": role_holders(held.row),
        "grants": grants,
        "all_roles": [each.value for each in Role],
        "typed": request.POST,
        "problem": None if refused is None else problem_of(refused),
    }
    return show(request, "negotiation_app/settings", context, status=200 if refused is None else refused.status)


@page
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """Open a negotiation from its JSON; whoever opens it is its orchestrator."""
    require_everywhere(request.user, ADD)
    refused: StatehouseError | None = None
    typed = request.POST.get("body", EXAMPLE).replace("\r\n", "\n")
    if request.method == "POST":
        try:
            body = _json(typed)
            create_negotiation(body=body, user=request.user, actor=actor_of(request.user), now=timezone.now())
        except StatehouseError as error:
            refused = error
        else:
            return HttpResponseRedirect(address("negotiation", body["ref"]))
    context = {
        "title": "New negotiation",
        "place": PLACE,
        "body": typed,
        "problem": None if refused is None else problem_of(refused),
        "problems": [] if refused is None else problems_of(refused),
    }
    return show(request, "negotiation_app/new", context, status=200 if refused is None else refused.status)


def _change_role(request: HttpRequest, negotiation: Any) -> None:
    role = given(request.POST, "role")
    if role not in set(Role):
        raise InvalidArguments([Problem("/role", "not_allowed", f"must be one of: {', '.join(Role)}.")])
    change = withdraw_role if given(request.POST, "what") == "withdraw" else grant_role
    change(
        negotiation=negotiation,
        account=given(request.POST, "account"),
        role=Role(role),
        reason=given(request.POST, "reason"),
        actor=actor_of(request.user),
        now=timezone.now(),
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InvalidArguments([Problem("", "syntax", f"is not JSON: {fault}.")]) from fault
