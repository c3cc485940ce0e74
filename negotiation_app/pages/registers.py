"""The registers: evidence by status, the deal (ledger, proposals, criteria, reviews), and role-play apart from it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fabric_app.mesh.http.pages import page, show
from fabric_app.mesh.http.values import moment
from negotiation_app.models import Negotiation
from negotiation_app.pages.doors import in_negotiation, live_of, readable, state_of
from negotiation_app.pages.position import judgement_row
from negotiation_app.protocol.names import Certainty
from negotiation_app.protocol.times import moment as instant
from negotiation_app.protocol.value_words import terms_in_words, value_in_words
from negotiation_app.queries import concession_statuses, state_document

Json = dict[str, Any]
MEANS = {
    Certainty.KNOWN: "Confirmed directly, or reliably.",
    Certainty.SUPPORTED_INFERENCE: "There is identifiable support.",
    Certainty.HYPOTHESIS: "Plausible, and no more.",
    Certainty.UNKNOWN: "Asked, not answered.",
}


@page
@require_safe
def evidence(request: HttpRequest, ref: str) -> HttpResponse:
    """Show every proposition, grouped by how sure it is, with what supports it."""
    held = readable(request, ref)
    state = state_document(held.row, now=timezone.now())
    rows = [proposition_row(state, name) for name in state["propositions"]]
    context = {
        **in_negotiation(request, held, "negotiation-evidence"),
        "groups": [
            {"word": status.value.replace("_", " ").lower(), "means": means, "rows": _of_status(rows, status)}
            for status, means in MEANS.items()
        ],
        "superseded": [row for row in rows if row["is_superseded"]],
    }
    return show(request, "negotiation_app/evidence", context, live=live_of(held))


@page
@require_safe
def deal(request: HttpRequest, ref: str) -> HttpResponse:
    """Show ledger, proposals, criteria, reviews with overrides, and judgements."""
    held = readable(request, ref)
    state = state_document(held.row, now=timezone.now())
    context = {
        **in_negotiation(request, held, "negotiation-deal"),
        "ledger": ledger_rows(held.row, state),
        "proposals": [_proposal(name, row) for name, row in reversed(state["proposals"].items())],
        "criteria": [criterion_row(name, row) for name, row in state["criteria"].items()],
        "reviews": [review_row(state, name, row) for name, row in reversed(state["reviews"].items())],
        "judgements": [judgement_row(name, row) for name, row in reversed(state["judgements"].items())],
    }
    return show(request, "negotiation_app/deal", context, live=live_of(held))


@page
@require_safe
def simulations(request: HttpRequest, ref: str) -> HttpResponse:
    """Show what was played or attacked, and what was made of it; none of it is evidence."""
    held = readable(request, ref)
    state = state_document(held.row, now=timezone.now())
    context = {
        **in_negotiation(request, held, "negotiation-simulations"),
        "simulations": [
            {"ref": name, "kind": row["kind"].replace("_", " ").lower(), "statements": row["statements"]}
            for name, row in reversed(state["simulations"].items())
        ],
        "findings": [
            {"ref": name, "text": row["text"], "simulation": row["simulation"], "state": state_of(row["disposition"]),
             "earlier": row["dispositions"][:-1]}
            for name, row in reversed(state["findings"].items())
        ],
    }  # fmt: skip
    return show(request, "negotiation_app/simulations", context, live=live_of(held))


def proposition_row(state: Json, name: str) -> Json:
    """Return a proposition with each item that supports it."""
    row = state["propositions"][name]
    return {
        "ref": name,
        "subject": row["subject"],
        "attribute": row["attribute"],
        "value": value_in_words(row["value"]),
        "as_of": row["asOf"] or "",
        "party": row["party"] or "",
        "state": state_of(row["status"]),
        "status": row["status"],
        "is_superseded": row["lifecycle"] == "SUPERSEDED",
        "superseded_by": row["supersededBy"],
        "is_disputed": row["disputed"],
        "is_simulated": row["origin"] == "SIMULATED",
        "needs_review": row["reviewState"] == "NEEDS_REVIEW",
        "evidence": [_item(each, state["evidence"][each]) for each in row["evidence"]],
    }


def _item(name: str, row: Json) -> Json:
    return {
        "ref": name,
        "kind": row["kind"].replace("_", " ").lower(),
        "locator": row["locator"] or ", ".join(row["premises"]),
        "quote": row["quote"],
        "stated_as": (row["statedAs"] or "").replace("_", " ").lower(),
        "is_tainted": row["tainted"],
    }


def _of_status(rows: list[Json], status: Certainty) -> list[Json]:
    return [row for row in rows if row["status"] == status and not row["is_superseded"]]


def ledger_rows(negotiation: Negotiation, state: Json) -> list[Json]:
    """Return the concessions in the order in which they were recorded, each with what became of it."""
    became = concession_statuses(negotiation)
    return [_concession(name, state["concessions"][name], became[name]) for name in state["ledger"]]


def _concession(name: str, row: Json, became: list[Json]) -> Json:
    return {
        "ref": name,
        "who": "ours" if row["side"] == "OWN" else "theirs",
        "issue": row["issue"],
        "from": value_in_words(row["from"]),
        "to": value_in_words(row["to"]),
        "state": state_of(row["state"]),
        "condition": row.get("condition"),
        "events": [
            {"state": state_of(each["status"]), "reason": each["reason"], "at": moment(instant(each["at"]))}
            for each in became
        ],
    }


def _proposal(name: str, row: Json) -> Json:
    return {
        "ref": name,
        "who": "ours" if row["side"] == "OWN" else "theirs",
        "terms": terms_in_words(row["terms"]),
        "state": state_of(row["status"]),
        "amends": row["amends"],
        "at": moment(instant(row["madeAt"])),
        "valid_until": row["validUntil"],
        "locator": row.get("locator"),
        "is_late": row["late"],
    }


def criterion_row(name: str, row: Json) -> Json:
    return {
        "ref": name,
        "label": row["label"],
        "comparator": row["comparator"].replace("_", " ").lower(),
        "value": _values(row["value"]),
        "is_mandatory": row["mandatory"],
        "is_retired": row["retired"],
        "revisions": [
            {
                "number": each["revision"],
                "previous": _values(each["previousValue"]),
                "new": _values(each["newValue"]),
                "reason": each["reason"],
                "decision": each["decision"],
                "evidence": each["evidence"],
            }
            for each in row["revisions"]
        ],
    }


def review_row(state: Json, name: str, row: Json) -> Json:
    overrides = [
        {"ref": each, "reason": told["reason"], "decision": told["decision"]}
        for each, told in state["overrides"].items()
        if told["review"] == name
    ]
    return {
        "ref": name,
        "proposal": row["proposal"],
        "state": state_of(row["result"]),
        "standing": str(row["standing"]).replace("_", " ").lower(),
        "results": [
            {"check": check, "state": state_of(told["result"] if isinstance(told, dict) else told)}
            for check, told in row["results"].items()
        ],
        "overrides": overrides,
    }


def _values(value: Any) -> str:
    return ", ".join(map(value_in_words, value)) if isinstance(value, list) else value_in_words(value)
