"""A SaaS renewal: a stale patch, a contradiction, a withdrawn concession, a FAIL with an override, a red team."""

from __future__ import annotations

from negotiation_app.demo.steps import Story, add, decide, evidence, money, number, orchestrate, specialise


def _fee(amount: str) -> dict[str, object]:
    return money(amount, "USD", "year")


OPENING = {
    "ref": "cloudbridge-renewal",
    "title": "Cloudbridge renewal 2027 (demo)",
    "mode": "FULL",
    "expectedToContinue": True,
    "parties": [
        {"ref": "user", "name": "Halvorsen Logistics", "side": "OWN"},
        {"ref": "cloudbridge", "name": "Cloudbridge Inc.", "side": "COUNTERPART"},
        {"ref": "reseller", "name": "Nordic IT Partner", "side": "THIRD"},
    ],
    "issues": [
        {"ref": "fee", "label": "Annual fee", "type": "money", "direction": "LOWER", "weight": "0.6"},
        {"ref": "seats", "label": "Seats included", "type": "number", "direction": "HIGHER", "weight": "0.2"},
        {"ref": "uplift", "label": "Cap on yearly uplift", "type": "percent", "direction": "LOWER", "weight": "0.2"},
    ],
}

STORY = Story(
    OPENING,
    (
        orchestrate(
            "record_event",
            event={"type": "DOCUMENT_RECEIVED", "locator": "Order form 2024-118", "party": "cloudbridge"},
            operations=[
                add(
                    "current-fee", "user", "current.fee", _fee("182000"),
                    status="KNOWN",
                    item=evidence("order-form", "DOCUMENT", "Order form 2024-118, p. 2"),
                ),
                add(
                    "seats-used", "user", "seats.used", number("312"),
                    status="KNOWN",
                    item=evidence("usage-report", "MEASUREMENT", "Admin console export 2026-10-30"),
                ),
            ],
        ),
        orchestrate(
            "set_batna",
            batna={
                "description": "Move to Fjordcloud at the end of March",
                "terms": {"fee": _fee("176000"), "seats": number("400")},
                "basis": {"reason": "Written quote, valid until 15 February", "propositions": ["current-fee"]},
            },
        ),
        orchestrate(
            "set_boundary",
            boundary={
                "issue": "fee", "kind": "TARGET", "value": _fee("155000"),
                "basis": {"reason": "312 of 500 seats are used", "propositions": ["seats-used"]},
            },
        ),
        orchestrate(
            "set_boundary",
            boundary={
                "issue": "fee", "kind": "FLOOR", "value": _fee("172000"),
                "basis": {"reason": "Just below the alternative", "propositions": ["current-fee"]},
            },
        ),
        decide(
            "approve-max-fee", "APPROVE_CRITERION", "Above this we leave.",
            subject="max-fee", value={"comparator": "AT_MOST", "value": _fee("170000")},
        ),
        orchestrate(
            "set_criterion",
            criterion={
                "ref": "max-fee", "label": "Annual fee", "on": {"issue": "fee"}, "comparator": "AT_MOST",
                "value": _fee("170000"),
            },
            decision="approve-max-fee",
        ),
        orchestrate(
            "record_proposal",
            event={"locator": "Mail of 12 November", "party": "cloudbridge"},
            proposal={
                "ref": "cb-1", "side": "COUNTERPART",
                "terms": {"fee": _fee("196000"), "seats": number("500"), "uplift": {"type": "percent", "amount": "7"}},
                "validUntil": "2027-01-31",
            },
        ),
        orchestrate(
            "record_judgement",
            judgement={
                "ref": "strategy-1", "kind": "STRATEGY",
                "text": "Trade seats that nobody uses for the fee; hold the uplift cap until the end.",
                "recommendation": "Open at 150,000 with 350 seats.",
                "dependsOn": ["offers/COUNTERPART", "facts/user/seats.used", "batna"],
            },
        ),
        orchestrate(
            "record_proposal",
            event={"locator": "Mail of 14 November"},
            proposal={
                "ref": "own-1", "side": "OWN",
                "terms": {"fee": _fee("150000"), "seats": number("350"), "uplift": {"type": "percent", "amount": "3"}},
            },
        ),
        specialise(
            "submit_patch",
            patch={
                "ref": "benchmark", "summary": "Renewal benchmark of the category", "stateVersion": "NOW",
                "operations": [
                    {
                        "op": "SUPERSEDE", "id": "target", "target": "boundaries/fee/TARGET",
                        "reason": "The benchmark is lower than what we assumed.",
                        "boundary": {
                            "issue": "fee", "kind": "TARGET", "value": _fee("148000"),
                            "basis": {
                                "reason": "Lower quartile",
                                "evidence": [evidence("benchmark-12", "MARKET_DATA", "Renewal benchmark 2026, p. 12")],
                            },
                        },
                    },
                    add(
                        "market-discount", "market", "renewal.discount", {"type": "percent", "amount": "12"},
                        status="KNOWN",
                        item=evidence("survey", "MARKET_DATA", "Buyer survey 2026, table 4"),
                    ),
                ],
            },
        ),
        orchestrate(
            "set_boundary",
            boundary={
                "issue": "fee", "kind": "TARGET", "value": _fee("158000"),
                "basis": {"reason": "The board wants a signature this year", "propositions": ["seats-used"]},
            },
        ),
        orchestrate("reconcile_patch", refused="PATCH_STALE", patch="benchmark"),
        orchestrate(
            "record_event",
            event={"type": "COUNTERPART_MESSAGE", "party": "cloudbridge", "locator": "Call of 20 November, 14:05",
                   "text": "Our fiscal year ends in January; after that nobody can sign discounts."},
            operations=[
                add(
                    "fy-end-said", "cloudbridge", "fiscal.end", {"type": "date", "value": "2027-01-31"},
                    status="SUPPORTED_INFERENCE",
                    item=evidence("call-1", "COUNTERPART_STATEMENT", "Call of 20 November, 14:05",
                             "Our fiscal year ends in January"),
                    party="cloudbridge",
                ),
            ],
        ),
        orchestrate(
            "record_event",
            event={"type": "RESEARCH_RESULT", "locator": "Annual filing 2025"},
            operations=[
                add(
                    "fy-end-filed", "cloudbridge", "fiscal.end", {"type": "date", "value": "2027-03-31"},
                    status="KNOWN",
                    item=evidence("filing", "OFFICIAL_RECORD", "Annual filing 2025, cover page"),
                ),
                add(
                    "fy-end-old", "cloudbridge", "fiscal.end", {"type": "date", "value": "2027-01-31"},
                    status="KNOWN",
                    item=evidence("filing-2023", "OFFICIAL_RECORD", "Annual filing 2023, cover page"),
                ),
            ],
        ),
        orchestrate(
            "record_concession",
            concession={
                "ref": "seats-down", "side": "OWN", "issue": "seats", "from": number("350"), "to": number("330"),
                "state": "OFFERED", "condition": "for a fee of 160,000 or less",
            },
        ),
        orchestrate(
            "record_proposal",
            event={"locator": "Mail of 24 November", "party": "cloudbridge"},
            proposal={
                "ref": "cb-2", "side": "COUNTERPART", "amends": "cb-1",
                "terms": {"fee": _fee("179000"), "uplift": {"type": "percent", "amount": "5"}},
            },
        ),
        orchestrate(
            "set_concession_status", concession="seats-down", status="WITHDRAWN",
            reason="They did not move below 175,000 for it.",
        ),
        specialise(
            "record_simulation",
            simulation={
                "ref": "red-team-1", "kind": "RED_TEAM",
                "statements": [
                    {"ref": "s1", "speaker": "Cloudbridge (simulated)",
                     "text": "If they threaten to leave we can find one hundred and sixty-two, but not in writing."},
                    {"ref": "s2", "speaker": "Cloudbridge (simulated)",
                     "text": "They cannot migrate before the summer, and they know it."},
                ],
            },
        ),
        orchestrate(
            "reconcile_finding",
            finding={"ref": "migration-risk", "simulation": "red-team-1", "statements": ["s2"],
                     "text": "Our threat to leave is weak until the migration is planned."},
            disposition="TEST", rationale="The plan has no date yet.",
            proposition={
                "ref": "migration-ready", "subject": "user", "attribute": "migration.ready",
                "value": {"type": "boolean", "value": False}, "status": "HYPOTHESIS",
            },
        ),
        orchestrate("review_deal", review={"ref": "review-1", "proposal": "cb-2"}),
        decide("override-1", "OVERRIDE_REVIEW", "The board prefers a signature over the last 5 %.", subject="review-1"),
        orchestrate(
            "override_review",
            override={"ref": "override-review-1", "review": "review-1", "reason": "The board's decision."},
            decision="override-1",
        ),
        specialise(
            "submit_patch",
            patch={
                "ref": "uplift-research", "summary": "What others pay for the cap", "stateVersion": "NOW",
                "operations": [
                    add(
                        "uplift-market", "market", "uplift.cap", {"type": "percent", "amount": "4"},
                        status="KNOWN",
                        item=evidence("survey-cap", "MARKET_DATA", "Buyer survey 2026, table 9"),
                    ),
                ],
            },
        ),
    ),
)  # fmt: skip
