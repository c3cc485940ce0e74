"""The value of a namespace looked at closely and corrected; namespaces made, reset and deleted by the host.

Each of them is a configuration that a visible host message owns, which says why. A value that moved meanwhile comes
back beside what was typed.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem, StatehouseError
from fabric_app.mesh.http.filters import position
from fabric_app.mesh.http.forms import idempotency_of, new_key, text, with_problems
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Field
from sessions_app.access import CORRECT
from sessions_app.models import Session
from sessions_app.operations.configurations import correct_state, preview_configuration
from sessions_app.pages.acts import Act, act_page
from sessions_app.pages.doors import in_session, live_of, number_in, on, readable
from sessions_app.pages.event_rows import audit_of
from sessions_app.pages.json_fields import EDITABLE_CHARS, json_in
from sessions_app.pages.printing import cut, pretty
from sessions_app.pages.state_panel import file_of, rest_of
from sessions_app.pages.trees import Tree
from sessions_app.protocol import pointer
from sessions_app.protocol.configuration_errors import RevisionConflict
from sessions_app.protocol.errors import PointerInvalid, ProtocolRefusal
from sessions_app.protocol.projection import Namespace, Projection
from sessions_app.queries import settled
from sessions_app.stored_state import projection_at, stored_projection

Json = dict[str, Any]
PART_CHARS = 50_000
METHODS = ["GET", "HEAD", "POST"]


@page
@require_safe
def value(request: HttpRequest, session_id: uuid.UUID, name: str) -> HttpResponse:
    """Show a value, or one place of it (`path`), from a child or character on (`start`), as it is or was (`at`)."""
    session = readable(request, session_id)
    at = position(request, "at")
    session, projection = settled(
        session, lambda session: stored_projection(session) if at is None else projection_at(session, at)[1]
    )
    namespace = namespace_of(projection, name)
    segments = path_in(request.GET.get("path", ""))
    found = place_in(namespace, segments)
    path, start = pointer.format(segments), position(request, "start") or 0
    is_text = isinstance(found, str)
    shown = found[start : start + PART_CHARS] if is_text else ""
    end = start + len(shown)
    rest = rest_of(session, name, at)
    context = {
        **in_session(request, session, "session"),
        "title": f"{name} of {session.title}",
        "name": name,
        "namespace_title": namespace.definition.title,
        "revision": namespace.revision,
        "at": at,
        "path": path,
        "above": [(each or "/", rest(each, 0)) for each in _above(segments)],
        "start": start,
        "is_text": is_text,
        "shown": shown,
        "more_address": rest(path, end) if is_text and end < len(found) else "",
        "steps": [] if is_text else Tree(rest, file_of(session, name, at)).steps(found, path, start),
        "file_address": file_of(session, name, at),
        "correct_address": address("namespace-correct", session.pk, name, path=path) if at is None else "",
        **audit_of(session),
    }
    return show(request, "sessions_app/value", context, live=live_of(session) if at is None else "")


@page
@require_safe
def value_file(request: HttpRequest, session_id: uuid.UUID, name: str) -> HttpResponseBase:
    """Send the whole value as JSON, as it is or as it was (`at`)."""
    session = readable(request, session_id)
    at = position(request, "at")
    projection = stored_projection(session) if at is None else projection_at(session, at)[1]
    content = dumps(namespace_of(projection, name).value).encode("utf-8", "replace")
    headers = {"Content-Disposition": f'attachment; filename="session-{session.pk}-value.json"'}
    return HttpResponse(content, content_type="application/json", headers=headers)


@page
@require_http_methods(METHODS)
def correct(request: HttpRequest, session_id: uuid.UUID, name: str) -> HttpResponse:
    """Show one place of a value to correct, or correct it: an update with the whole value, and a reason."""
    session = readable(request, session_id, CORRECT)
    segments = path_in(request.GET.get("path", ""))
    if request.method != "POST":
        return _correct_form(request, session, name, segments)
    try:
        given = json_in(request.POST, "value")
        namespace = namespace_of(stored_projection(session), name)
        place_in(namespace, segments)
        correct_state(
            request=_update(name, number_in(request, "revision"), namespace, segments, given),
            reason=text(request.POST, "reason"),
            idempotency=idempotency_of(request),
            **on(request, session),
        )
    except StatehouseError as error:
        return _correct_form(request, readable(request, session_id, CORRECT), name, segments, error)
    notices.success(request, f"{pointer.format(segments) or name} is corrected.")
    return redirect(address("namespace-value", session.pk, name, path=pointer.format(segments)))


@page
@require_http_methods(METHODS)
def reset(request: HttpRequest, session_id: uuid.UUID, name: str) -> HttpResponse:
    """Show what going back to the initial value would change, or do it."""
    session = readable(request, session_id, CORRECT)
    explains = "Its value becomes the initial one again, as a configuration that can be taken back."
    return _configured(request, session, name, "reset", explains)


@page
@require_http_methods(METHODS)
def delete(request: HttpRequest, session_id: uuid.UUID, name: str) -> HttpResponse:
    """Show what deleting a namespace would change, or delete it."""
    session = readable(request, session_id, CORRECT)
    explains = "It goes away with its value, as a configuration that can be taken back."
    return _configured(request, session, name, "delete", explains)


def namespace_of(projection: Projection, name: str) -> Namespace:
    """Return a namespace that is there. Raises NotFound."""
    found = projection.namespaces.get(name)
    if found is None:
        raise NotFound(what="namespace", name=name[:128])
    return found


def path_in(typed: str) -> pointer.Segments:
    """Return the place that an address names. Raises NotFound for what is no path."""
    try:
        return pointer.parse(typed)
    except PointerInvalid:
        raise NotFound(what="place", name=typed[:200]) from None


def place_in(namespace: Namespace, segments: pointer.Segments) -> Any:
    """Return what stands at a place of the value. Raises NotFound."""
    found = pointer.read(namespace.value, segments)
    if not isinstance(found, pointer.Found):
        raise NotFound(what="place", name=pointer.format(segments)[:200])
    return found.value


def replaced(whole: Any, segments: Sequence[str], given: Any) -> Any:
    """Return a value with another one at a place that is there; copied along the way, the rest is shared."""
    if not segments:
        return given
    step, rest = segments[0], segments[1:]
    if isinstance(whole, list):
        index = int(step)
        return [*whole[:index], replaced(whole[index], rest, given), *whole[index + 1 :]]
    return {**whole, step: replaced(whole[step], rest, given)}


def _update(name: str, revision: int, namespace: Namespace, segments: pointer.Segments, given: Any) -> Json:
    return {
        "action": "update",
        "namespace": name,
        "expectedRevision": revision,
        "definition": namespace.definition.as_json(),
        "value": replaced(namespace.value, segments, given),
    }


def _configured(request: HttpRequest, session: Session, name: str, action: str, explains: str) -> HttpResponse:
    namespace_of(stored_projection(session), name)

    def asked(session: Session) -> Json:
        revision = namespace_of(stored_projection(session), name).revision
        return {"action": action, "namespace": name, "expectedRevision": revision}

    def carry_out(version: int, reason: str) -> str:
        correct_state(
            # The version that was shown guards the whole session, this namespace's revision with it.
            request=asked(session),
            reason=reason,
            expected_version=version,
            idempotency=idempotency_of(request),
            **on(request, session),
        )
        return address("session", session.pk)

    act = Act(
        title=f"{action.capitalize()} {name}",
        explains=explains,
        button=f"{action.capitalize()} it",
        done=f"{name}: {action} is done.",
        preview=lambda session: preview_configuration(session=session, request=asked(session)),
        carry_out=carry_out,
        needs_reason=True,
    )
    return act_page(request, session, act)


def _above(segments: pointer.Segments) -> list[str]:
    return [pointer.format(segments[:length]) for length in range(len(segments))]


def _correct_form(
    request: HttpRequest,
    session: Session,
    name: str,
    segments: pointer.Segments,
    error: StatehouseError | None = None,
) -> HttpResponse:
    session, projection = settled(session, stored_projection)
    namespace = namespace_of(projection, name)
    found = place_in(namespace, segments)
    stored = pretty(found, most=EDITABLE_CHARS)
    is_typed = request.method == "POST"
    typed = text(request.POST, "value") if is_typed else stored.shown
    plain = [
        Field("value", "Value", typed, kind="textarea", rows=14, is_machine=True, required=True, help="As JSON."),
        Field("reason", "Reason", text(request.POST, "reason"), required=True,
              help="It stands in the session as a note of the host, and in the log."),
    ]  # fmt: skip
    fields, problem = with_problems(plain, _beside(error, segments), {"definition": "value"})
    is_moved = isinstance(error, RevisionConflict)
    context = {
        **in_session(request, session, "session"),
        "title": f"Correct {name}",
        "name": name,
        "path": pointer.format(segments),
        "revision": namespace.revision,
        "fields": fields,
        "problem": problem,
        "is_moved": is_moved,
        "too_large": bool(stored.left) and not is_typed,
        "newer": cut(pretty(found).shown, EDITABLE_CHARS) if is_moved else None,
        "value_address": address("namespace-value", session.pk, name, path=pointer.format(segments)),
        "formKey": new_key(),
        **audit_of(session),
    }
    return show(request, "sessions_app/correct", context, status=200 if error is None else error.status)


def _beside(error: StatehouseError | None, segments: pointer.Segments) -> StatehouseError | None:
    """Return what the protocol refuses of a value as problems of the form's control, with their places."""
    if not isinstance(error, ProtocolRefusal):
        return error
    base = f"/value{pointer.format(segments)}"
    problems = [
        Problem("/value", each.code, f"{each.path.removeprefix(base) or '/'}: {each.detail}") for each in error.problems
    ]
    return InvalidArguments(problems)
