"""Pages for everyone: by keyboard, on a narrow screen, in the dark, for screen readers, without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.server import Server

# What they start is the embedded default, whatever this run is given.
pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.timeout(180)]

SCREENS = (
    "/",
    "/system/",
    "/new-workspace/",
    "/workspaces/gallery/",
    "/workspaces/gallery/timeline/?includeArchived=true&label=-x",
    "/workspaces/gallery/runs/",
    "/workspaces/gallery/complexity/?now=true",
    "/workspaces/gallery/events/",
    "/workspaces/gallery/events/?view=raw",
    "/workspaces/gallery/events/1/",
    "/workspaces/gallery/keys/",
    "/workspaces/gallery/activity/",
    "/workspaces/gallery/settings/",
    "/workspaces/gallery/transitions/new/",
    "/workspaces/gallery/goal/",
    "/workspaces/gallery/verify/",
    "/workspaces/shoal/",
    "/workspaces/empty/",
    "/workspaces/nowhere/",
)
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def run(server: Server, signed_in: dict[str, Any]) -> str:
    """The address of a run that is over."""
    return f"/runs/{server.act('run', slug='gallery')}/"


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found if each["impact"] in SERIOUS]


class TestScreens:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_have_no_serious_fault_for_screen_readers(
        self, chromium: Browser, server: Server, signed_in: Any, run: str, scheme: Any
    ):
        found = {}
        with chromium.new_context(
            base_url=server.address, storage_state=signed_in, color_scheme=scheme, reduced_motion="reduce"
        ) as context:
            page = context.new_page()
            for screen in (*SCREENS, run):
                page.goto(screen)
                page.wait_for_timeout(250)
                found[screen] = violations(page)

        assert {screen: faults for screen, faults in found.items() if faults} == {}

    @pytest.mark.parametrize("width", [320, 390, 768])
    def test_need_no_sideways_scroll(self, chromium: Browser, server: Server, signed_in: Any, run: str, width: int):
        wide = []
        with chromium.new_context(
            base_url=server.address, storage_state=signed_in, viewport={"width": width, "height": 800}
        ) as context:
            page = context.new_page()
            for screen in (*SCREENS, run):
                page.goto(screen)
                page.wait_for_timeout(150)
                if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                    wide.append(screen)

        assert wide == []

    def test_show_html_in_texts_as_text(self, page: Page, run: str):
        for screen in (*SCREENS, run):
            page.goto(screen)
            page.wait_for_timeout(100)
            assert "broken in" not in page.title()


@pytest.fixture
def plain(chromium: Browser, server: Server, signed_in: Any) -> Iterator[Page]:
    """A browser that runs no scripts."""
    with chromium.new_context(base_url=server.address, storage_state=signed_in, java_script_enabled=False) as context:
        yield context.new_page()


class TestWithoutScripts:
    def test_one_records_filters_verifies_and_reads_the_output(self, plain: Page, harbour: str, server: Server):
        plain.goto(f"/workspaces/{harbour}/")
        plain.get_by_role("link", name="Record transition").click()
        plain.get_by_label("Label").fill("moor")
        plain.get_by_label(re.compile("^To")).fill("moored")
        plain.get_by_label("Claim").fill("fast")
        plain.get_by_label("Evidence").fill("echo printed by it")
        plain.get_by_role("button", name="Record it").click()
        expect(plain.locator("#head-title")).to_have_text("moored")
        expect(plain.locator(".graph-list")).to_contain_text("moored by moor")

        plain.get_by_role("link", name="Timeline").click()
        plain.get_by_label("Label").fill("-moor")
        plain.get_by_role("button", name="Apply").click()
        expect(plain.locator("#timeline")).to_contain_text("No transition fits the filter")

        plain.get_by_role("link", name="Verify", exact=True).click()
        plain.get_by_role("button", name="Run them on a worker").click()
        for _ in range(40):
            plain.wait_for_timeout(500)
            plain.reload()
            if "ended" in (plain.locator("#output-state").text_content() or ""):
                break
        expect(plain.locator("#output")).to_contain_text("printed by it")
        expect(plain.locator("#result")).to_contain_text("a certificate")

    def test_a_run_is_cancelled_while_it_waits_or_runs(self, plain: Page, harbour: str, server: Server):
        server.act("move", slug=harbour, label="wait", to="waited", summary="", evidence=["sleep 100"])
        run = server.act("run", slug=harbour)
        plain.goto(f"/runs/{run}/")

        plain.locator("#cancel summary").click()
        plain.get_by_label("Reason").fill("enough")
        plain.get_by_role("button", name="Cancel the run").click()

        expect(plain.locator(".cancel-steps")).to_contain_text("enough")


class TestKeyboard:
    def test_slash_j_k_and_question_mark(self, page: Page):
        page.goto("/workspaces/gallery/timeline/?includeArchived=true")

        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "filter-label"
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        assert page.evaluate("[...document.querySelectorAll('[data-row]')].findIndex(r => r.matches('.key-row'))") == 0
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#keys")).not_to_be_visible()

    def test_carries_one_from_a_claim_to_its_certificate(self, page: Page, harbour: str, server: Server):
        server.act("move", slug=harbour, label="build", to="built", summary="", evidence=["true"])
        page.goto(f"/workspaces/{harbour}/")

        page.get_by_role("link", name="Verify", exact=True).focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Run them on a worker").focus()
        page.keyboard.press("Enter")

        expect(page.locator("#result")).to_contain_text("a certificate", timeout=30_000)

    def test_a_form_pressed_twice_has_one_effect(self, page: Page, harbour: str, server: Server):
        page.goto(f"/workspaces/{harbour}/transitions/new/")
        page.get_by_label("Label").fill("moor")
        page.get_by_label(re.compile("^To")).fill("moored")
        page.get_by_label("Claim").fill("fast")

        page.get_by_role("button", name="Record it").dblclick(no_wait_after=True)

        page.wait_for_url(f"**/workspaces/{harbour}/")
        expect(page.locator("#timeline .timeline-label")).to_have_count(1)
