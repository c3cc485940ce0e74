"""The page that holds a negotiation's projection against its log, and writes it anew.

A repair is previewed, asks for a reason and is bound to the version that was seen. A refusal comes back as the same
page with the sentence and the reason that was typed.
"""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from fabric_app.mesh.access import may
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import StatehouseError
from negotiation_app.access import REPAIR, require, roles_of
from negotiation_app.admin.showing import show
from negotiation_app.models import Negotiation
from negotiation_app.operations.check import compare_negotiation
from negotiation_app.operations.repairs import rebuild_projection

MOST_ROWS = 200


def compare(request: HttpRequest, negotiation_id: uuid.UUID) -> HttpResponse:
    """Show in what the rows differ from the log, and write them anew."""
    negotiation = _readable(request, negotiation_id)
    refused: StatehouseError | None = None
    if request.method == "POST":
        try:
            return _rebuilt(request, negotiation)
        except StatehouseError as error:
            refused = error
            negotiation.refresh_from_db()
    return show(
        request,
        "compare",
        status=200 if refused is None else refused.status,
        title=f"Log and projection: {negotiation.ref}",
        negotiation=negotiation,
        found=compare_negotiation(negotiation.ref, most=MOST_ROWS),
        most=MOST_ROWS,
        refused=refused,
        reason=request.POST.get("reason", ""),
        may_repair=may(request.user, f"negotiation_app.{REPAIR}", negotiation),
    )


def _rebuilt(request: HttpRequest, negotiation: Negotiation) -> HttpResponse:
    require(request.user, REPAIR, negotiation)
    answer = rebuild_projection(
        negotiation_id=negotiation.pk,
        reason=request.POST.get("reason", ""),
        actor=actor_of(request.user),
        now=timezone.now(),
        expected_version=_version(request),
    )
    messages.success(request, f"The projection was written anew: entry {answer['sequence']}.")
    return HttpResponseRedirect(reverse("admin:negotiation_app_negotiation_change", args=[negotiation.pk]))


def _version(request: HttpRequest) -> int:
    text = request.POST.get("version", "")
    # A form that was not ours names no version that exists.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1  # noqa: PLR2004 - 2^53 has 16


def _readable(request: HttpRequest, negotiation_id: uuid.UUID) -> Negotiation:
    negotiation = Negotiation.objects.filter(pk=negotiation_id).first()
    if negotiation is None or not roles_of(request.user, negotiation):
        raise Http404
    return negotiation
