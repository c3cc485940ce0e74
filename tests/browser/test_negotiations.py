"""The pages of a negotiation in a real browser. Source: issue "Negotiation", "Done when"."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.timeout(180)]


@pytest.fixture
def deal(server: Server, signed_in: dict[str, object], request: pytest.FixtureRequest) -> str:
    """The ref of a negotiation of the test's own."""
    return str(server.act("negotiation_acts.opened", ref="n" + str(abs(hash(request.node.nodeid)) % 10**12)))


class TestPosition:
    def test_an_offer_that_arrives_while_the_page_is_open_is_shown(self, page: Page, deal: str, server: Server):
        server.act("negotiation_acts.offer", ref=deal, amount="118")
        page.goto(f"/negotiations/{deal}/")
        expect(page.locator("[data-live-page]")).to_have_text("live")
        expect(page.locator("main")).not_to_contain_text("115")

        server.act("negotiation_acts.offer", ref=deal, amount="115")

        expect(page.locator("main")).to_contain_text("115")
        expect(page.locator("#offers-fee canvas")).to_be_visible()
        assert page.title() != "broken in"


class TestStalePatch:
    def test_what_is_still_valid_is_applied_and_the_newer_target_stands(self, page: Page, deal: str, server: Server):
        # given a patch that was made before the target moved
        server.act("negotiation_acts.suggest", ref=deal, patch="lower")
        server.act("negotiation_acts.aim", ref=deal, amount="95", source="board")
        page.goto(f"/negotiations/{deal}/patches/")
        page.get_by_role("link", name="lower").first.click()

        # when it is reviewed: then, now, proposed
        stale = page.locator("article.operation", has_text="aim-lower")
        expect(stale.locator(".three-sides > div")).to_contain_text(["90", "95", "80"])
        expect(stale.get_by_role("checkbox")).to_be_disabled()
        expect(page.locator("article.operation", has_text="list-price").get_by_role("checkbox")).to_be_checked()
        page.get_by_role("button", name="Apply what is ticked").click()

        # then one operation is applied, and one is parked
        expect(page.locator(".messages, [role=status]").first).to_be_visible()
        after = server.act("negotiation_acts.state", ref=deal)
        assert (after["target"], after["statuses"]) == ("95", {"lower-list": "KNOWN"})
        assert after["patches"] == {"lower": "PARTIALLY_APPLIED"}


class TestContradiction:
    def test_it_is_resolved_with_a_reason_and_new_evidence(self, page: Page, deal: str, server: Server):
        # given two prices that are both known
        name = server.act("negotiation_acts.contradict", ref=deal)
        page.goto(f"/negotiations/{deal}/")
        page.get_by_role("link", name=name).first.click()

        # when one is upheld without evidence, it is refused and what was typed stays
        page.get_by_role("radio", name="uphold").check()
        page.get_by_label("Which holds").select_option("list-new")
        page.get_by_label("Reason").fill("The newer list says so.")
        page.get_by_role("button", name="Resolve").click()
        expect(page.get_by_label("Reason")).to_have_value("The newer list says so.")
        assert server.act("negotiation_acts.state", ref=deal)["open"] == [name]

        # when new evidence is given
        page.get_by_label("New evidence: name").fill("list-2027")
        page.get_by_label("New evidence: kind").select_option("OFFICIAL_RECORD")
        page.get_by_label("New evidence: where it stands").fill("Price list 2027, p. 1")
        page.get_by_role("button", name="Resolve").click()
        page.wait_for_url(f"**/negotiations/{deal}/")

        # then it is closed, and the other one is kept as superseded
        after = server.act("negotiation_acts.state", ref=deal)
        assert (after["open"], after["superseded"]) == ([], ["list-old"])
