"""The definition editor of a namespace: checked while it is typed, by the reader that the product itself uses.

A problem is shown with its place. Saving is a configuration of the host, with a reason.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from fabric_app.mesh.errors import InvalidArguments, Problem, StatehouseError
from fabric_app.mesh.http.forms import KEY, idempotency_of, new_key, text, with_problems
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Field
from sessions_app.access import CORRECT, holds
from sessions_app.limits import protocol_limits
from sessions_app.models import Session
from sessions_app.operations.configurations import correct_state, preview_configuration
from sessions_app.pages.changes_view import groups_of
from sessions_app.pages.doors import in_session, number_in, on, readable
from sessions_app.pages.event_rows import audit_of
from sessions_app.pages.json_fields import EDITABLE_CHARS, json_in
from sessions_app.pages.namespaces import namespace_of
from sessions_app.pages.places import line_of_place
from sessions_app.pages.printing import cut, pretty, whole
from sessions_app.protocol.configuration_errors import InvalidStateRequest, RevisionConflict
from sessions_app.protocol.definition_reading import definition_of
from sessions_app.protocol.errors import ProtocolRefusal
from sessions_app.queries import settled
from sessions_app.stored_state import stored_projection

Json = dict[str, Any]
SHOWN_PROBLEMS = 60
EXAMPLE: Json = {
    "title": "Story",
    "updateMode": "rules-required",
    "schema": {
        "type": "object",
        "properties": {"mood": {"type": "string", "maxLength": 40}, "day": {"type": "integer", "minimum": 1}},
        "required": ["mood", "day"],
        "additionalProperties": False,
    },
    "rules": [
        {"id": "mood", "target": "/mood", "when": "the mood changes", "effect": {"op": "set"}},
        {
            "id": "next-day",
            "target": "/day",
            "when": "a night has passed",
            "effect": {"op": "increment", "minimum": 1, "maximum": 1},
        },
    ],
}
EXAMPLE_VALUE: Json = {"mood": "calm", "day": 1}
METHODS = ["GET", "HEAD", "POST"]


@page
@require_http_methods(METHODS)
def definition(request: HttpRequest, session_id: uuid.UUID, name: str) -> HttpResponse:
    """Show the definition of a namespace, to edit where the account may; or save what was typed."""
    session = readable(request, session_id, CORRECT if request.method == "POST" else "read_session")
    if request.method != "POST":
        return _edit_form(request, session, name)
    try:
        correct_state(
            request=_update(request, name),
            reason=text(request.POST, "reason"),
            idempotency=idempotency_of(request),
            **on(request, session),
        )
    except StatehouseError as error:
        return _edit_form(request, readable(request, session_id, CORRECT), name, error)
    notices.success(request, f"The definition of {name} is another now.")
    return redirect("namespace-definition", session.pk, name)


@page
@require_http_methods(METHODS)
def create(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show the form of a new namespace, or make it."""
    session = readable(request, session_id, CORRECT)
    if request.method != "POST":
        return _new_form(request, session)
    try:
        made = correct_state(
            request=_creation(request),
            reason=text(request.POST, "reason"),
            idempotency=idempotency_of(request),
            **on(request, session),
        )
    except StatehouseError as error:
        return _new_form(request, session, error)
    notices.success(request, f"The namespace {made['namespace']} is there.")
    return redirect("namespace-value", session.pk, made["namespace"])


@page
@require_POST
def check(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Say what is wrong with a definition as it is typed, and where; and what saving it would change."""
    session = readable(request, session_id)
    typed = text(request.POST, "definition")
    try:
        raw = json_in(request.POST, "definition")
        told = _fit(request, session, raw)
    except StatehouseError as error:
        return _verdict(request, problems=_problems(typed, error))
    return _verdict(request, groups=groups_of(told["changes"]), is_good=True)


def _fit(request: HttpRequest, session: Session, raw: Any) -> Json:
    """Return what saving would change. Raises what is wrong with the definition or with values that have to fit."""
    definition_of(raw, protocol_limits())
    projection = stored_projection(session)
    name = text(request.POST, "namespace")
    asked: Json = {"namespace": name, "definition": raw}
    if name in projection.namespaces and "initialValue" not in request.POST:
        asked |= {"action": "update", "expectedRevision": projection.namespaces[name].revision}
    else:
        asked |= {"action": "create", "expectedRevision": 0, "initialValue": json_in(request.POST, "initialValue")}
    return preview_configuration(session=session, request=asked)


def _verdict(request: HttpRequest, **told: Any) -> HttpResponse:
    return render(request, "sessions_app/parts/verdict.html", told)


def _problems(typed: str, error: StatehouseError) -> list[Json]:
    """Return what is wrong, each with its place and, where it stands in the text, the line."""
    if not isinstance(error, InvalidArguments | ProtocolRefusal):
        return [{"path": "", "line": None, "detail": error.sentence()}]
    rows = []
    for problem in error.problems[:SHOWN_PROBLEMS]:
        is_inside = isinstance(error, ProtocolRefusal)
        line = line_of_place(typed, problem.path) if is_inside else None
        rows.append({"path": problem.path if is_inside else "", "line": line, "detail": problem.detail})
    return rows


def _update(request: HttpRequest, name: str) -> Json:
    return {
        "action": "update",
        "namespace": name,
        "expectedRevision": number_in(request, "revision"),
        "definition": json_in(request.POST, "definition"),
    }


def _creation(request: HttpRequest) -> Json:
    return {
        "action": "create",
        "namespace": text(request.POST, "namespace").strip(),
        "expectedRevision": 0,
        "definition": json_in(request.POST, "definition"),
        "initialValue": json_in(request.POST, "initialValue"),
    }


def _edit_form(request: HttpRequest, session: Session, name: str, error: StatehouseError | None = None) -> HttpResponse:
    session, projection = settled(session, stored_projection)
    namespace = namespace_of(projection, name)
    stored = whole(namespace.definition.as_json())
    is_typed = request.method == "POST"
    typed = text(request.POST, "definition") if is_typed else stored
    plain = [_definition_field(typed), _reason_field(request)]
    fields, problem = with_problems(plain, _beside_controls(error, typed, is_new=False), {})
    is_moved = isinstance(error, RevisionConflict)
    context = {
        **in_session(request, session, "session"),
        "title": f"Definition of {name}",
        "name": name,
        "revision": namespace.revision,
        "fields": fields,
        "problem": problem,
        "is_moved": is_moved,
        "newer": cut(stored, EDITABLE_CHARS) if is_moved else None,
        "too_large": len(stored) > EDITABLE_CHARS and not is_typed,
        "is_editable": holds(request.user, CORRECT, session),
        "stored": pretty(namespace.definition.as_json()),
        "check_address": address("definition-check", session.pk),
        KEY: new_key(),
        **audit_of(session),
    }
    return show(request, "sessions_app/definition", context, status=200 if error is None else error.status)


def _new_form(request: HttpRequest, session: Session, error: StatehouseError | None = None) -> HttpResponse:
    is_typed = request.method == "POST"
    typed = text(request.POST, "definition") if is_typed else whole(EXAMPLE)
    initial = text(request.POST, "initialValue") if is_typed else whole(EXAMPLE_VALUE)
    plain = [
        Field("namespace", "Name", text(request.POST, "namespace"), required=True, is_machine=True,
              help="A lower-case letter or digit, then a-z 0-9 . _ : - as in story."),
        _definition_field(typed),
        Field("initialValue", "Initial value", initial, kind="textarea", rows=6, is_machine=True, required=True,
              help="JSON that fits the schema."),
        _reason_field(request),
    ]  # fmt: skip
    fields, problem = with_problems(plain, _beside_controls(error, typed, is_new=True), {})
    context = {
        **in_session(request, session, "session"),
        "title": "New namespace",
        "fields": fields,
        "problem": problem,
        "is_editable": True,
        "check_address": address("definition-check", session.pk),
        KEY: new_key(),
        **audit_of(session),
    }
    return show(request, "sessions_app/definition_new", context, status=200 if error is None else error.status)


def _beside_controls(error: StatehouseError | None, typed: str, *, is_new: bool) -> StatehouseError | None:
    """Return what the protocol refuses as problems of the form's controls, with their places."""
    if isinstance(error, InvalidStateRequest):
        return InvalidArguments([Problem(error.details["path"], error.code, error.details["detail"])])
    if not isinstance(error, ProtocolRefusal):
        return error
    return InvalidArguments([_beside(problem, typed, is_new=is_new) for problem in error.problems])


def _beside(problem: Problem, typed: str, *, is_new: bool) -> Problem:
    if is_new and problem.path.startswith("/initialValue"):
        place = problem.path.removeprefix("/initialValue") or "/"
        return Problem("/initialValue", problem.code, f"{place}: {problem.detail}")
    if problem.path == "/namespace":
        return problem
    if problem.path.startswith(("/value", "/initialValue")):
        said = f"The value that is there does not fit, {problem.path}: {problem.detail}"
        return Problem("/definition", problem.code, said)
    line = line_of_place(typed, problem.path)
    where = f"{problem.path or '/'}{f' (line {line})' if line else ''}"
    return Problem("/definition", problem.code, f"{where}: {problem.detail}")


def _definition_field(typed: str) -> Field:
    return Field(
        "definition", "Definition", typed, kind="textarea", rows=24, is_machine=True, required=True,
        help="JSON: title, description, updateMode, schema, rules. It is checked as you type.",
    )  # fmt: skip


def _reason_field(request: HttpRequest) -> Field:
    why = "It stands in the session as a note of the host, and in the log."
    return Field("reason", "Reason", text(request.POST, "reason"), required=True, help=why)
