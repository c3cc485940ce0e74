"""A salary negotiation, from the first call to an offer that is reviewed and accepted."""

from __future__ import annotations

from negotiation_app.demo.steps import Story, add, decide, evidence, money, number, orchestrate, specialise


def _base(amount: str) -> dict[str, object]:
    return money(amount, "EUR", "year")


OPENING = {
    "ref": "nordwind-offer",
    "title": "Datenplattform bei Nordwind (Demo)",
    "mode": "STANDARD",
    "expectedToContinue": True,
    "parties": [
        {"ref": "user", "name": "Maya Lindqvist", "side": "OWN"},
        {"ref": "nordwind", "name": "Nordwind Energie GmbH", "side": "COUNTERPART"},
    ],
    "issues": [
        {"ref": "base", "label": "Grundgehalt", "type": "money", "direction": "HIGHER", "weight": "0.7"},
        {"ref": "remote", "label": "Tage im Homeoffice", "type": "number", "direction": "HIGHER", "weight": "0.3"},
    ],
}

STORY = Story(
    OPENING,
    (
        orchestrate(
            "record_event",
            event={"type": "USER_MESSAGE", "locator": "Gespräch am 2. November"},
            operations=[
                add(
                    "current", "user", "current.base", _base("81000"),
                    status="KNOWN",
                    item=evidence("said-1", "USER_STATEMENT", "Gespräch am 2. November"), party="user",
                ),
            ],
        ),
        orchestrate(
            "set_batna",
            batna={
                "description": "Bleiben, wo ich bin",
                "terms": {"base": _base("81000"), "remote": number("2")},
                "basis": {"reason": "Mein Vertrag", "propositions": ["current"]},
            },
        ),
        decide(
            "approve-min", "APPROVE_CRITERION", "Darunter lohnt der Wechsel nicht.",
            subject="min-base", value={"comparator": "AT_LEAST", "value": _base("88000")},
        ),
        orchestrate(
            "set_criterion",
            criterion={
                "ref": "min-base", "label": "Grundgehalt", "on": {"issue": "base"}, "comparator": "AT_LEAST",
                "value": _base("88000"),
            },
            decision="approve-min",
        ),
        orchestrate(
            "set_boundary",
            boundary={
                "issue": "base", "kind": "TARGET", "value": _base("94000"),
                "basis": {"reason": "Oberes Drittel", "evidence": [
                    evidence("report-8", "MARKET_DATA", "Gehaltsreport 2026, Tab. 8")]},
            },
        ),
        orchestrate(
            "set_boundary",
            boundary={
                "issue": "base", "kind": "FLOOR", "value": _base("86000"),
                "basis": {"reason": "Mehr als heute, mit Umzug", "propositions": ["current"]},
            },
        ),
        orchestrate(
            "record_proposal", event={"locator": "Telefonat am 4. November", "party": "nordwind"},
            proposal={"ref": "n1", "side": "COUNTERPART", "terms": {"base": _base("84000"), "remote": number("1")}},
        ),
        orchestrate(
            "record_judgement",
            judgement={
                "ref": "s1", "kind": "STRATEGY", "text": "Mit 95 kontern, einen Tag im Büro anbieten.",
                "recommendation": "95 nennen", "dependsOn": ["offers/COUNTERPART", "batna"],
            },
        ),
        orchestrate(
            "record_proposal", event={"locator": "Mail vom 5. November"},
            proposal={"ref": "o1", "side": "OWN", "terms": {"base": _base("95000"), "remote": number("3")}},
        ),
        orchestrate(
            "record_event",
            event={"type": "USER_CORRECTION", "locator": "Gehaltsabrechnung Oktober"},
            correction={
                "corrects": "current",
                "proposition": {
                    "ref": "current-2", "subject": "user", "attribute": "current.base", "value": _base("83500"),
                    "status": "KNOWN", "party": "user",
                    "evidence": [evidence("said-2", "USER_STATEMENT", "Gehaltsabrechnung Oktober")],
                },
            },
        ),
        orchestrate(
            "record_proposal", event={"locator": "Mail vom 9. November", "party": "nordwind"},
            proposal={"ref": "n2", "side": "COUNTERPART", "amends": "n1", "terms": {"base": _base("89500")}},
        ),
        orchestrate(
            "record_concession",
            concession={
                "ref": "k1", "side": "COUNTERPART", "issue": "base", "from": _base("84000"), "to": _base("89500"),
                "state": "GRANTED", "proposal": "n2",
            },
        ),
        orchestrate(
            "record_concession",
            concession={
                "ref": "k2", "side": "OWN", "issue": "remote", "from": number("3"), "to": number("2"),
                "state": "OFFERED", "condition": "für 91.000", "inExchangeFor": ["k1"],
            },
        ),
        specialise(
            "submit_patch",
            patch={
                "ref": "band", "summary": "Gehaltsband laut Recruiter", "stateVersion": "NOW",
                "operations": [
                    add(
                        "band-max", "nordwind", "band.max", _base("92000"),
                        status="SUPPORTED_INFERENCE",
                        item=evidence("call-2", "COUNTERPART_STATEMENT", "Telefonat am 10. November",
                                 "das Band geht wohl bis etwa 92", "HEDGED"),
                        party="nordwind",
                    ),
                ],
            },
        ),
        orchestrate("reconcile_patch", patch="band"),
        orchestrate(
            "set_batna",
            batna={
                "description": "Bleiben, wo ich bin",
                "terms": {"base": _base("83500"), "remote": number("2")},
                "basis": {"reason": "Berichtigt nach der Abrechnung", "propositions": ["current-2"]},
            },
        ),
        orchestrate("review_deal", review={"ref": "r1", "proposal": "n2"}),
    ),
)  # fmt: skip
