"""Acts with a preview: what would change is shown first, and what is confirmed is bound to the version that was shown.

One page serves them all: a GET shows the preview, a POST carries it out. Where the session moved since, the page comes
back with the newer preview, the reason that was typed, and a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from fabric_app.mesh.errors import StatehouseError, VersionConflict
from fabric_app.mesh.http.forms import KEY, new_key, text, with_problems
from fabric_app.mesh.http.pages import problem_of, show
from fabric_app.mesh.http.values import Field
from sessions_app.models import Session
from sessions_app.pages.changes_view import groups_of
from sessions_app.pages.doors import in_session, number_in
from sessions_app.pages.entity_rows import moves_of
from sessions_app.pages.event_rows import audit_of
from sessions_app.protocol.configuration_errors import RevisionConflict
from sessions_app.queries import settled

Json = dict[str, Any]
REASON_HELP = "The log keeps it."
MOVED = (VersionConflict, RevisionConflict)


@dataclass(frozen=True)
class Act:
    """One act: how it is called and explained, how it is previewed, and how it is carried out.

    preview: asks nothing but rows of the session that it gets. carry_out: gets the version that was shown and the
    reason, and answers where to go on. needs_reason: None where the act keeps no reason.
    """

    title: str
    explains: str
    button: str
    done: str
    preview: Callable[[Session], Json]
    carry_out: Callable[[int, str], str]
    needs_reason: bool | None = None
    is_grave: bool = True


def act_page(request: HttpRequest, session: Session, act: Act) -> HttpResponse:
    """Show what an act would do, or do it and go on."""
    if request.method != "POST":
        return _preview(request, session, act)
    try:
        onward = act.carry_out(number_in(request, "version"), text(request.POST, "reason"))
    except StatehouseError as error:
        return _preview(request, session, act, error)
    messages.success(request, act.done)
    return redirect(onward)


def _preview(request: HttpRequest, session: Session, act: Act, error: StatehouseError | None = None) -> HttpResponse:
    preview: Json | None = None
    try:
        session, preview = settled(session, act.preview)
    except StatehouseError as refused:
        if error is None:
            # What cannot even be previewed is said on the same page, with no button to press.
            error = refused
    fields, problem = with_problems(_fields(request, act), error, {})
    is_moved = isinstance(error, MOVED)
    context = {
        **in_session(request, session, "session"),
        "title": f"{act.title}: {session.title}",
        "act": act,
        "preview": None if preview is None else _shown(session, preview),
        "version": session.version,
        "fields": fields,
        "problem": problem if problem is not None or error is None or fields_marked(fields) else problem_of(error),
        "is_moved": is_moved,
        KEY: new_key(),
        **audit_of(session),
    }
    return show(request, "sessions_app/act", context, status=200 if error is None else error.status)


def fields_marked(fields: list[Field]) -> bool:
    """Tell whether one of the fields says what is wrong with it."""
    return any(field.errors for field in fields)


def _fields(request: HttpRequest, act: Act) -> list[Field]:
    if act.needs_reason is None:
        return []
    typed = text(request.POST, "reason")
    return [Field("reason", "Reason", typed, kind="textarea", rows=2, required=act.needs_reason, help=REASON_HELP)]


def _shown(session: Session, preview: Json) -> Json:
    revision = preview.get("revision")
    return {
        "groups": groups_of(preview["changes"]),
        "moves": moves_of(session.pk, preview.get("entities", {})),
        "cancelled": preview.get("cancelledTurns", []),
        "revision": revision if revision and revision["before"] != revision["after"] else None,
    }
