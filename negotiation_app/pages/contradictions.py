"""One contradiction: both sides with their support, and how it can be resolved."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fabric_app.mesh.errors import NotFound, StatehouseError
from fabric_app.mesh.http.forms import KEY, new_key
from fabric_app.mesh.http.pages import address, page, problem_of, show
from negotiation_app.pages.doors import act, in_negotiation, live_of, readable, state_of, version_in
from negotiation_app.pages.forms import evidence_of, given, optional
from negotiation_app.pages.operate import moved_fields, problems_of, said
from negotiation_app.pages.registers import proposition_row
from negotiation_app.protocol.names import EvidenceKind, Resolution
from negotiation_app.queries import state_document

Json = dict[str, Any]
MEANS = {
    Resolution.UPHOLD: "One of them holds; the others are superseded by it. Needs new evidence, or a decision.",
    Resolution.REPLACE: "Neither holds as stated; send REPLACE by the API with the new proposition.",
    Resolution.DEMOTE: "Nobody can say: every one of them goes back to supported inference.",
    Resolution.COMPATIBLE: "They can stand side by side after all. Needs the principal's decision.",
}


@page
@require_http_methods(["GET", "HEAD", "POST"])
def contradiction(request: HttpRequest, ref: str, name: str) -> HttpResponse:
    """Show a contradiction, and resolve it."""
    held = readable(request, ref)
    refused: StatehouseError | None = None
    if request.method == "POST":
        try:
            answer = act(request, held, "resolve_contradiction", _body(request, name))
        except StatehouseError as error:
            refused = error
        else:
            messages.success(request, said(answer, f"{name} resolved"))
            return HttpResponseRedirect(address("negotiation", ref))
    held.row.refresh_from_db()
    state = state_document(held.row, now=timezone.now())
    row = state["contradictions"].get(name)
    if row is None:
        raise NotFound(what="contradiction", name=name[:100])
    context = {
        **in_negotiation(request, held, ""),
        "name": name,
        "kind": row["kind"].replace("_", " ").lower(),
        "state": state_of(row["status"]),
        "is_open": row["status"] == "OPEN",
        "reason": row["reason"],
        "resolution": row["resolution"],
        "members": [proposition_row(state, each) for each in row["members"]],
        "resolutions": [(each.value, each.value.lower(), words) for each, words in MEANS.items() if each != "REPLACE"],
        "kinds": [each.value for each in EvidenceKind],
        "decisions": [each for each, told in state["decisions"].items() if told["status"] == "OPEN"],
        "version": held.row.state_version,
        "typed": request.POST,
        "form_key": request.POST.get(KEY) or new_key(),
        "problem": None if refused is None else problem_of(refused),
        "problems": [] if refused is None else problems_of(refused),
        "moved": [] if refused is None else moved_fields(refused),
    }
    status = 200 if refused is None else refused.status
    live = "" if request.method == "POST" else live_of(held)
    return show(request, "negotiation_app/contradiction", context, live=live, status=status)


def _body(request: HttpRequest, name: str) -> Json:
    post = request.POST
    body: Json = {
        "stateVersion": version_in(request),
        "contradiction": name,
        "resolution": given(post, "resolution"),
        "reason": given(post, "reason"),
        **optional(post, winner="winner", decision="decision"),
    }
    return {**body, "evidence": evidence_of(post)} if evidence_of(post) else body
