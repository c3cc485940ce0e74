"""The brief of a negotiation as Markdown, from the state document: what a principal reads before a meeting.

Source: issue of the negotiation, "Print view and export".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from negotiation_app.protocol.wording import terms_in_words, value_in_words

Json = dict[str, Any]
_NONE = "none"


def brief(state: Json) -> str:
    """Return the brief of a state document."""
    parts = [_head, _position, _alternative, _strategy, _contradictions, _ledger, _criteria, _reviews, _evidence]
    return "\n\n".join("\n".join(part(state)) for part in parts) + "\n"


def _head(state: Json) -> Iterator[str]:
    own = state["negotiation"]
    yield f"# {_plain(own['title'])}"
    yield ""
    status = own["status"].lower().replace("_", " ")
    yield f"{own['ref']}, {status}, version {own['stateVersion']}, mode {own['mode'].lower()}."
    parties = [f"{_plain(row['name'])} ({row['side'].lower()})" for row in state["parties"].values()]
    yield f"Parties: {', '.join(parties)}."


def _position(state: Json) -> Iterator[str]:
    yield "## Position"
    yield ""
    yield "| issue | target | floor | our offer | their offer | gap |"
    yield "|---|---|---|---|---|---|"
    for ref, row in state["issues"].items():
        bounds = state["boundaries"].get(ref, {})
        gap = state["derived"]["gap"].get(ref, {})
        cells = (
            row["label"],
            _bound(bounds.get("TARGET")),
            _bound(bounds.get("FLOOR")),
            _term(state, "OWN", ref),
            _term(state, "COUNTERPART", ref),
            value_in_words(gap["amount"]) if gap.get("amount") else str(gap.get("state") or "").lower(),
        )
        yield f"| {' | '.join(map(_cell, cells))} |"


def _alternative(state: Json) -> Iterator[str]:
    yield "## Without a deal"
    yield ""
    batna = state["batna"]
    if batna is None:
        yield "No alternative is recorded."
        return
    until = f" Valid until {batna['validUntil']}." if batna["validUntil"] else ""
    yield f"{_plain(batna['description'])}: {terms_in_words(batna['terms'])}.{until}{_review(batna['reviewState'])}"


def _strategy(state: Json) -> Iterator[str]:
    yield "## Strategy"
    yield ""
    row = None if state["strategy"] is None else state["judgements"][state["strategy"]]
    if row is None:
        yield "No strategy is recorded."
        return
    yield f"{_plain(row['text'])}{_review(row['status'])}"
    if row["recommendation"]:
        yield f"Recommendation: {_plain(row['recommendation'])}"


def _contradictions(state: Json) -> Iterator[str]:
    yield "## Open contradictions"
    yield ""
    found = [(ref, row) for ref, row in state["contradictions"].items() if row["status"] == "OPEN"]
    for ref, row in found:
        told = "; ".join(f"{each}: {_stated(state, each)}" for each in row["members"])
        yield f"- {ref}: {told}"
    if not found:
        yield _NONE


def _ledger(state: Json) -> Iterator[str]:
    yield "## Concessions"
    yield ""
    for ref in state["ledger"]:
        row = state["concessions"][ref]
        who = "ours" if row["side"] == "OWN" else "theirs"
        moved = f"{row['issue']} from {value_in_words(row['from'])} to {value_in_words(row['to'])}"
        yield f"- {ref} ({who}, {row['state'].lower()}): {moved}"
    if not state["ledger"]:
        yield _NONE


def _criteria(state: Json) -> Iterator[str]:
    yield "## What we said we would accept"
    yield ""
    for ref, row in state["criteria"].items():
        listed = row["value"] if isinstance(row["value"], list) else [row["value"]]
        retired = ", retired" if row["retired"] else ""
        value = ", ".join(map(value_in_words, listed))
        comparator = row["comparator"].lower().replace("_", " ")
        revision = row["revisions"][-1]["revision"]
        yield f"- {_plain(row['label'])} ({ref}{retired}): {comparator} {value}; revision {revision}"
    if not state["criteria"]:
        yield _NONE


def _reviews(state: Json) -> Iterator[str]:
    yield "## Reviews"
    yield ""
    for ref, row in state["reviews"].items():
        yield f"- {ref} of {row['proposal']}: {row['result']}"
        for name, told in state["overrides"].items():
            if told["review"] == ref:
                yield f"  - overridden by the principal ({name}): {_plain(told['reason'])}"
    if not state["reviews"]:
        yield _NONE


def _evidence(state: Json) -> Iterator[str]:
    yield "## What we know, and how"
    yield ""
    for ref, row in state["propositions"].items():
        if row["lifecycle"] == "SUPERSEDED":
            continue
        sources = [state["evidence"][each]["locator"] or state["evidence"][each]["kind"] for each in row["evidence"]]
        disputed = ", disputed" if row["disputed"] else ""
        status = row["status"].lower().replace("_", " ")
        support = "; ".join(map(_plain, sources)) or "no evidence"
        yield f"- {row['subject']} {row['attribute']}: {_stated(state, ref)} ({status}{disputed}; {support})"
    if not state["propositions"]:
        yield _NONE


def _bound(row: Json | None) -> str:
    return "" if row is None else value_in_words(row["value"]) + _review(row["reviewState"])


def _term(state: Json, side: str, issue: str) -> str:
    offer = state["offers"][side]
    value = None if offer is None else offer["terms"].get(issue)
    return "" if value is None else value_in_words(value)


def _stated(state: Json, ref: str) -> str:
    return value_in_words(state["propositions"][ref]["value"])


def _review(status: str) -> str:
    return "" if status == "CURRENT" else f" (to be looked at again: {status.lower().replace('_', ' ')})"


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: Any) -> str:
    """Return a text on one line, so that it cannot begin a heading or a table of its own."""
    return " ".join(str(text).split())
