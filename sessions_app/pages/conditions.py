"""The condition playground: a condition asked of the state as it is, with why, and what it reads."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from fabric_app.mesh.http.pages import address, page, show
from sessions_app.limits import protocol_limits
from sessions_app.models import Session
from sessions_app.pages.doors import in_session, live_of, readable
from sessions_app.pages.printing import INLINE_CHARS, cut, inline
from sessions_app.pages.states import FAILS, HOLDS, UNDECIDED
from sessions_app.protocol.condition import Condition, compile_condition
from sessions_app.protocol.condition_errors import ConditionInvalid
from sessions_app.protocol.condition_places import places_of
from sessions_app.protocol.projection import Projection
from sessions_app.queries import settled
from sessions_app.stored_state import stored_projection

Json = dict[str, Any]
SHOWN_CONDITIONS = 60
AROUND = 24


@page
@require_safe
def playground(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Show a condition (`condition`) against the state, and the conditions that rules of the session have."""
    session, projection = settled(readable(request, session_id), stored_projection)
    limit = protocol_limits().condition_chars
    typed = request.GET.get("condition", "")[: limit + 1].replace("\r\n", "\n")
    context = {
        **in_session(request, session, "session-conditions"),
        "title": f"Conditions of {session.title}",
        "typed": typed,
        **(_asked(typed, projection) if typed.strip() else {}),
        "conditions": _of_rules(session, projection),
        "namespaces": list(projection.namespaces),
    }
    return show(request, "sessions_app/conditions", context, live=live_of(session))


def _asked(typed: str, projection: Projection) -> Json:
    limits = protocol_limits()
    try:
        condition = compile_condition(typed, max_code_points=limits.condition_chars, max_tokens=limits.condition_tokens)
    except ConditionInvalid as refused:
        at = refused.position
        return {
            "refusal": refused.sentence(),
            "before": typed[max(at - AROUND, 0) : at],
            "here": typed[at : at + 1],
            "after": typed[at + 1 : at + AROUND],
        }
    return {"verdict": _verdict(condition, projection), "reads": _reads(condition, projection)}


def _verdict(condition: Condition, projection: Projection) -> Json:
    outcome = condition.evaluate(projection.values())
    if outcome.diagnostic is not None:
        said = outcome.diagnostic
        return {"state": UNDECIDED, "message": cut(said.message, INLINE_CHARS).shown, "code": said.code}
    return {"state": HOLDS if outcome.active else FAILS}


def _reads(condition: Condition, projection: Projection) -> list[Json]:
    return [
        {
            "namespace": each["namespace"][:INLINE_CHARS],
            "path": each["path"][:INLINE_CHARS] or "/",
            "found": each["found"],
            "value": inline(each["value"]) if "value" in each else None,
            "kind": each.get("kind", ""),
        }
        for each in places_of(condition, projection.values())
    ]


def _of_rules(session: Session, projection: Projection) -> list[Json]:
    values = projection.values()
    found = []
    for name, namespace in projection.namespaces.items():
        for rule in namespace.definition.rules:
            condition = namespace.rules.conditions.get(rule.id)
            if condition is None:
                continue
            outcome = condition.evaluate(values)
            state = UNDECIDED if outcome.diagnostic is not None else HOLDS if outcome.active else FAILS
            found.append(
                {
                    "namespace": name,
                    "rule": rule.id,
                    "condition": condition.source,
                    "state": state,
                    "address": address("session-conditions", session.pk, condition=condition.source),
                }
            )
            if len(found) >= SHOWN_CONDITIONS:
                return found
    return found
