"""Messages: said, read whole, edited, deleted; replies regenerated and their variants chosen."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fabric_app.mesh.errors import InvalidArguments, NotFound, Problem, StatehouseError, VersionConflict
from fabric_app.mesh.http.filters import flag, position
from fabric_app.mesh.http.forms import idempotency_of, text, with_problems
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Field, moment_of_ms
from sessions_app.access import CORRECT, WRITE, session_for
from sessions_app.models import Session, Variant
from sessions_app.operations import messages, turns
from sessions_app.operations.loading import message_of, reply_of
from sessions_app.pages.acts import Act, act_page
from sessions_app.pages.doors import in_session, live_of, number_in, on, readable
from sessions_app.pages.entity_rows import entity_row
from sessions_app.pages.event_rows import audit_of
from sessions_app.pages.json_fields import EDITABLE_CHARS
from sessions_app.pages.printing import cut
from sessions_app.pages.session import say_fields, session_page
from sessions_app.protocol.events import Role
from sessions_app.queries import messages_json, said_in, variants_json
from sessions_app.queries_pages import entities_of

Json = dict[str, Any]
PART_CHARS = 50_000
VARIANT_CHARS = 4_000
SHOWN_VARIANTS = 20
CONTROLS = {"hidden": "text"}
METHODS = ["GET", "HEAD", "POST"]


@page
@require_POST
def say(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Add a message; one that is refused comes back on the session's page with its text."""
    session = readable(request, session_id, WRITE)
    form = request.POST
    role, name, said = form.get("role", ""), text(form, "name"), text(form, "text")
    try:
        messages.add_message(
            role=_role(request, session, role),
            text=_said(said),
            name=name,
            idempotency=idempotency_of(request),
            **on(request, session),
        )
    except StatehouseError as error:
        plain = say_fields(request, session, role=role, name=name, text=said)
        fields, problem = with_problems(plain, error, CONTROLS)
        return session_page(request, session, fields=fields, problem=problem, status=error.status)
    notices.success(request, "The message is there.")
    return redirect(address("session", session.pk) + "#say")


@page
@require_safe
def one(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Show one message whole, a part at a time where it is very long, with what it owns."""
    session = readable(request, session_id)
    found = said_in(session, number)
    told = messages_json(session, [found])[0]
    start = min(position(request, "from") or 0, len(told["text"]))
    shown = told["text"][start : start + PART_CHARS]
    end = start + len(shown)
    context = {
        **in_session(request, session, "session"),
        "title": f"Message {number} of {session.title}",
        "message": told,
        "at": moment_of_ms(told["createdAtMs"]),
        "is_reply": found.message.role == Role.ASSISTANT,
        "shown": shown,
        "start": start,
        "total": len(told["text"]),
        "more_address": address("message", session.pk, number, **{"from": end}) if end < len(told["text"]) else "",
        "entities": [entity_row(each) for each in entities_of(session, [number])],
        **audit_of(session),
    }
    return show(request, "sessions_app/message", context, live=live_of(session))


@page
@require_http_methods(METHODS)
def edit(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Show the text of a message to edit, or edit it; a conflict keeps what was typed beside the newer text."""
    session = readable(request, session_id, WRITE)
    found = said_in(session, number)
    if request.method != "POST":
        return _edit_form(request, session, found)
    try:
        messages.edit_message(
            number=number,
            text=text(request.POST, "text"),
            expected_version=number_in(request, "version"),
            **on(request, session),
        )
    except StatehouseError as error:
        return _edit_form(request, session, said_in(session, number), error)
    notices.success(request, "The text is another now; the state stays as it was.")
    return redirect(address("session", session.pk) + f"#message-{number}")


@page
@require_http_methods(METHODS)
def delete(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Show what deleting a message (`onward=true`: and all after it) would take back, or do it."""
    session = readable(request, session_id, WRITE)
    onward = flag(request, "onward")
    message_of(session, number)

    def numbers(session: Session) -> list[int]:
        return messages.numbers_from(session, number) if onward else [number]

    def carry_out(version: int, reason: str) -> str:
        # Read again: the version tells whether they are the ones that were shown.
        named = numbers(session_for(request.user, session.pk, WRITE))
        messages.delete_messages(numbers=named, reason=reason, expected_version=version, **on(request, session))
        return address("session", session.pk)

    act = Act(
        title=f"Delete message {number} and all after it" if onward else f"Delete message {number}",
        explains="What it owns is taken back, and the state is made anew from what remains.",
        button="Delete it all" if onward else "Delete it",
        done="Deleted.",
        preview=lambda session: messages.preview_deletion(session=session, numbers=numbers(session)),
        carry_out=carry_out,
        needs_reason=False,
    )
    return act_page(request, session, act)


@page
@require_http_methods(METHODS)
def regenerate(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Show what regenerating a reply would take back, or begin its next variant."""
    session = readable(request, session_id, WRITE)
    reply_of(session, number)

    def carry_out(version: int, _reason: str) -> str:
        begun = turns.regenerate(
            number=number, expected_version=version, idempotency=idempotency_of(request), **on(request, session)
        )
        return address("turn", session.pk, begun["turn"])

    act = Act(
        title=f"Regenerate reply {number}",
        explains="What the reply owns is taken back, and its next variant begins: a turn to write and commit.",
        button="Begin the next variant",
        done="The next variant is begun.",
        preview=lambda session: turns.preview_regeneration(session=session, number=number),
        carry_out=carry_out,
        is_grave=False,
    )
    return act_page(request, session, act)


@page
@require_safe
def variants(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Show the variants of a message, to choose among."""
    session = readable(request, session_id)
    found = variants_json(session, number)
    last = position(request, "before") or len(found) + 1
    listed = [each for each in reversed(found) if each["variant"] < last]
    context = {
        **in_session(request, session, "session"),
        "title": f"Variants of message {number}",
        "number": number,
        "variants": [
            {
                "index": each["variant"],
                "is_selected": each["selected"],
                "text": cut(each["text"], VARIANT_CHARS),
                "address": address("variant-select", session.pk, number, each["variant"]),
            }
            for each in listed[:SHOWN_VARIANTS]
        ],
        "older": address("message-variants", session.pk, number, before=listed[SHOWN_VARIANTS - 1]["variant"])
        if len(listed) > SHOWN_VARIANTS
        else "",
        **audit_of(session),
    }
    return show(request, "sessions_app/variants", context, live=live_of(session))


@page
@require_http_methods(METHODS)
def select(request: HttpRequest, session_id: uuid.UUID, number: int, variant: int) -> HttpResponse:
    """Show what choosing a variant would change, or choose it."""
    session = readable(request, session_id, WRITE)
    message = reply_of(session, number)
    if not message.variants.filter(index=variant).exists():
        raise NotFound(what="variant", name=f"{number}.{variant}")

    def carry_out(version: int, _reason: str) -> str:
        messages.select_variant(number=number, variant=variant, expected_version=version, **on(request, session))
        return address("session", session.pk) + f"#message-{number}"

    act = Act(
        title=f"Choose variant {variant} of reply {number}",
        explains="What the variant owned counts again at its old place; what the other one owned is taken back.",
        button="Choose it",
        done="Chosen.",
        preview=lambda session: messages.preview_selection(session=session, number=number, variant=variant),
        carry_out=carry_out,
        is_grave=False,
    )
    return act_page(request, session, act)


def _role(request: HttpRequest, session: Session, role: str) -> Role:
    if role not in set(Role):
        raise InvalidArguments([Problem("/role", "not_allowed", f"must be one of: {', '.join(Role)}.")])
    if role == Role.HOST:
        session_for(request.user, session.pk, CORRECT)
    return Role(role)


def _said(said: str) -> str:
    if not said.strip():
        raise InvalidArguments([Problem("/text", "blank", "must not be blank.")])
    return said


def _edit_form(
    request: HttpRequest, session: Session, variant: Variant, error: StatehouseError | None = None
) -> HttpResponse:
    message, stored = variant.message, variant.text
    typed = text(request.POST, "text") if request.method == "POST" else stored
    fields, problem = with_problems([Field("text", "Text", typed, kind="textarea", rows=12)], error, {})
    is_moved = isinstance(error, VersionConflict)
    context = {
        **in_session(request, session, "session"),
        "title": f"Edit message {message.number}",
        "number": message.number,
        "version": message.version,
        "fields": fields,
        "problem": problem,
        "is_moved": is_moved,
        "newer": cut(stored, PART_CHARS) if is_moved else None,
        "too_long": len(typed) > EDITABLE_CHARS,
        **audit_of(session),
    }
    return show(request, "sessions_app/message_edit", context, status=200 if error is None else error.status)
