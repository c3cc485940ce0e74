"""Sessions themselves: begun, named anew, forked, written out, erased."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fabric_app.mesh.actors import actor_of
from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.http.filters import position
from fabric_app.mesh.http.forms import KEY, idempotency_of, new_key, text, with_problems
from fabric_app.mesh.http.pages import page, show
from fabric_app.mesh.http.values import Field
from sessions_app.access import ADD, ERASE, WRITE, require_everywhere
from sessions_app.models import Session
from sessions_app.operations.documents import export_session
from sessions_app.operations.erasing import copies_of, erase_session
from sessions_app.operations.forks import fork_session
from sessions_app.operations.loading import message_of
from sessions_app.operations.sessions import create_session, rename_session
from sessions_app.pages.definitions import EXAMPLE, EXAMPLE_VALUE
from sessions_app.pages.doors import PLACE, by_whom, in_session, number_in, on, readable
from sessions_app.pages.event_rows import audit_of
from sessions_app.pages.json_fields import json_in
from sessions_app.pages.printing import whole
from sessions_app.protocol.errors import ProtocolRefusal

Json = dict[str, Any]
METHODS = ["GET", "HEAD", "POST"]
SHOWN_COPIES = 20


@page
@require_http_methods(METHODS)
def create(request: HttpRequest) -> HttpResponse:
    """Show the form of a new session, or begin it: with a first namespace, or without any."""
    require_everywhere(request.user, ADD)
    if request.method != "POST":
        return _create_form(request, None)
    try:
        made = create_session(
            title=text(request.POST, "title"),
            bootstrap=_bootstrap(request),
            user=request.user,
            idempotency=idempotency_of(request),
            **by_whom(request),
        )
    except StatehouseError as error:
        return _create_form(request, error)
    notices.success(request, "The session is begun.")
    return redirect("session", made["id"])


@page
@require_http_methods(METHODS)
def fork(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show the form of a fork, from a message (`message`) or as it is; or make it."""
    session = readable(request, session_id)
    require_everywhere(request.user, ADD)
    number = position(request, "message")
    if number is not None:
        message_of(session, number)
    error = None
    if request.method == "POST":
        try:
            made = fork_session(
                session=session,
                message=number,
                title=text(request.POST, "title"),
                user=request.user,
                actor=actor_of(request.user),
                now=timezone.now(),
                idempotency=idempotency_of(request),
            )
        except StatehouseError as refused:
            error = refused
        else:
            notices.success(request, "This is the fork; the session that it comes from stays as it is.")
            return redirect("session", made["id"])
    suggested = f"{session.title[:190]} (fork)"
    typed = text(request.POST, "title") if request.method == "POST" else suggested
    fields, problem = with_problems([Field("title", "Title of the fork", typed, required=True)], error, {})
    context = {
        **in_session(request, session, "session"),
        "title": f"Fork {session.title}",
        "number": number,
        "fields": fields,
        "problem": problem,
        KEY: new_key(),
        **audit_of(session),
    }
    return show(request, "sessions_app/fork", context, status=200 if error is None else error.status)


@page
@require_http_methods(METHODS)
def settings(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show what a session is called and how it is erased, or name it anew; a conflict keeps what was typed."""
    session = readable(request, session_id, WRITE if request.method == "POST" else "read_session")
    if request.method != "POST":
        return _settings_form(request, session)
    try:
        rename_session(
            title=text(request.POST, "title"), expected_version=number_in(request, "version"), **on(request, session)
        )
    except StatehouseError as error:
        return _settings_form(request, readable(request, session_id), error)
    notices.success(request, "The session has another title.")
    return redirect("session-settings", session.pk)


@page
@require_POST
def erase(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Erase a session whole, where its title was typed; what stays is a tombstone with digests."""
    session = readable(request, session_id, ERASE)
    try:
        if text(request.POST, "confirmation").strip() != session.title:
            raise InvalidArguments([Problem("/confirmation", "not_allowed", "Type the title as it stands above.")])
        erased = erase_session(
            reason=text(request.POST, "reason"), expected_version=number_in(request, "version"), **on(request, session)
        )
    except StatehouseError as error:
        return _settings_form(request, readable(request, session_id, ERASE), error)
    notices.success(request, f"Erased with {erased['eventCount']} events. Its last digest was {erased['logDigest']}.")
    return redirect("sessions")


@page
@require_safe
def export(request: HttpRequest, session_id: uuid.UUID) -> HttpResponseBase:
    """Send the whole session as one document, which can be imported again."""
    session = readable(request, session_id)
    parts = json.JSONEncoder(ensure_ascii=False).iterencode(export_session(session))
    headers = {"Content-Disposition": f'attachment; filename="session-{session.pk}.json"'}
    return StreamingHttpResponse(
        (part.encode("utf-8", "replace") for part in parts), content_type="application/json", headers=headers
    )


def _bootstrap(request: HttpRequest) -> Json | None:
    name = text(request.POST, "namespace").strip()
    if not name:
        return None
    namespace = {
        "namespace": name,
        "initialValue": json_in(request.POST, "initialValue"),
        "definition": json_in(request.POST, "definition"),
        "diagnostics": {"lastCommit": []},
    }
    return {"version": 2, "namespaces": [namespace]}


def _create_form(request: HttpRequest, error: StatehouseError | None) -> HttpResponse:
    is_typed = request.method == "POST"
    plain = [
        Field("title", "Title", text(request.POST, "title"), required=True),
        Field("namespace", "First namespace", text(request.POST, "namespace") if is_typed else "story", is_machine=True,
              help="Its name, as in story. Empty: the session begins without state."),
        Field("definition", "Its definition", text(request.POST, "definition") if is_typed else whole(EXAMPLE),
              kind="textarea", rows=16, is_machine=True),
        Field("initialValue", "Its initial value",
              text(request.POST, "initialValue") if is_typed else whole(EXAMPLE_VALUE),
              kind="textarea", rows=5, is_machine=True),
    ]  # fmt: skip
    fields, problem = with_problems(plain, _beside(error), {})
    context = {"title": "New session", "place": PLACE, "fields": fields, "problem": problem, KEY: new_key()}
    return show(request, "sessions_app/session_new", context, status=200 if error is None else error.status)


def _beside(error: StatehouseError | None) -> StatehouseError | None:
    """Return what the protocol refuses of the bootstrap as problems of the form's controls."""
    if not isinstance(error, ProtocolRefusal):
        return error
    found = []
    for problem in error.problems:
        steps = problem.path.split("/")[3:]
        control = steps[0] if steps and steps[0] in ("definition", "initialValue") else "namespace"
        place = "/".join(["", *steps[1:]])
        found.append(Problem(f"/{control}", problem.code, f"{place}: {problem.detail}" if place else problem.detail))
    return InvalidArguments(found)


def _settings_form(request: HttpRequest, session: Session, error: StatehouseError | None = None) -> HttpResponse:
    form = request.POST
    typed = text(form, "title") if "title" in form else session.title
    title, problem = with_problems([Field("title", "Title", typed, required=True)], error, {"reason": "title"})
    plain = [
        Field("reason", "Reason", text(form, "reason"), required=True, help="It stays, with who did it and when."),
        Field("confirmation", "Title, typed again", text(form, "confirmation"), required=True, autocomplete="off"),
    ]
    erasing, _ = with_problems(plain, error, {})
    is_erasing = "confirmation" in form
    context = {
        **in_session(request, session, "session-settings"),
        "title": f"Settings of {session.title}",
        "fields": [Field("title", "Title", typed, required=True)] if is_erasing else title,
        "erasing": erasing if is_erasing else plain,
        "problem": None if is_erasing and any(each.errors for each in erasing) else problem,
        "is_moved": error is not None and "title" in form and number_in(request, "version") != session.version,
        "origin": session.origin if isinstance(session.origin, dict) else None,
        "copies": copies_of(session.pk)[:SHOWN_COPIES] if request.user.has_perm(f"sessions_app.{ERASE}") else [],
        **audit_of(session),
    }
    return show(request, "sessions_app/settings", context, status=200 if error is None else error.status)
