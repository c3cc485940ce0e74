"""The position on one screen: both sides' offers on each issue against target and floor, and what needs a decision."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from fabric_app.mesh.http.pages import address, page, show, tail
from fabric_app.mesh.http.values import Need, moment
from negotiation_app.access import reader_of
from negotiation_app.live import NegotiationChanges
from negotiation_app.pages.doors import Held, in_negotiation, live_of, readable, state_of
from negotiation_app.protocol.names import ProposalStatus
from negotiation_app.protocol.times import moment as instant
from negotiation_app.protocol.value_words import terms_in_words, value_in_words
from negotiation_app.protocol.wording import change_in_words
from negotiation_app.queries import latest_history, state_document

Json = dict[str, Any]
SIDES = ("OWN", "COUNTERPART")
LATEST = 8
RETIRED = "retired"


@page
@require_safe
def position(request: HttpRequest, ref: str) -> HttpResponse:
    """Show where the negotiation stands."""
    held = readable(request, ref)
    now = timezone.now()
    state = state_document(held.row, now=now)
    context = {
        **in_negotiation(request, held, "negotiation"),
        "process": state["process"],
        "issues": [issue_row(state, issue) for issue in state["issues"]],
        "batna": batna_row(state),
        "strategy": strategy_row(state),
        "needs": needs_of(held, state),
        "contradictions": [contradiction_row(held, ref_, row) for ref_, row in _open(state)],
        "charts": [chart for issue in state["issues"] if (chart := offer_chart(state, issue)) is not None],
        "offers": {side: _offer(state, side) for side in SIDES},
        "latest": latest_events(held),
    }
    return show(request, "negotiation_app/position", context, live=live_of(held))


@page
@require_safe
def live(request: HttpRequest, ref: str) -> HttpResponseBase:
    """Stream `changed` whenever a page of the negotiation may show something else."""
    held = readable(request, ref)
    return tail(request, NegotiationChanges(held.row.pk), still_readable=reader_of(held.row))


def issue_row(state: Json, issue: str) -> Json:
    """Return one issue with target, floor, both current offers and the gap between them."""
    row = state["issues"][issue]
    bounds = state["boundaries"].get(issue, {})
    gap = state["derived"]["gap"].get(issue, {})
    return {
        "ref": issue,
        "label": row["label"],
        "direction": {"HIGHER": "higher is better", "LOWER": "lower is better"}.get(row["direction"], ""),
        "weight": row.get("weight"),
        "target": _bound(bounds.get("TARGET")),
        "floor": _bound(bounds.get("FLOOR")),
        **{side.lower(): _term(state, side, issue) for side in SIDES},
        "gap": _gap(gap),
    }


def batna_row(state: Json) -> Json | None:
    batna = state["batna"]
    if batna is None or batna["retired"]:
        return None
    return {
        "description": batna["description"],
        "terms": terms_in_words(batna["terms"]),
        "valid_until": batna["validUntil"],
        "state": state_of(batna["reviewState"]),
        "reason": batna["basis"]["reason"],
        "earlier": [each or RETIRED for each in batna["history"][:-1]],
    }


def strategy_row(state: Json) -> Json | None:
    ref = state["strategy"]
    return None if ref is None else judgement_row(ref, state["judgements"][ref])


def judgement_row(ref: str, row: Json) -> Json:
    return {
        "ref": ref,
        "kind": row["kind"].replace("_", " ").lower(),
        "text": row["text"],
        "recommendation": row["recommendation"],
        "depends_on": row["dependsOn"],
        "state": state_of(row["status"]),
    }


def contradiction_row(held: Held, ref: str, row: Json) -> Json:
    return {
        "ref": ref,
        "address": address("negotiation-contradiction", held.row.ref, ref),
        "kind": row["kind"].replace("_", " ").lower(),
        "members": row["members"],
        "state": state_of(row["status"]),
    }


def needs_of(held: Held, state: Json) -> list[Need]:
    """Return what waits for somebody, the gravest first."""
    ref = held.row.ref
    needs = [
        Need(
            state_of("OPEN"),
            f"{each}: {' and '.join(row['members'])} cannot both hold",
            address("negotiation-contradiction", ref, each),
            "Resolve it with new evidence, or by the principal's decision.",
        )
        for each, row in _open(state)
    ]
    needs += [
        Need(
            state_of(row["status"]),
            f"Patch {each} waits",
            address("negotiation-patch", ref, each),
            f"Read at version {row['stateVersion']}; the state is at {state['negotiation']['stateVersion']}.",
        )
        for each, row in state["patches"].items()
        if row["status"] in {"SUBMITTED", "PARKED"}
    ]
    needs += [
        Need(
            state_of(row["status"]),
            f"{row['kind'].replace('_', ' ').capitalize()} {each} has to be looked at again",
            address("negotiation-deal", ref) + "#judgements",
            row["text"],
        )
        for each, row in state["judgements"].items()
        if row["status"] in {"STALE", "NEEDS_REVIEW"}
    ]
    needs += [
        Need(state_of("OPEN"), ", ".join(row["triggers"]).replace("_", " ").capitalize(),
             address("negotiation-inbox", ref), row["changedRecommendation"])
        for each, row in state["notifications"].items()
        if not row["acknowledged"]
    ]  # fmt: skip
    return needs


def offer_chart(state: Json, issue: str) -> Json | None:
    """Return both sides' offers on a numeric issue over time, with target and floor; None without two offers."""
    points = [
        {"at": instant(row["madeAt"]), "side": row["side"], "value": row["terms"][issue], "ref": ref}
        for ref, row in state["proposals"].items()
        if row["status"] != ProposalStatus.RECORDED_IN_ERROR and _number(row["terms"].get(issue)) is not None
    ]
    if len(points) < 2:  # noqa: PLR2004 - one point is no line
        return None
    points.sort(key=lambda each: each["at"])
    bounds = state["boundaries"].get(issue, {})
    return {
        "issue": issue,
        "label": state["issues"][issue]["label"],
        "target": _number((bounds.get("TARGET") or {}).get("value")),
        "floor": _number((bounds.get("FLOOR") or {}).get("value")),
        "points": [
            {
                "at": moment(each["at"]),
                "side": each["side"],
                "who": "us" if each["side"] == "OWN" else "them",
                "ref": each["ref"],
                "number": _number(each["value"]),
                "words": value_in_words(each["value"]),
            }
            for each in points
        ],
    }


def latest_events(held: Held) -> list[Json]:
    """Return the latest history events in words, the newest first."""
    return [event_row(held, row) for row in latest_history(held.row, limit=LATEST)]


def event_row(held: Held, row: Json) -> Json:
    return {
        "seq": row["seq"],
        "address": address("negotiation-event", held.row.ref, row["seq"]),
        "type": row["type"].replace("_", " ").lower(),
        "material": row["material"],
        "version": row["stateVersion"],
        "actor": row["actor"],
        "party": row["party"],
        "locator": row["locator"],
        "text": row["text"],
        "at": moment(instant(row["recordedAt"])),
        "changes": [change_in_words(each) for each in row["changes"]],
    }


def _open(state: Json) -> list[tuple[str, Json]]:
    return [(ref, row) for ref, row in state["contradictions"].items() if row["status"] == "OPEN"]


def _bound(row: Json | None) -> Json | None:
    if row is None:
        return None
    *earlier, words = [RETIRED if each is None else value_in_words(each) for each in row["history"]]
    return {"words": words, "state": state_of(row["reviewState"]), "earlier": earlier}


def _term(state: Json, side: str, issue: str) -> Json | None:
    offer = state["offers"][side]
    value = None if offer is None else offer["terms"].get(issue)
    if value is None:
        return None
    verdict = state["derived"]["offers"].get(side, {}).get(issue, {})
    return {"words": value_in_words(value), "verdict": _verdict(verdict)}


def _verdict(verdict: Any) -> str:
    if isinstance(verdict, dict):
        return ", ".join(str(each).replace("_", " ").lower() for each in verdict.values() if isinstance(each, str))
    return "" if verdict is None else str(verdict).replace("_", " ").lower()


def _offer(state: Json, side: str) -> Json | None:
    offer = state["offers"][side]
    if offer is None:
        return None
    row = state["proposals"][offer["proposal"]]
    return {
        "ref": offer["proposal"],
        "at": moment(instant(row["madeAt"])),
        "valid_until": row["validUntil"],
        "reconfirm": offer["reconfirm"],
    }


def _gap(gap: Json) -> str:
    if gap.get("state") == "MET":
        return "met"
    if gap.get("state") != "OPEN" or gap.get("amount") is None:
        return "undetermined" if gap.get("state") == "UNDETERMINED" else ""
    percent = f" ({gap['percent']} %)" if gap.get("percent") else ""
    return value_in_words(gap["amount"]) + percent


def _number(value: Any) -> float | None:
    if not isinstance(value, dict) or value.get("type") not in {"money", "number", "percent", "duration"}:
        return None
    return float(value["amount"])
