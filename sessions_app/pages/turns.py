"""Turns by hand: begun, committed with effects as JSON, tried without keeping anything, cancelled.

A refusal comes back as the same form, issue by issue; where a revision moved meanwhile, with the newer values beside it
and what became different since the form was shown.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from fabric_app.mesh.errors import StatehouseError
from fabric_app.mesh.http.forms import idempotency_of, text, with_problems
from fabric_app.mesh.http.pages import address, page, show
from fabric_app.mesh.http.values import Field, moment_of_ms
from sessions_app.access import WRITE
from sessions_app.errors import ContextStale
from sessions_app.models import Session, Turn
from sessions_app.operations import turns
from sessions_app.operations.commits import Content, commit_turn, preview_commit
from sessions_app.operations.loading import turn_of
from sessions_app.pages.changes_view import changed_rows, groups_of
from sessions_app.pages.doors import in_session, live_of, number_in, on, readable
from sessions_app.pages.event_rows import audit_of
from sessions_app.pages.json_fields import json_in
from sessions_app.pages.printing import INLINE_CHARS, cut, inline, whole
from sessions_app.pages.session import say_fields, session_page
from sessions_app.pages.state_panel import diagnostic_rows, panels_of
from sessions_app.protocol.change_errors import CommitRefused, Issue, IssueCode
from sessions_app.protocol.comparing import namespace_differences
from sessions_app.protocol.definition import Operation, Rule, UpdateMode
from sessions_app.protocol.events import TurnStatus
from sessions_app.protocol.projection import Projection
from sessions_app.queries import settled
from sessions_app.stored_state import projection_at, stored_projection

Json = dict[str, Any]
SHOWN_RULES = 60
_EXAMPLES: dict[Operation, Json] = {
    Operation.SET: {"op": "set", "value": None},
    Operation.INCREMENT: {"op": "increment", "by": 1},
    Operation.APPEND: {"op": "append", "value": None},
    Operation.REMOVE: {"op": "remove"},
}


@dataclass(frozen=True)
class IssueRow:
    """One issue of a refused commit: where, what to do, and what was expected."""

    path: str
    message: str
    code: str
    details: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RuleRow:
    """A rule as whoever writes a commit needs it."""

    id: str
    target: str
    does: str
    when: str
    condition: str


@page
@require_POST
def begin(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Begin a reply, and go to where it is written and committed."""
    session = readable(request, session_id, WRITE)
    try:
        begun = turns.begin_turn(
            name=text(request.POST, "name"), idempotency=idempotency_of(request), **on(request, session)
        )
    except StatehouseError as error:
        fields, problem = with_problems(say_fields(request, session), error, {})
        return session_page(request, session, fields=fields, problem=problem, status=error.status)
    return redirect("turn", session.pk, begun["turn"])


@page
@require_http_methods(["GET", "HEAD", "POST"])
def commit(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Show the form of a commit, try what it says, or commit it."""
    session = readable(request, session_id, WRITE)
    turn = turn_of(session, number)
    if request.method != "POST":
        return _form(request, session, turn)
    try:
        content = Content(json_in(request.POST, "effects"), text(request.POST, "text"), number_in(request, "epoch"))
        if "try" in request.POST:
            return _form(
                request, session, turn, outcome=preview_commit(session=session, number=number, content=content)
            )
        done = commit_turn(number=number, content=content, **on(request, session))
    except StatehouseError as error:
        return _form(request, readable(request, session_id, WRITE), turn_of(session, number), error)
    count = len(done["changed"])
    notices.success(request, f"Committed: {count} change{'' if count == 1 else 's'}.")
    return redirect(address("session", session.pk) + f"#message-{turn.message}")


@page
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Show the form that ends a turn without a commit, or end it."""
    session = readable(request, session_id, WRITE)
    turn = turn_of(session, number)
    error = None
    if request.method == "POST":
        kept = text(request.POST, "text")
        try:
            turns.cancel_turn(
                number=number, text=kept or None, reason=text(request.POST, "reason"), **on(request, session)
            )
        except StatehouseError as refused:
            error = refused
        else:
            notices.success(request, f"Turn {number} is cancelled.")
            return redirect("session", session.pk)
    plain = [
        Field("text", "What is kept of the reply", text(request.POST, "text"), kind="textarea", rows=4,
              help="Empty: the reply goes with the turn, where it has no other variant."),
        Field("reason", "Reason", text(request.POST, "reason"), kind="textarea", rows=2, help="The log keeps it."),
    ]  # fmt: skip
    fields, problem = with_problems(plain, error, {})
    context = {
        **in_session(request, session, "session"),
        "title": f"Cancel turn {number}",
        "turn": turn,
        "is_active": turn.status == TurnStatus.ACTIVE,
        "fields": fields,
        "problem": problem,
        **audit_of(session),
    }
    return show(request, "sessions_app/turn_cancel", context, status=200 if error is None else error.status)


def _form(
    request: HttpRequest,
    session: Session,
    turn: Turn,
    error: StatehouseError | None = None,
    outcome: Json | None = None,
) -> HttpResponse:
    session, projection = settled(session, stored_projection)
    is_typed = request.method == "POST"
    effects = text(request.POST, "effects") if is_typed else whole(_example(projection))
    plain = [
        Field("text", "Text of the reply", text(request.POST, "text"), kind="textarea", rows=5),
        Field("effects", "Effects", effects, kind="textarea", rows=16, is_machine=True, required=True,
              help="JSON: a list of effects, at most one a namespace; [] changes nothing."),
    ]  # fmt: skip
    issues = error.issues if isinstance(error, CommitRefused) else ()
    fields, problem = with_problems(plain, error, {})
    is_moved = isinstance(error, ContextStale) or any(each.code is IssueCode.REVISION_CONFLICT for each in issues)
    seen = number_in(request, "seen") if is_typed else session.log_sequence
    context = {
        **in_session(request, session, "session"),
        "title": f"Turn {turn.number} of {session.title}",
        "turn": turn,
        "begun_at": moment_of_ms(turn.begun_at_ms),
        "is_active": turn.status == TurnStatus.ACTIVE,
        "fields": fields,
        # Issue by issue says it better than their summary.
        "problem": None if issues else problem,
        "issues": [_issue(each) for each in issues],
        "is_moved": is_moved,
        "since": _since(session, seen, projection) if is_moved else [],
        # The form that comes back was decided on what now stands beside it.
        "epoch": session.epoch,
        "seen": session.log_sequence,
        "outcome": None if outcome is None else _outcome(outcome),
        "panels": [
            (panel, _rules(projection.namespaces[panel.name].definition.rules))
            for panel in panels_of(session, projection)
        ],
        **audit_of(session),
    }
    return show(
        request, "sessions_app/turn", context, live=live_of(session), status=200 if error is None else error.status
    )


def _since(session: Session, seen: int, now: Projection) -> list[Any]:
    """Return what became different since the form was shown, for whoever has to decide again."""
    if not 1 <= seen < session.log_sequence:
        return []
    return groups_of(namespace_differences(projection_at(session, seen)[1], now))


def _example(projection: Projection) -> list[Json]:
    """Return effects to begin from: the first namespace that turns can change, its revision, its first rule."""
    for name, namespace in projection.namespaces.items():
        definition = namespace.definition
        if definition.update_mode is UpdateMode.DISABLED:
            continue
        change: Json = {"op": "set", "path": "/", "value": None, "reason": ""}
        if definition.rules:
            rule = definition.rules[0]
            example = _EXAMPLES[rule.effect.op]
            change = {"op": example["op"], "path": rule.target, **example, "ruleId": rule.id, "reason": ""}
        payload = {"changes": [change]}
        return [{"kind": "state.update", "namespace": name, "expectedRevision": namespace.revision, "payload": payload}]
    return []


def _issue(issue: Issue) -> IssueRow:
    details = tuple((name, inline(value).shown) for name, value in issue.details.items())
    return IssueRow(issue.path or "/", cut(issue.message, INLINE_CHARS).shown, issue.code.value, details)


def _rules(rules: Sequence[Rule]) -> list[RuleRow]:
    return [
        RuleRow(rule.id, rule.target, _does(rule), cut(rule.when, INLINE_CHARS).shown, rule.condition or "")
        for rule in rules[:SHOWN_RULES]
    ]


def _does(rule: Rule) -> str:
    least, most = rule.effect.minimum, rule.effect.maximum
    bounds = f" from {least}" if least is not None else ""
    return f"{rule.effect.op.value}{bounds}{f' to {most}' if most is not None else ''}"


def _outcome(told: Json) -> Json:
    return {"rows": changed_rows(told["changed"]), "diagnostics": diagnostic_rows(told["diagnostics"])}
