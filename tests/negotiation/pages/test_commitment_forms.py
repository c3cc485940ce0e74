"""The forms of what was said beforehand, and of the register apart: each sends what its operation takes."""

from __future__ import annotations

import pytest
from django.test import Client

from negotiation_app.operations.check import check_negotiation
from negotiation_app.pages.commitment_forms import COMMITMENT_FORMS
from negotiation_app.pages.roleplay_forms import ROLEPLAY_FORMS
from negotiation_app.protocol.names import Role
from negotiation_app.queries import state_document
from tests.negotiation.deals import Deal, with_something_of_everything

pytestmark = pytest.mark.django_db(transaction=True)

SENT = {
    "criterion": {
        "ref": "other", "label": "Fee", "issue": "fee", "comparator": "AT_MOST", "value": "100 USD",
        "decision": "approve-other",
    },
    "criterion-change": {
        "criterion": "cap", "previousValue": "100 USD", "newValue": "101 USD", "reason": "The market moved.",
        "evidenceRef": "news", "evidenceKind": "DOCUMENT", "evidenceLocator": "Page 1", "decision": "approve-change",
    },
    "override": {"ref": "ov1", "review": "r1", "reason": "We need it.", "decision": "approve-override"},
    "simulation": {"ref": "rp2", "kind": "RED_TEAM", "statements": "Them: we could go to 80\nUs: we cannot"},
    "finding": {"ref": "f1", "simulation": "rp1", "text": "They may go to 80.", "disposition": "DEFER",
                "rationale": "Later."},
}  # fmt: skip
FORMS = {form.name: form for form in (*COMMITMENT_FORMS, *ROLEPLAY_FORMS)}


@pytest.fixture
def deal() -> Deal:
    return with_something_of_everything()


@pytest.fixture
def client(deal: Deal) -> Client:
    client = Client()
    client.force_login(deal.people[Role.ORCHESTRATOR])
    return client


class TestAForm:
    @pytest.mark.parametrize("name", sorted(FORMS))
    def test_is_shown_and_performs_its_operation(self, deal: Deal, client: Client, name: str) -> None:
        address, version = f"/negotiations/{deal.ref}/act/{name}/", deal.version

        shown = client.get(address)
        sent = client.post(address, {"stateVersion": version, **SENT[name]})

        assert FORMS[name].title in shown.content.decode()
        assert "disabled" not in shown.content.decode().split("<fieldset")[1].split(">")[0]
        assert sent.status_code == 302, sent.content.decode()[:2000]
        assert check_negotiation(deal.ref) == []

    @pytest.mark.parametrize("name", sorted(FORMS))
    def test_that_says_nothing_comes_back_with_what_is_missing(self, deal: Deal, client: Client, name: str) -> None:
        version = deal.version

        sent = client.post(f"/negotiations/{deal.ref}/act/{name}/", {"stateVersion": version})

        assert sent.status_code in (404, 422)
        assert deal.version == version

    def test_of_a_simulation_keeps_who_said_what(self, deal: Deal, client: Client) -> None:
        client.post(f"/negotiations/{deal.ref}/act/simulation/", SENT["simulation"])

        kept = state_document(deal.row, now=deal.clock)["simulations"]["rp2"]["statements"]
        assert [(each["speaker"], each["text"]) for each in kept] == [
            ("Them", "we could go to 80"),
            ("Us", "we cannot"),
        ]
