"""Things that could be said to a negotiation as it stands: in form, about what is there, and often refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.negotiation.protocol.talks import Talks, usd

AMOUNTS = ("90", "100", "100.00", "110")
STATUSES = ("UNKNOWN", "HYPOTHESIS", "SUPPORTED_INFERENCE", "KNOWN", "KNOWN", "KNOWN")
KINDS = ("DOCUMENT", "DOCUMENT", "DOCUMENT", "USER_STATEMENT", "THIRD_PARTY_STATEMENT", "SIMULATION", "INFERENCE")
BECAUSE = ("SAME_SOURCE_UPDATE", "REPLACED_IN_TIME", "TRANSCRIPTION_ERROR")
PATHS = (
    "strategy",
    "batna",
    "facts/acme/list.fee",
    "offers/OWN",
    "boundaries/fee",
    "derived/reciprocity",
    "process/deadline",
)
Body = dict[str, Any]


class Sayings:
    """Draws operations whose refs are mostly those of the talks' present state."""

    def __init__(self, data: st.DataObject, talks: Talks) -> None:
        self._draw = data.draw
        self.talks = talks
        self._count = 0

    def next(self) -> tuple[str, Body]:
        build = self.one(_SAYINGS)
        return build[0], build[1](self)

    def one(self, choices: Sequence[Any]) -> Any:
        return self._draw(st.sampled_from(choices))

    def fresh(self) -> str:
        self._count += 1
        return f"r{self._count}"

    def known(self, table: str) -> str:
        """Return a ref that is there; `nothing` where the table is empty."""
        return str(self.one(sorted(getattr(self.talks.state, table)) or ["nothing"]))

    def amount(self) -> Body:
        return usd(self.one(AMOUNTS))

    def side(self) -> str:
        return str(self.one(("OWN", "COUNTERPART")))

    def evidence(self) -> list[Body]:
        kind = self.one(KINDS)
        told = {"ref": self.fresh(), "kind": kind, "statedAs": self.one(("FLAT", "FLAT", "HEDGED", "QUESTION"))}
        if kind == "INFERENCE":
            return [{**told, "premises": [self.known("propositions")]}]
        return [{**told, "simulation": "rp1"} if kind == "SIMULATION" else {**told, "locator": "binder"}]

    def proposition(self) -> Body:
        told = {
            "ref": self.fresh(),
            "subject": self.one(("user", "acme")),
            "attribute": self.one(("list.fee", "position.fee")),
            "value": self.amount(),
            "status": self.one(STATUSES),
            "party": self.one(("user", "acme")),
            "rationale": "it seems so",
            "evidence": self.evidence(),
        }
        as_of = self.one((None, None, "2026", "2026-03", {"from": "2026-04"}))
        return told if as_of is None else {**told, "asOf": as_of}

    def successor(self, ref: str) -> Body:
        """A proposition of the same slot."""
        row = self.talks.state.propositions.get(ref)
        told = self.proposition()
        return told if row is None else {**told, "subject": row.subject, "attribute": row.attribute}

    def inner(self) -> Body:
        return self.one((_add, _add, _add, _update, _supersede, _flag))(self)  # type: ignore[no-any-return]

    def basis(self) -> Body:
        return {"reason": "because", "propositions": [self.known("propositions")], "evidence": self.evidence()}


def _add(say: Sayings) -> Body:
    return {"op": "ADD", "proposition": say.proposition()}


def _update(say: Sayings) -> Body:
    told = {"op": "UPDATE_WITH_EVIDENCE", "target": f"propositions/{say.known('propositions')}"}
    return {**told, "status": say.one(STATUSES), "evidence": say.evidence()}


def _supersede(say: Sayings) -> Body:
    old = say.known("propositions")
    told = {"op": "SUPERSEDE", "target": f"propositions/{old}", "because": say.one(BECAUSE), "reason": "newer"}
    return {**told, "proposition": say.successor(old)}


def _flag(say: Sayings) -> Body:
    between = sorted({say.known("propositions"), say.known("propositions"), "nothing"})[:2]
    return {"op": "FLAG_CONTRADICTION", "between": between, "reason": "both cannot be"}


def _event(say: Sayings) -> Body:
    return {"event": {"type": "NEW_FACT"}, "operations": [say.inner() for _ in range(say.one((1, 1, 2)))]}


def _correction(say: Sayings) -> Body:
    old = say.known("propositions")
    words = [{"ref": say.fresh(), "kind": "USER_STATEMENT", "locator": "chat"}]
    proposition = {**say.successor(old), "evidence": words}
    return {"event": {"type": "USER_CORRECTION"}, "correction": {"corrects": old, "proposition": proposition}}


def _resolution(say: Sayings) -> Body:
    row = say.talks.state.contradictions.get(ref := say.known("contradictions"))
    members = ["nothing"] if row is None else list(row.members)
    return {
        "contradiction": ref,
        "resolution": say.one(("UPHOLD", "REPLACE", "DEMOTE", "COMPATIBLE")),
        "reason": "settled",
        "winner": say.one(members),
        "evidence": say.evidence(),
        "proposition": say.successor(members[0]),
    }


def _boundary(say: Sayings) -> Body:
    told = {"issue": "fee", "kind": say.one(("TARGET", "FLOOR")), "value": say.amount()}
    return {"boundary": {**told, "basis": say.basis()}}


def _batna(say: Sayings) -> Body:
    return {"batna": {"description": "Another", "terms": {"fee": say.amount()}, "basis": say.basis()}}


def _retired_boundary(say: Sayings) -> Body:
    return {"boundary": {"issue": "fee", "kind": say.one(("TARGET", "FLOOR")), "basis": say.basis()}}


def _retired_batna(say: Sayings) -> Body:
    return {"batna": {"basis": say.basis()}}


def _party(say: Sayings) -> Body:
    side = say.one(("OWN", "COUNTERPART", "THIRD"))
    return {"party": {"ref": say.one((say.fresh(), "acme")), "name": "Another", "side": side}}


def _deadline(say: Sayings) -> Body:
    return {"deadline": say.one((None, "2026-06-30", "2026-06-30T12:00:00Z")), "reason": "they said so"}


def _expectation(say: Sayings) -> Body:
    return {"expectedToContinue": say.one((True, False)), "reason": "they said so"}


def _proposal(say: Sayings) -> Body:
    made_at = say.one(("2026-03-02T09:30:00Z", "2026-03-02T12:00:00Z"))
    return {"proposal": {"ref": say.fresh(), "side": say.side(), "terms": {"fee": say.amount()}, "madeAt": made_at}}


def _proposal_status(say: Sayings) -> Body:
    fate = say.one(("WITHDRAWN", "REJECTED", "RECONFIRMED", "RECORDED_IN_ERROR", "RECORDED_IN_ERROR"))
    return {"proposal": say.known("proposals"), "status": fate, "reason": "they said so"}


def _concession(say: Sayings) -> Body:
    told = {"ref": say.fresh(), "side": say.side(), "issue": "fee", "from": say.amount(), "to": say.amount()}
    return {"concession": {**told, "state": say.one(("OFFERED", "GRANTED"))}}


def _concession_status(say: Sayings) -> Body:
    state = say.one(("GRANTED", "REGRETTED", "WITHDRAWN", "RECORDED_IN_ERROR"))
    return {"concession": say.known("concessions"), "status": state, "reason": "on second thoughts"}


def _judgement(say: Sayings) -> Body:
    told = {"ref": say.fresh(), "kind": say.one(("STRATEGY", "RISK")), "text": "Wait", "recommendation": "ask for 95"}
    return {"judgement": {**told, "dependsOn": [say.one(PATHS)]}}


def _judgement_review(say: Sayings) -> Body:
    outcome = say.one(("REAFFIRM", "REAFFIRM", "RETIRE"))
    return {"judgement": say.known("judgements"), "outcome": outcome, "reason": "looked at it"}


APPROVED: Body = {"comparator": "AT_MOST", "value": usd("100")}


def _decision(say: Sayings) -> Body:
    told = {"ref": say.fresh(), "kind": "APPROVE_CRITERION", "seenVersion": say.talks.state.version}
    return {"decision": {**told, "subject": "cap", "value": APPROVED, "reason": "agreed"}}


def _criterion(say: Sayings) -> Body:
    told = {"ref": "cap", "label": "Cap", "on": {"issue": "fee"}}
    return {"criterion": {**told, **APPROVED}, "decision": say.known("decisions")}


def _criterion_change(say: Sayings) -> Body:
    told = {"criterion": "cap", "previousValue": usd("100"), "newValue": usd("100"), "reason": "again"}
    return {**told, "newEvidence": say.evidence(), "decision": say.known("decisions")}


def _review(say: Sayings) -> Body:
    return {"review": {"ref": say.fresh(), "proposal": say.known("proposals")}}


def _patch(say: Sayings) -> Body:
    version = say.one((1, say.talks.state.version))
    operations = [{**say.inner(), "id": f"o{number}"} for number in range(2)]
    return {"patch": {"ref": say.fresh(), "stateVersion": version, "operations": operations}}


def _reconciling(say: Sayings) -> Body:
    return {"patch": say.known("patches"), **say.one(({}, {"accept": []}, {"accept": ["o1"]}))}


def _status(say: Sayings) -> Body:
    return {"to": say.one(("PAUSED", "ACTIVE")), "causeEvent": say.known("event_seqs")}


_SAYINGS: tuple[tuple[str, Callable[[Sayings], Body]], ...] = (
    ("record_event", _event),
    ("record_event", _event),
    ("record_event", _event),
    ("record_event", _correction),
    ("resolve_contradiction", _resolution),
    ("resolve_contradiction", _resolution),
    ("set_boundary", _boundary),
    ("set_batna", _batna),
    ("retire_boundary", _retired_boundary),
    ("retire_batna", _retired_batna),
    ("add_party", _party),
    ("set_deadline", _deadline),
    ("set_expectation", _expectation),
    ("record_proposal", _proposal),
    ("set_proposal_status", _proposal_status),
    ("record_concession", _concession),
    ("set_concession_status", _concession_status),
    ("record_judgement", _judgement),
    ("review_judgement", _judgement_review),
    ("decide", _decision),
    ("set_criterion", _criterion),
    ("change_criterion", _criterion_change),
    ("review_deal", _review),
    ("submit_patch", _patch),
    ("reconcile_patch", _reconciling),
    ("change_status", _status),
)
