"""What needs a decision, read from a state document, the gravest first: who has to do what about which row.

Source: issue of the negotiation, "the position on one screen"; sections 2, 9, 11, 13, 14 and 15.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from negotiation_app.protocol.row_words import REVIEW, content_of, part_in_words
from negotiation_app.protocol.value_words import Json, word
from negotiation_app.protocol.wording import field_in_words


@dataclass(frozen=True)
class Need:
    """One thing that waits: the field path of its row, how it stands, a sentence's beginning, and what is asked."""

    field: str
    status: str
    says: str
    ask: str


def needs(state: Json) -> list[Need]:
    """Return what waits for somebody; nothing once a negotiation is over."""
    if state["negotiation"]["status"] in {"CLOSED", "NO_DEAL"}:
        return list(_notifications(state))
    return [need for find in _FINDERS for need in find(state)]


def _contradictions(state: Json) -> Iterator[Need]:
    for ref, row in state["contradictions"].items():
        if row["status"] == "OPEN":
            says = f"{ref}: {content_of(row)}, and both cannot hold"
            yield Need(f"contradictions/{ref}", "OPEN", says, "resolve it by new evidence or the principal's decision")


def _patches(state: Json) -> Iterator[Need]:
    current = state["negotiation"]["stateVersion"]
    for ref, row in state["patches"].items():
        if row["status"] == "SUBMITTED":
            read = f"read at version {row['stateVersion']}, the state is at {current}"
            yield Need(f"patches/{ref}", "SUBMITTED", f"Patch {ref}, {read}", "reconcile or reject it")
        elif row["status"] == "PARKED" and not _is_rerun(state, ref):
            yield Need(f"patches/{ref}", "PARKED", f"Patch {ref} is parked", "have it run again on the present state")


def _is_rerun(state: Json, ref: str) -> bool:
    return any(row.get("rerunOf") == ref for row in state["patches"].values())


def _boundaries(state: Json) -> Iterator[Need]:
    bounds = {
        f"boundaries/{issue}/{kind}": row for issue, rows in state["boundaries"].items() for kind, row in rows.items()
    }
    for field, row in {**bounds, "batna": state["batna"]}.items():
        if row is not None and row["reviewState"] == "NEEDS_REVIEW":
            says = f"{field_in_words(field)}, {content_of(row)}, rests on something that is no longer so"
            yield Need(field, "NEEDS_REVIEW", says[:1].upper() + says[1:], "set it anew, or renew it with its basis")


def _judgements(state: Json) -> Iterator[Need]:
    for ref, row in state["judgements"].items():
        if row["status"] in {"STALE", "NEEDS_REVIEW"}:
            says = f"{word(row['kind']).capitalize()} {ref}, {content_of(row)}"
            yield Need(f"judgements/{ref}", row["status"], says, f"{REVIEW}: reaffirm, replace or retire it")


def _propositions(state: Json) -> Iterator[Need]:
    for ref, row in state["propositions"].items():
        if row["lifecycle"] == "EFFECTIVE" and row["reviewState"] == "NEEDS_REVIEW":
            says = f"Proposition {ref}, {part_in_words(row)}"
            yield Need(f"propositions/{ref}", "NEEDS_REVIEW", says, "attach evidence that carries it, or supersede it")


def _offers(state: Json) -> Iterator[Need]:
    for side, offer in state["offers"].items():
        if offer is not None and offer["reconfirm"]:
            says = f"{field_in_words(f'offers/{side}').capitalize()}, {offer['proposal']}, is from before the reopening"
            yield Need(f"offers/{side}", "RECONFIRM", says, "have it reconfirmed, or record a newer one")


def _findings(state: Json) -> Iterator[Need]:
    for ref, row in state["findings"].items():
        if row["disposition"] == "DEFER":
            yield Need(
                f"findings/{ref}", "DEFER", f"Finding {ref} is deferred, {content_of(row)}", "take it up in time"
            )


def _notifications(state: Json) -> Iterator[Need]:
    for ref, row in state["notifications"].items():
        if not row["acknowledged"]:
            says = f"{ref}: {content_of(row)}"
            yield Need(f"notifications/{ref}", "OPEN", says, "acknowledge it")


_FINDERS = (
    _contradictions, _patches, _boundaries, _judgements, _propositions, _offers, _notifications, _findings,
)  # fmt: skip
