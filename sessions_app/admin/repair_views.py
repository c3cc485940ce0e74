"""Pages of what needs a person in sessions: quarantined entities with their repairs, and log against projection.

Each repair is previewed, asks for a reason and is bound to the version that was seen. A refusal comes back as the same
page with the sentence and the reason that was typed.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from fabric_app.mesh.access import may, visible
from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.admin.cells import plain, pretty
from fabric_app.mesh.admin.reading import BoundedPaginator
from fabric_app.mesh.errors import NotPermitted, StatehouseError
from sessions_app.models import Entity, Session
from sessions_app.operations import check, quarantine
from sessions_app.protocol.events import EntityStatus

READ, REPAIR = "sessions_app.read_session", "sessions_app.repair_session"
ENTITIES_A_PAGE = 50
MOST_CHANGES = 200


@dataclass(frozen=True)
class Repair:
    """One repair of a quarantined entity: its name, what it writes, how it is previewed and carried out."""

    title: str
    writes: str
    preview: Callable[..., dict[str, Any]]
    carry_out: Callable[..., dict[str, Any]]


REPAIRS = {
    "release": Repair(
        "Apply it again",
        "The entity counts again, at its old place in the log; what stands after it is run again, and what then fails "
        "goes into quarantine. An event quarantine.released with your reason.",
        quarantine.preview_release,
        quarantine.release_from_quarantine,
    ),
    "skip": Repair(
        "Skip it for good",
        "The entity never counts again, and needs nobody's attention. The state stays as it is. An event "
        "quarantine.skipped with your reason.",
        quarantine.preview_skip,
        quarantine.skip_quarantined,
    ),
}


def quarantined(request: HttpRequest) -> HttpResponse:
    """List the entities in quarantine, of the sessions that the account can read."""
    found = Entity.objects.filter(status=EntityStatus.QUARANTINED, session__in=visible(request.user, READ, Session))
    rows = found.select_related("session").defer("body").order_by("-id")
    page = BoundedPaginator(rows, ENTITIES_A_PAGE).get_page(request.GET.get("page"))
    told = [
        {
            "entity": row,
            "why": plain(str(row.reason.get("message", ""))),
            "code": plain(str(row.reason.get("code", ""))),
            "may_repair": may(request.user, REPAIR, row.session),
        }
        for row in page
    ]
    return _show(request, "quarantined", title="Quarantined entities", rows=told, page=page, repairs=REPAIRS)


def repair(request: HttpRequest, session_id: uuid.UUID, sequence: int, action: str) -> HttpResponse:
    """Show what a repair of an entity would do, and carry it out."""
    chosen = REPAIRS.get(action)
    if chosen is None:
        raise Http404
    session = _readable(request, session_id)
    reason = request.POST.get("reason", "")
    refused: StatehouseError | None = None
    if request.method == "POST":
        try:
            _require(request, session)
            answer = chosen.carry_out(
                **_written(request, session), sequence=sequence, expected_version=_version(request)
            )
        except StatehouseError as error:
            refused = error
        else:
            return _done(request, session, f"{chosen.title}: event {answer['event']}.")
    context = _preview(session, sequence, chosen)
    return _show(
        request,
        "repair",
        status=200 if refused is None else refused.status,
        title=f"{chosen.title}: entity {sequence}",
        session=session,
        repair=chosen,
        refused=refused,
        reason=reason,
        may_repair=may(request.user, REPAIR, session),
        **context,
    )


def compare(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show in what the rows differ from the log, and write them anew."""
    session = _readable(request, session_id)
    reason = request.POST.get("reason", "")
    refused: StatehouseError | None = None
    if request.method == "POST":
        try:
            _require(request, session)
            answer = quarantine.rebuild_projection(**_written(request, session), expected_version=_version(request))
        except StatehouseError as error:
            refused = error
        else:
            return _done(request, session, f"The projection was written anew: event {answer['event']}.")
    found = check.check_session(session.pk)
    return _show(
        request,
        "compare",
        status=200 if refused is None else refused.status,
        title=f"Log and projection: {session.title}",
        session=session,
        found=found,
        refused=refused,
        reason=reason,
        may_repair=may(request.user, REPAIR, session),
    )


def _preview(session: Session, sequence: int, chosen: Repair) -> dict[str, Any]:
    entity = get_object_or_404(Entity, session=session, sequence=sequence)
    shown: dict[str, Any] = {"entity": entity, "body": pretty(entity.body), "version": session.version}
    try:
        plan = chosen.preview(session=session, sequence=sequence)
    except StatehouseError as error:
        return {**shown, "refusal": error}
    changes = [
        {"namespace": each["namespace"], "change": each["change"], "values": _cut(each["values"])}
        for each in plan["changes"]
    ]
    return {**shown, "plan": plan, "changes": changes, "version": plan["version"]}


def _cut(values: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [
        {
            "path": plain(each["path"]) or "/",
            "before": pretty(each["before"]) if "before" in each else "",
            "after": pretty(each["after"]) if "after" in each else "",
        }
        for each in values[:MOST_CHANGES]
    ]


def _written(request: HttpRequest, session: Session) -> dict[str, Any]:
    reason = request.POST.get("reason", "")
    return {"session_id": session.pk, "reason": reason, "actor": actor_of(request.user), "now": timezone.now()}


def _require(request: HttpRequest, session: Session) -> None:
    if not may(request.user, REPAIR, session):
        raise NotPermitted(permission="repair_session", target=f"session {session.title}")


def _version(request: HttpRequest) -> int:
    text = request.POST.get("version", "")
    # A form that was not ours names no version that exists.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else -1  # noqa: PLR2004 - 2^53 has 16


def _readable(request: HttpRequest, session_id: uuid.UUID) -> Session:
    session = get_object_or_404(Session, pk=session_id)
    if not may(request.user, READ, session):
        raise Http404
    return session


def _done(request: HttpRequest, session: Session, sentence: str) -> HttpResponse:
    messages.success(request, sentence)
    return HttpResponseRedirect(reverse("admin:sessions_app_session_change", args=[session.pk]))


def _show(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
    full = {**admin.site.each_context(request), "opts": Session._meta, **context}
    return TemplateResponse(request, f"admin/sessions_app/{template}.html", full, status=status)
