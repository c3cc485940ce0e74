"""The brief of a negotiation as Markdown, from its state document: what a principal reads before a meeting.

What people wrote stands on one line with Markdown's marks escaped, so that it can be neither a heading, a link nor
markup. Source: issue of the negotiation, "Print view and export"; form of the document: the vectors' README.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from negotiation_app.protocol.needs import needs
from negotiation_app.protocol.row_words import content_of, criterion_in_words, gap_in_words, part_in_words, standing_of
from negotiation_app.protocol.value_words import Json, value_in_words, word

_MARKS = re.compile(r"([\\`*_\[\]<>|~&#])")
_SIDES = (("OWN", "our offer"), ("COUNTERPART", "their offer"))
# What would begin a list of its own at the start of an item.
_BULLET = re.compile(r"([-+]|[0-9]{1,9}[.)])(?=\s|$)")


def brief(state: Json) -> str:
    """Return the brief of a state document."""
    parts = [_head(state), *(_section(title, list(write(state))) for title, write in _SECTIONS.items())]
    return "\n\n".join(parts) + "\n"


def _head(state: Json) -> str:
    own, process = state["negotiation"], state["process"]
    parties = ", ".join(f"{row['name']} ({word(row['side'])})" for row in state["parties"].values())
    deadline = "" if process["deadline"] is None else f" Deadline: {_plain(process['deadline'])}."
    frame = f"{_plain(own['ref'])}: {word(own['status'])}, version {own['stateVersion']}, mode {word(own['mode'])}."
    counterpart = f"The counterpart is {word(process['counterpart'])}."
    return f"# {_plain(own['title'])}\n\n{frame} {counterpart}{deadline}\n\nParties: {_plain(parties)}."


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + ("\n".join(lines) or "None.")


def _needs(state: Json) -> Iterator[str]:
    for need in needs(state):
        yield f"- {_plain(need.says)}: {_plain(need.ask)}"


def _position(state: Json) -> Iterator[str]:
    yield "| issue | target | floor | our offer | their offer | gap |"
    yield "|---|---|---|---|---|---|"
    for issue, row in state["issues"].items():
        bounds = state["boundaries"].get(issue, {})
        cells = (
            row["label"],
            *("" if bounds.get(kind) is None else part_in_words(bounds[kind]) for kind in ("TARGET", "FLOOR")),
            *(_term(state, side, issue) for side, _ in _SIDES),
            gap_in_words(state["derived"]["gap"].get(issue, {})),
        )
        yield f"| {' | '.join(map(_plain, cells))} |"


def _offers(state: Json) -> Iterator[str]:
    for side, name in _SIDES:
        offer = state["offers"][side]
        if offer is not None:
            yield f"- {name.capitalize()}, {_plain(_offer_in_words(state, side, offer))}"


def _offer_in_words(state: Json, side: str, offer: Json) -> str:
    row, told = state["proposals"][offer["proposal"]], state["derived"]["offers"][side]
    verdicts = {
        "against floors": told["overall"]["vsFloor"],
        "against the BATNA": told["overall"]["vsBatna"],
        "a review would say": told["acceptance"],
    }
    ends = "" if row["validUntil"] is None else f", valid until {row['validUntil']}"
    standing = standing_of({**row, "reconfirm": offer["reconfirm"]})
    parts = (
        f"{offer['proposal']} of {row['madeAt']}{ends} ({standing})",
        *(f"condition: {each}" for each in row["conditions"]),
        ", ".join(f"{name}: {word(verdict)}" for name, verdict in verdicts.items()),
    )
    return "; ".join(parts)


def _alternative(state: Json) -> Iterator[str]:
    batna = state["batna"]
    if batna is not None and not batna["retired"]:
        until = "" if batna["validUntil"] is None else f", valid until {batna['validUntil']}"
        yield f"- {_plain(part_in_words(batna))}, {word(batna['confidence'])}{_plain(until)}"


def _strategy(state: Json) -> Iterator[str]:
    if state["strategy"] is None:
        return
    row = state["judgements"][state["strategy"]]
    yield f"- {_plain(row['text'])} ({standing_of(row)})"
    if row["recommendation"]:
        yield f"- Recommended: {_plain(row['recommendation'])}"


def _contradictions(state: Json) -> Iterator[str]:
    for ref, row in state["contradictions"].items():
        if row["status"] == "OPEN":
            members = "; ".join(f"{each}: {part_in_words(state['propositions'][each])}" for each in row["members"])
            yield f"- {_plain(ref)}, {word(row['kind'])}. {_plain(members)}"


def _ledger(state: Json) -> Iterator[str]:
    for ref in state["ledger"]:
        row = state["concessions"][ref]
        whose = "ours" if row["side"] == "OWN" else "theirs"
        yield f"- {_plain(ref)}, {whose}: {_plain(content_of(row))} ({_fates(row)})"


def _fates(row: Json) -> str:
    corrected = f", corrected by {row['correctedBy']}" if row.get("correctedBy") else ""
    return _plain(", then ".join(map(word, row["statusEvents"])) + corrected)


def _criteria(state: Json) -> Iterator[str]:
    for ref, row in state["criteria"].items():
        more = [f"revision {row['revisions'][-1]['revision']}", *([] if row["mandatory"] else ["not mandatory"])]
        told = ", ".join(more + (["retired"] if row["retired"] else []))
        yield f"- {_plain(row['label'])} ({_plain(ref)}): {_plain(criterion_in_words(row))} ({told})"


def _reviews(state: Json) -> Iterator[str]:
    for ref, row in state["reviews"].items():
        yield f"- {_plain(ref)} of {_plain(row['proposal'])} at version {row['stateVersion']}: {row['result']}"
        for check, result in row["results"].items():
            if result not in {"MET", "NOT_APPLICABLE"}:
                yield f"  - {_plain(check)}: {word(result)}"
        for name, override in state["overrides"].items():
            if override["review"] == ref:
                cited = f"{_plain(name)}, by decision {_plain(override['decision'])}"
                yield f"  - overridden ({cited}): {_plain(override['reason'])}"


def _known(state: Json) -> Iterator[str]:
    for row in state["propositions"].values():
        if row["lifecycle"] == "EFFECTIVE":
            slot = f"{row['subject']}, {row['attribute']}"
            support = "; ".join(content_of(state["evidence"][ref]) for ref in row["evidence"]) or "no evidence"
            yield f"- {_plain(slot)}: {_plain(part_in_words(row))}. {_plain(support)}"


def _judgements(state: Json) -> Iterator[str]:
    for ref, row in state["judgements"].items():
        if ref != state["strategy"] and row["status"] not in {"RETIRED", "SUPERSEDED"}:
            yield f"- {word(row['kind']).capitalize()}: {_plain(row['text'])} ({standing_of(row)})"


_SECTIONS = {
    "What needs a decision": _needs,
    "Position": _position,
    "Current offers": _offers,
    "Without a deal": _alternative,
    "Strategy": _strategy,
    "Open contradictions": _contradictions,
    "Concessions": _ledger,
    "What we said we would accept": _criteria,
    "Reviews": _reviews,
    "What we know, and how": _known,
    "Other judgements": _judgements,
}


def _term(state: Json, side: str, issue: str) -> str:
    offer = state["offers"][side]
    value = None if offer is None else offer["terms"].get(issue)
    return "" if value is None else value_in_words(value)


def _plain(text: Any) -> str:
    """Return a text on one line with Markdown's marks escaped."""
    plain = _MARKS.sub(r"\\\1", " ".join(str(text).split()))
    found = _BULLET.match(plain)
    return plain if found is None else f"{found[1][:-1]}\\{plain[found.end() - 1 :]}"
