"""What an item of evidence carries, when it is tainted, and how a new one is registered.

Source: canonical negotiation state, sections 8 (tables and caps) and 15 (taint).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from negotiation_app.protocol.conflicts import TargetNotEffective
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.event_types import RECORDED_WORDS, EventType
from negotiation_app.protocol.names import Certainty, EvidenceKind, Origin, ReviewState, Side, StatedAs
from negotiation_app.protocol.refusals import DependencyCycle, EvidenceNotIdentifiable, SimulatedSource
from negotiation_app.protocol.rows import Evidence, Proposition
from negotiation_app.protocol.state import Negotiation
from negotiation_app.protocol.texts import normal_text

SHORTEST_QUOTE = 20
_OWN_ROWS = (
    "propositions/",
    "facts/",
    "evidence/",
    "judgements/",
    "derived/",
    "patches/",
    "artefacts/",
    "notifications/",
    "state:",
    "snapshot:",
    "artefact:",
)
_SIMULATION_PREFIX = "simulation:"
_REF_END = re.compile(r"[#/]")

_DIRECT = frozenset((EvidenceKind.DOCUMENT, EvidenceKind.OFFICIAL_RECORD, EvidenceKind.MEASUREMENT))
_CAPS = {
    StatedAs.FLAT: Certainty.KNOWN,
    StatedAs.HEDGED: Certainty.SUPPORTED_INFERENCE,
    StatedAs.CONDITIONAL: Certainty.SUPPORTED_INFERENCE,
    StatedAs.REPORTED: Certainty.SUPPORTED_INFERENCE,
    StatedAs.IMPLIED: Certainty.HYPOTHESIS,
    StatedAs.QUESTION: Certainty.HYPOTHESIS,
}


def register(draft: Draft, forms: Iterable[Mapping[str, Any]] | None, *, about: str | None = None) -> list[str]:
    """Register the new ones of these items and return the refs of all.

    about: the proposition that they speak for, which no premise may lead back to.
    Raises EvidenceNotIdentifiable, TargetNotEffective, DependencyCycle.
    """
    refs = []
    for form in forms or ():
        if set(form) != {"ref"}:
            draft.put(_registered(draft, form))
        item = draft.state.evidence[form["ref"]]
        if about is not None:
            _refuse_cycle(draft.state, item, about)
        refs.append(item.ref)
        draft.done.evidence.append(item.ref)
    return refs


def carried(state: Negotiation, item: Evidence, subject: str, attribute: str) -> Certainty | None:
    """Return the status up to which the item carries a statement about this slot; None for nothing at all."""
    if any(not state.propositions[ref].is_effective for ref in item.premises):
        return None
    if is_tainted(state, item):
        return Certainty.HYPOTHESIS
    by_kind = _by_kind(state, item, subject, attribute)
    return min(by_kind, _CAPS[StatedAs(item.stated_as)], key=lambda each: each.rank)


def best_carried(state: Negotiation, refs: Iterable[str], subject: str, attribute: str) -> Certainty:
    """Return the highest status that one of the items carries; UNKNOWN where none carries any."""
    found = (carried(state, state.evidence[ref], subject, attribute) for ref in refs)
    return max((each for each in found if each is not None), key=lambda each: each.rank, default=Certainty.UNKNOWN)


def is_tainted(state: Negotiation, item: Evidence) -> bool:
    """Tell whether the item comes out of a simulation: by itself, or by a premise that nothing else supports yet."""
    return item.tainted or any(is_simulated(state.propositions[ref]) for ref in item.premises)


def is_simulated(proposition: Proposition) -> bool:
    """Tell whether nothing outside a simulation supports the proposition yet."""
    below = proposition.certainty.rank < Certainty.SUPPORTED_INFERENCE.rank
    return proposition.origin == Origin.SIMULATED and below


def all_tainted(state: Negotiation, refs: Iterable[str]) -> bool:
    return all(is_tainted(state, state.evidence[ref]) for ref in refs)


def is_tainted_locator(state: Negotiation, locator: str | None) -> bool:
    """Tell whether a locator points into a simulation."""
    if locator is None:
        return False
    place = locator.strip().casefold()
    return place.startswith(_SIMULATION_PREFIX) or _REF_END.split(place, maxsplit=1)[0] in state.simulations


def refuse_tainted_locator(state: Negotiation, locator: str | None, subject: str) -> None:
    """Raise SimulatedSource where the locator of an offer, a concession or an event points into a simulation."""
    if is_tainted_locator(state, locator):
        raise SimulatedSource(subject=subject)


def refuse_simulated_message(state: Negotiation, text: str | None, locator: str | None, kind: EventType) -> None:
    """Raise SimulatedSource for a message of the counterpart that a simulation has word for word, found nowhere."""
    if kind != EventType.COUNTERPART_MESSAGE or (locator or "").strip() or text is None:
        return
    said = normal_text(text)
    if len(said) >= SHORTEST_QUOTE and said in _simulated_texts(state):
        raise SimulatedSource(subject="The message")


def _registered(draft: Draft, form: Mapping[str, Any]) -> Evidence:
    state, kind = draft.state, form["kind"]
    locator = (form.get("locator") or "").strip()
    premises, simulation = tuple(form.get("premises", ())), form.get("simulation")
    found_by = {EvidenceKind.INFERENCE: premises, EvidenceKind.SIMULATION: simulation}.get(kind, locator)
    if not found_by or locator.casefold().startswith(_OWN_ROWS):
        raise EvidenceNotIdentifiable(evidence=form["ref"])
    for ref in premises:
        refuse_superseded(state.propositions[ref])
    event = form.get("event", draft.source.ref)
    return Evidence(
        ref=form["ref"],
        order=draft.order,
        kind=kind,
        locator=form.get("locator"),
        quote=form.get("quote"),
        stated_as=form.get("statedAs", StatedAs.FLAT),
        event=event,
        premises=premises,
        simulation=simulation,
        tainted=(
            kind == EvidenceKind.SIMULATION
            or simulation is not None
            or is_tainted_locator(state, locator)
            or _quotes_a_simulation(draft, form.get("quote"), event)
        ),
        recorded_at=draft.at,
    )


def refuse_superseded(proposition: Proposition) -> None:
    """Raise TargetNotEffective for a proposition that has a successor."""
    if not proposition.is_effective:
        raise TargetNotEffective(target=f"propositions/{proposition.ref}", supersededBy=proposition.superseded_by)


def _refuse_cycle(state: Negotiation, item: Evidence, about: str) -> None:
    waiting, seen = list(item.premises), set()
    while waiting:
        ref = waiting.pop()
        if ref == about:
            raise DependencyCycle(subject=f"propositions/{about}", via=f"evidence {item.ref}")
        if ref not in seen:
            seen.add(ref)
            items = (state.evidence[each] for each in state.propositions[ref].evidence)
            waiting += [premise for each in items for premise in each.premises]


def _quotes_a_simulation(draft: Draft, quote: str | None, event: str) -> bool:
    """Tell whether simulated words are quoted that no recorded event really has."""
    said = normal_text(quote or "")
    if len(said) < SHORTEST_QUOTE:
        return False
    if not any(_overlap(said, simulated) for simulated in _simulated_texts(draft.state)):
        return False
    return not _has_words(draft, event, said)


def _overlap(said: str, simulated: str) -> bool:
    return said in simulated or (len(simulated) >= SHORTEST_QUOTE and simulated in said)


def _has_words(draft: Draft, event: str, said: str) -> bool:
    source = draft.source if event == draft.source.ref else draft.state.event(event)
    has_place = bool((source.locator or "").strip()) and not is_tainted_locator(draft.state, source.locator)
    return source.type in RECORDED_WORDS and has_place and said in normal_text(source.text or "")


def _simulated_texts(state: Negotiation) -> list[str]:
    return [normal_text(each["text"]) for row in state.simulations.values() for each in row.statements]


def _by_kind(state: Negotiation, item: Evidence, subject: str, attribute: str) -> Certainty:
    kind = EvidenceKind(item.kind)
    if kind == EvidenceKind.INFERENCE:
        return _by_premises(state, item)
    if kind in _DIRECT or _is_first_hand(state, kind, subject, attribute):
        return Certainty.KNOWN
    return Certainty.SUPPORTED_INFERENCE


def _is_first_hand(state: Negotiation, kind: EvidenceKind, subject: str, attribute: str) -> bool:
    """Tell whether who speaks is the one who knows: the user of his own side, the counterpart of its position."""
    if kind == EvidenceKind.USER_STATEMENT:
        party = state.parties.get(subject)
        return subject == "negotiation" or (party is not None and party.side == Side.OWN)
    if kind == EvidenceKind.COUNTERPART_STATEMENT:
        return attribute.startswith("position.")
    return kind == EvidenceKind.MARKET_DATA and subject == "market"


def _by_premises(state: Negotiation, item: Evidence) -> Certainty:
    weakest = Certainty.SUPPORTED_INFERENCE
    for ref in item.premises:
        premise = state.propositions[ref]
        status = premise.certainty
        if state.is_disputed(ref) or premise.review_state == ReviewState.NEEDS_REVIEW:
            status = min(status, Certainty.HYPOTHESIS, key=lambda each: each.rank)
        weakest = min(weakest, status, key=lambda each: each.rank)
    return weakest
