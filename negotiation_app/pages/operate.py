"""One page for every form: shown with what the state offers, performed, and shown again with what is wrong.

A version that moved on comes back as the same form with what was typed, and what changed since beside it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.http.forms import KEY, new_key
from fabric_app.mesh.http.pages import address, page, problem_of, show
from fabric_app.mesh.http.values import Field
from negotiation_app.pages.doors import act, in_negotiation, readable, version_in
from negotiation_app.pages.operation_forms import FORMS
from negotiation_app.protocol.decide import FORMS as OPERATIONS
from negotiation_app.protocol.wording import field_in_words
from negotiation_app.queries import state_document

Json = dict[str, Any]


@page
@require_http_methods(["GET", "HEAD", "POST"])
def operate(request: HttpRequest, ref: str, name: str) -> HttpResponse:
    """Show the form of an operation, and perform it."""
    form = FORMS.get(name)
    if form is None:
        raise Http404
    held = readable(request, ref)
    refused: StatehouseError | None = None
    if request.method == "POST":
        body = form.body(request.POST)
        if OPERATIONS[form.operation].writes:
            body["stateVersion"] = version_in(request)
        try:
            answer = act(request, held, form.operation, body)
        except StatehouseError as error:
            refused = error
        else:
            messages.success(request, said(answer, form.title))
            return HttpResponseRedirect(address("negotiation", ref))
    held.row.refresh_from_db()
    state = state_document(held.row, now=timezone.now())
    context = {
        **in_negotiation(request, held, ""),
        "form": form,
        "fields": [_typed(field, request) for field in form.fields(state)],
        "version": held.row.state_version,
        "may": bool(held.roles & OPERATIONS[form.operation].roles),
        "form_key": request.POST.get(KEY) or new_key(),
        "problem": None if refused is None else problem_of(refused),
        "problems": [] if refused is None else problems_of(refused),
        "moved": [] if refused is None else moved_fields(refused),
    }
    return show(request, "negotiation_app/operate", context, status=200 if refused is None else refused.status)


def said(answer: Json, title: str) -> str:
    """Return what an operation did, in a sentence."""
    parts = [f"{title}: done."]
    if answer.get("stateVersion") is not None:
        parts.append(f"The state is at version {answer['stateVersion']}.")
    if answer.get("contradictionsOpened"):
        parts.append(f"Opened: {', '.join(answer['contradictionsOpened'])}.")
    if answer.get("needsReview"):
        parts.append(f"To be looked at again: {', '.join(map(field_in_words, answer['needsReview']))}.")
    parts += [f"{each}." if not str(each).endswith(".") else str(each) for each in answer.get("warnings") or []]
    return " ".join(parts)


def problems_of(error: StatehouseError) -> list[Json]:
    """Return every problem that a refusal lists: its place, its code and its sentence."""
    listed = error.details.get("problems") or error.details.get("errors") or []
    return [each for each in listed if isinstance(each, dict)]


def moved_fields(error: StatehouseError) -> list[str]:
    """Return in words what changed since the version that a refused form was shown at."""
    return [field_in_words(each) for each in error.details.get("changedFields") or []]


def _typed(field: Field, request: HttpRequest) -> Field:
    if request.method != "POST":
        return field
    return replace(field, value=request.POST.get(field.name, "").replace("\r\n", "\n"))
