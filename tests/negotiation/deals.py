"""A negotiation on the database with its people; what is said to it goes through the product's own operations."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from fabric_app.mesh.actors import SYSTEM, actor_of
from negotiation_app.models import Negotiation
from negotiation_app.operations.performing import Asked, create_negotiation, perform
from negotiation_app.operations.roles import grant_role
from negotiation_app.protocol.names import Role
from tests.negotiation.protocol.talks import MONDAY, RENEWAL, ROLE_OF, WITHOUT_VERSION, fact, item, usd

Json = dict[str, Any]
NAMES = {
    Role.ORCHESTRATOR: "oksana",
    Role.SPECIALIST: "stig",
    Role.PRINCIPAL: "petra",
    Role.AUDITOR: "anil",
}


class Deal:
    """Says things to one negotiation, each an hour after the one before, as the account whose role may say it."""

    def __init__(self, **frame: Any) -> None:
        self.clock = MONDAY
        self.people = {role: User.objects.get_or_create(username=name)[0] for role, name in NAMES.items()}
        maker = self.people[Role.ORCHESTRATOR]
        opening = {**RENEWAL, **frame}
        create_negotiation(body=opening, user=maker, actor=actor_of(maker), now=self.clock)
        self.ref: str = opening["ref"]
        self.id = self.row.pk
        for role in (Role.SPECIALIST, Role.PRINCIPAL, Role.AUDITOR):
            self.grant(self.people[role], role)

    @property
    def row(self) -> Negotiation:
        return Negotiation.objects.get(ref=self.ref)

    @property
    def version(self) -> int:
        return self.row.state_version

    def address(self, path: str = "") -> str:
        return f"/api/v1/negotiations/{self.ref}/{path}"

    def grant(self, user: User, role: Role) -> None:
        who = {"account": user.get_username(), "role": role, "reason": "He is.", "actor": SYSTEM, "now": self.clock}
        grant_role(negotiation=self.row, **who)

    def say(self, operation: str, body: Json, *, key: str | None = None, role: Role | None = None) -> Json:
        """Perform an operation on the present version, unless the body names one, and return its answer."""
        self.clock += timedelta(hours=1)
        if operation not in WITHOUT_VERSION:
            body = {"stateVersion": self.version, **body}
        return self.ask(Asked(operation, body, key), role or ROLE_OF.get(operation, Role.ORCHESTRATOR))

    def ask(self, asked: Asked, role: Role, *, at: datetime | None = None) -> Json:
        """Perform exactly what is asked, in one role."""
        actor = actor_of(self.people[role])
        now = at or self.clock
        return perform(negotiation_id=self.id, asked=asked, roles=frozenset((role,)), actor=actor, now=now)

    def learn(self, *operations: Json) -> Json:
        return self.say("record_event", {"event": {"type": "NEW_FACT"}, "operations": list(operations)})


def learned(ref: str, amount: str, **more: Any) -> Json:
    """A KNOWN proposition about Acme's list price, with a document of its own."""
    return fact(ref, usd(amount), item(f"doc-{ref}"), **more)


def basis(*propositions: str) -> Json:
    return {"reason": "as researched", "propositions": list(propositions)}


def basis_in(document: str) -> Json:
    return {"reason": "as the document says", "evidence": [item(document)]}


def with_something_of_everything(**frame: Any) -> Deal:
    """Return a negotiation in which every operation has something that it can be done to."""
    deal = Deal(**frame)
    deal.learn(learned("list", "110"))
    deal.learn(learned("list-2", "120"))
    deal.say("set_boundary", {"boundary": _boundary("TARGET", "90")})
    deal.say("set_boundary", {"boundary": _boundary("FLOOR", "100")})
    deal.say("set_batna", {"batna": _batna("105")})
    deal.say("set_batna", {"batna": _batna("104")})
    deal.say("decide", {"decision": approval("approve-cap", "cap")})
    deal.say("set_criterion", {"criterion": criterion("cap"), "decision": "approve-cap"})
    deal.say("decide", {"decision": approval("approve-other", "other")})
    deal.say(
        "decide", {"decision": {**approval("approve-change", "cap"), "value": AT_MOST_101, "seenVersion": deal.version}}
    )
    deal.say("record_proposal", {"proposal": _proposal("c1", "COUNTERPART", "115")})
    deal.say("record_concession", {"concession": _concession("first")})
    deal.say("review_deal", {"review": {"ref": "r1", "proposal": "c1"}})
    override = {"ref": "approve-override", "kind": "OVERRIDE_REVIEW", "subject": "r1", "seenVersion": deal.version}
    deal.say("decide", {"decision": {**override, "reason": "we need it"}})
    deal.say("record_judgement", {"judgement": _judgement("wait")})
    for ref in ("patch-1", "patch-2"):
        deal.say("submit_patch", {"patch": _patch(ref, deal.version)})
    deal.say("record_simulation", {"simulation": _simulation("rp1")})
    return deal


AT_MOST_101 = {"comparator": "AT_MOST", "value": usd("101")}


def criterion(ref: str) -> Json:
    return {"ref": ref, "label": "Cap", "on": {"issue": "fee"}, "comparator": "AT_MOST", "value": usd("100")}


def approval(ref: str, subject: str) -> Json:
    told = {"ref": ref, "kind": "APPROVE_CRITERION", "subject": subject, "seenVersion": 1, "reason": "agreed"}
    return {**told, "value": {"comparator": "AT_MOST", "value": usd("100")}}


def _boundary(kind: str, amount: str) -> Json:
    return {
        "issue": "fee",
        "kind": kind,
        "value": usd(amount),
        "basis": {"reason": "r", "evidence": [item(f"for-{kind.lower()}")]},
    }


def _batna(amount: str) -> Json:
    told = {"description": f"Another for {amount}", "terms": {"fee": usd(amount)}}
    return {**told, "basis": {"reason": "their quote", "evidence": [item(f"quote-{amount}")]}}


def _proposal(ref: str, side: str, amount: str) -> Json:
    return {"ref": ref, "side": side, "terms": {"fee": usd(amount)}}


def _concession(ref: str) -> Json:
    told = {"ref": ref, "side": "OWN", "issue": "fee", "from": usd("90"), "to": usd("95")}
    return {**told, "state": "OFFERED"}


def _judgement(ref: str) -> Json:
    return {"ref": ref, "kind": "RISK", "text": "They wait", "dependsOn": ["offers/COUNTERPART"]}


def _patch(ref: str, version: int) -> Json:
    added = {"op": "ADD", "id": "o1", "proposition": {"ref": f"of-{ref}", "subject": "acme", "attribute": f"a.{ref}"}}
    return {"ref": ref, "stateVersion": version, "operations": [added]}


def _simulation(ref: str) -> Json:
    statements = [{"ref": "s1", "speaker": "Acme (simulated)", "text": "We could go down to eighty in the end."}]
    return {"ref": ref, "kind": "ROLE_PLAY", "statements": statements}


def every_operation() -> list[tuple[str, str | None, Json]]:
    """Return each operation with the subject of its address and a body that `with_something_of_everything` takes."""
    return [
        ("record_event", None, {"event": {"type": "NEW_FACT"}, "operations": [learned("list-3", "130")]}),
        ("add_party", None, {"party": {"ref": "counsel", "name": "Lund & Co.", "side": "THIRD"}}),
        ("define_issue", None, {"issue": {"ref": "term", "label": "Term", "type": "duration", "direction": "LOWER"}}),
        ("define_attribute", None, {"attribute": {"name": "reference", "multiValued": True}}),
        (
            "declare_rate",
            None,
            {
                "rate": {
                    "from": "EUR",
                    "to": "USD",
                    "rate": "1.1",
                    "asOf": "2026-03-01",
                    "basis": {"reason": "bank", "evidence": [item("ecb")]},
                }
            },
        ),
        ("resolve_contradiction", "contradiction-1", {"resolution": "DEMOTE", "reason": "neither is sure"}),
        ("submit_patch", None, {"patch": _patch("patch-3", 1)}),
        ("preview_patch", "patch-1", {}),
        ("reconcile_patch", "patch-1", {"accept": ["o1"]}),
        ("reject_patch", "patch-2", {"reason": "not now"}),
        ("record_proposal", None, {"proposal": _proposal("o1", "OWN", "92")}),
        ("set_proposal_status", "c1", {"status": "WITHDRAWN", "reason": "they said so"}),
        ("record_concession", None, {"concession": _concession("second")}),
        ("set_concession_status", "first", {"status": "WITHDRAWN", "reason": "for nothing"}),
        (
            "set_boundary",
            None,
            {"boundary": _boundary("TARGET", "91") | {"basis": {"reason": "r", "evidence": [item("new")]}}},
        ),
        ("set_batna", None, {"batna": _batna("103")}),
        ("retire_boundary", None, {"boundary": {"issue": "fee", "kind": "TARGET", "basis": basis_in("gone")}}),
        ("retire_batna", None, {"batna": {"basis": basis_in("withdrawn")}}),
        ("set_criterion", None, {"criterion": criterion("other"), "decision": "approve-other"}),
        (
            "change_criterion",
            "cap",
            {
                "previousValue": usd("100"),
                "newValue": usd("101"),
                "newEvidence": [item("news")],
                "reason": "the market moved",
                "decision": "approve-change",
            },
        ),
        ("review_deal", None, {"review": {"ref": "r2", "proposal": "c1"}}),
        (
            "override_review",
            None,
            {"override": {"ref": "ov1", "review": "r1", "reason": "we need it"}, "decision": "approve-override"},
        ),
        ("record_judgement", None, {"judgement": _judgement("hurry")}),
        ("review_judgement", "wait", {"outcome": "RETIRE", "reason": "over"}),
        ("record_simulation", None, {"simulation": _simulation("rp2")}),
        (
            "reconcile_finding",
            None,
            {
                "finding": {"ref": "f1", "simulation": "rp1", "text": "They may go to 80"},
                "disposition": "DEFER",
                "rationale": "later",
            },
        ),
        ("change_status", None, {"to": "PAUSED", "causeEvent": "event-2"}),
        ("set_deadline", None, {"deadline": "2026-06-30", "reason": "their fiscal year ends"}),
        ("set_expectation", None, {"expectedToContinue": True, "reason": "a second round follows"}),
        ("change_mode", None, {"to": "FULL", "reason": "it matters"}),
        ("decide", None, {"decision": approval("approve-more", "more")}),
        ("revoke_decision", "approve-other", {"reason": "on second thoughts"}),
        ("acknowledge_notification", "notification-1", {}),
        ("take_snapshot", None, {}),
    ]
