"""Patches of specialists: the list, and the review with three columns: then, now, proposed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from fabric_app.mesh.errors import NotFound, StatehouseError
from fabric_app.mesh.http.forms import KEY, new_key
from fabric_app.mesh.http.pages import address, page, problem_of, show
from negotiation_app.pages.doors import Held, act, in_negotiation, live_of, readable, state_of, version_in
from negotiation_app.pages.forms import given
from negotiation_app.pages.operate import moved_fields, problems_of, said
from negotiation_app.protocol.row_words import part_in_words
from negotiation_app.protocol.value_words import value_in_words
from negotiation_app.protocol.wording import field_in_words
from negotiation_app.queries import part_of, state_document

Json = dict[str, Any]
REJECT = "reject"


@page
@require_safe
def patches(request: HttpRequest, ref: str) -> HttpResponse:
    """Show the patches, those that wait first."""
    held = readable(request, ref)
    state = state_document(held.row, now=timezone.now())
    rows = [_row(held, name, row) for name, row in reversed(state["patches"].items())]
    context = {
        **in_negotiation(request, held, "negotiation-patches"),
        "patches": sorted(rows, key=lambda row: not row["is_open"]),
    }
    return show(request, "negotiation_app/patches", context, live=live_of(held))


@page
@require_http_methods(["GET", "HEAD", "POST"])
def patch(request: HttpRequest, ref: str, name: str) -> HttpResponse:
    """Show a patch against the state that it was made for and the state as it is, and reconcile or reject it."""
    held = readable(request, ref)
    refused: StatehouseError | None = None
    if request.method == "POST":
        operation, body = _asked(request, name)
        try:
            answer = act(request, held, operation, body)
        except StatehouseError as error:
            refused = error
        else:
            messages.success(request, said(answer, f"Patch {name}"))
            return HttpResponseRedirect(address("negotiation-patch", ref, name))
    held.row.refresh_from_db()
    now = state_document(held.row, now=timezone.now())
    row = now["patches"].get(name)
    if row is None:
        raise NotFound(what="patch", name=name[:100])
    then = state_document(held.row, now=timezone.now(), version=row["stateVersion"])
    is_open = row["status"] in {"SUBMITTED", "PARKED"}
    seen = act(request, held, "preview_patch", {"patch": name}) if is_open else {}
    context = {
        **in_negotiation(request, held, ""),
        "name": name,
        "patch": _row(held, name, row),
        "summary": row.get("summary"),
        "is_open": is_open,
        "operations": [_operation(each, then, now, seen, row) for each in row["operations"]],
        "moved_since": [field_in_words(each) for each in seen.get("changedFields") or []],
        "version": held.row.state_version,
        "form_key": request.POST.get(KEY) or new_key(),
        "typed_reason": request.POST.get("reason", ""),
        "problem": None if refused is None else problem_of(refused),
        "problems": [] if refused is None else problems_of(refused),
        "moved": [] if refused is None else moved_fields(refused),
    }
    status = 200 if refused is None else refused.status
    return show(request, "negotiation_app/patch", context, status=status)


def _asked(request: HttpRequest, name: str) -> tuple[str, Json]:
    """Return the operation that the form asks for: to reject the patch, or to apply what was ticked."""
    version = version_in(request)
    if given(request.POST, "what") == REJECT:
        return "reject_patch", {"stateVersion": version, "patch": name, "reason": given(request.POST, "reason")}
    chosen = request.POST.getlist("accept")
    told: Json = {"stateVersion": version, "patch": name}
    return "reconcile_patch", {**told, "accept": chosen} if chosen else told


def _row(held: Held, name: str, row: Json) -> Json:
    return {
        "ref": name,
        "address": address("negotiation-patch", held.row.ref, name),
        "state": state_of(row["status"]),
        "is_open": row["status"] in {"SUBMITTED", "PARKED"},
        "version": row["stateVersion"],
        "is_stale": row["stateVersion"] != held.row.state_version,
        "by": row.get("submittedBy"),
        "outcomes": row.get("outcomes") or {},
        "rerun_of": row.get("rerunOf"),
    }


def _operation(operation: Json, then: Json, now: Json, seen: Json, row: Json) -> Json:
    name = operation.get("id", "")
    target = operation.get("target") or _target(operation)
    return {
        "id": name,
        "word": str(operation.get("op", "")).replace("_", " ").lower(),
        "target": field_in_words(target),
        "then": _words(part_of(then, target)),
        "now": _words(part_of(now, target)),
        "has_moved": part_of(then, target) != part_of(now, target),
        "proposed": _proposed(operation),
        "reason": operation.get("reason") or operation.get("rationale") or "",
        "is_applicable": name in (seen.get("applicable") or []),
        "is_conflicting": name in (seen.get("conflicting") or []),
        "outcome": (row.get("outcomes") or {}).get(name, ""),
    }


def _target(operation: Json) -> str:
    """Return the field that an ADD would write."""
    for member, family in (("proposition", "propositions"), ("judgement", "judgements"), ("proposal", "proposals")):
        if member in operation:
            return f"{family}/{operation[member].get('ref', '')}"
    if "boundary" in operation:
        return f"boundaries/{operation['boundary'].get('issue')}/{operation['boundary'].get('kind')}"
    return "batna" if "batna" in operation else ""


def _proposed(operation: Json) -> str:
    for member in ("proposition", "judgement", "proposal", "boundary", "batna"):
        if member in operation:
            return part_in_words(operation[member])
    status = operation.get("status")
    return f"{status.replace('_', ' ').lower()}, with evidence" if status else value_in_words(operation.get("value"))


def _words(part: Any) -> str:
    return "not there" if part is None else part_in_words(part)
