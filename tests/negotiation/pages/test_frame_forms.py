"""The forms of the frame and of what is taken out of force: each sends what its operation takes."""

from __future__ import annotations

import pytest
from django.test import Client

from negotiation_app.operations.check import check_negotiation
from negotiation_app.pages.frame_forms import FRAME_FORMS
from negotiation_app.pages.retirement_forms import RETIREMENT_FORMS
from negotiation_app.protocol.names import Role
from negotiation_app.queries import state_document
from tests.negotiation.deals import Deal, with_something_of_everything

pytestmark = pytest.mark.django_db(transaction=True)

BASIS = {
    "basisReason": "As their letter says.",
    "evidenceRef": "letter",
    "evidenceKind": "DOCUMENT",
    "evidenceLocator": "Letter of 3 March",
}
SENT = {
    "party": {"ref": "counsel", "name": "Lund & Co.", "side": "THIRD"},
    "deadline": {"deadline": "2026-06-30", "reason": "Their year ends."},
    "expectation": {"expectedToContinue": "yes", "reason": "A second round follows."},
    "retire-boundary": {"boundary": "fee/TARGET", **BASIS},
    "retire-batna": BASIS,
    "proposal-status": {"proposal": "c1", "status": "RECORDED_IN_ERROR", "reason": "Mistyped."},
}
FORMS = {form.name: form for form in (*FRAME_FORMS, *RETIREMENT_FORMS)}


@pytest.fixture
def deal() -> Deal:
    return with_something_of_everything()


@pytest.fixture
def client(deal: Deal) -> Client:
    client = Client()
    client.force_login(deal.people[Role.ORCHESTRATOR])
    return client


def address(deal: Deal, name: str) -> str:
    return f"/negotiations/{deal.ref}/act/{name}/"


class TestAForm:
    @pytest.mark.parametrize("name", sorted(FORMS))
    def test_is_shown_and_performs_its_operation(self, deal: Deal, client: Client, name: str) -> None:
        before = deal.version

        shown = client.get(address(deal, name))
        sent = client.post(address(deal, name), {"stateVersion": before, **SENT[name]})

        assert shown.status_code == 200
        assert FORMS[name].title in shown.content.decode()
        assert sent.status_code == 302, sent.content.decode()[:2000]
        assert deal.version == before + 1
        assert check_negotiation(deal.ref) == []

    @pytest.mark.parametrize("name", sorted(FORMS))
    def test_that_says_nothing_comes_back_with_what_is_missing(self, deal: Deal, client: Client, name: str) -> None:
        before = deal.version

        sent = client.post(address(deal, name), {"stateVersion": before})

        assert sent.status_code in (404, 422)
        assert deal.version == before

    def test_of_the_deadline_clears_it_where_it_is_left_empty(self, deal: Deal, client: Client) -> None:
        deal.say("set_deadline", {"deadline": "2026-06-30", "reason": "Their year ends."})

        client.post(
            address(deal, "deadline"), {"stateVersion": deal.version, "deadline": "", "reason": "None any more."}
        )

        assert state_document(deal.row, now=deal.clock)["process"]["deadline"] is None


class TestWhatIsRetired:
    @pytest.mark.parametrize("page", ["", "brief/", "brief/markdown/", "deal/", "settings/", "timeline/", "as-it-was/"])
    def test_leaves_every_page_readable(self, deal: Deal, client: Client, page: str) -> None:
        for name in sorted(FORMS):
            client.post(address(deal, name), {"stateVersion": deal.version, **SENT[name], "evidenceRef": name})

        assert client.get(f"/negotiations/{deal.ref}/{page}").status_code == 200

    def test_is_offered_for_retiring_no_more(self, deal: Deal, client: Client) -> None:
        client.post(address(deal, "retire-boundary"), {"stateVersion": deal.version, **SENT["retire-boundary"]})

        shown = client.get(address(deal, "retire-boundary")).content.decode()

        assert "fee/TARGET" not in shown
        assert "fee/FLOOR" in shown
