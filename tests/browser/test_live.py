from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.acts import HTML
from tests.browser.server import Server

# What they start is the embedded default, whatever this run is given.
pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.timeout(180)]
SLOW_MS = 30_000


def live(page: Page) -> None:
    expect(page.locator("[data-live-page]")).to_have_text("live")


class TestWatching:
    def test_a_transition_typed_in_one_window_appears_in_the_others(
        self, context: BrowserContext, page: Page, harbour: str
    ):
        home = context.new_page()
        home.goto("/")
        page.goto(f"/workspaces/{harbour}/")
        live(home)
        live(page)
        typing = context.new_page()
        typing.goto(f"/workspaces/{harbour}/transitions/new/")

        typing.get_by_label("Label").fill("moor")
        typing.get_by_label(re.compile("^To")).fill("moored")
        typing.get_by_label("Claim").fill("The ship is fast.")
        typing.get_by_label("Evidence").fill("echo fast")
        typing.get_by_role("button", name="Record it").click()
        typing.wait_for_url(f"**/workspaces/{harbour}/")

        expect(page.locator("#head-title")).to_have_text("moored")
        expect(page.locator("#graph-picture svg")).to_have_count(1)
        expect(home.locator("#workspaces")).to_contain_text("moored")

    def test_the_form_shows_a_newer_head_while_one_types(self, page: Page, harbour: str, server: Server):
        page.goto(f"/workspaces/{harbour}/transitions/new/")
        live(page)
        page.get_by_label("Claim").fill("half a sentence")

        server.act("move", slug=harbour, label="overtake", to="overtaken", summary="")

        expect(page.locator("#head-now")).to_contain_text("overtaken")
        expect(page.get_by_label("Claim")).to_have_value("half a sentence")

    def test_open_details_stay_open_when_a_part_is_fetched_again(self, page: Page, harbour: str, server: Server):
        sequence = server.act("move", slug=harbour, label="dig", to="dug", summary="", evidence=["true"])
        page.goto(f"/workspaces/{harbour}/")
        live(page)
        details = page.locator(f"#transition-{sequence}")
        details.locator("summary").click()

        server.act("move", slug=harbour, label="fill", to="filled", summary="")

        expect(page.locator("#timeline")).to_contain_text("fill")
        expect(details).to_have_attribute("open", "")


class TestRunning:
    def test_commands_are_shown_run_and_certified(self, page: Page, harbour: str, server: Server):
        commands = [
            "for i in 1 2 3; do echo step $i; sleep 0.3; done",
            f"printf '%s' '{HTML.replace(chr(39), chr(34))}'",
        ]
        server.act("move", slug=harbour, label="build", to="built", summary=HTML, evidence=commands)
        page.goto(f"/workspaces/{harbour}/verify/")
        expect(page.locator(".commands code").first).to_have_text(commands[0])

        page.get_by_role("button", name="Run them on a worker").click()

        expect(page.locator("#output")).to_contain_text("step 3", timeout=SLOW_MS)
        expect(page.locator("#output-state")).to_have_text("ended", timeout=SLOW_MS)
        expect(page.locator("#run .state")).to_have_text("confirmed")
        expect(page.locator("#result")).to_contain_text("a certificate")
        expect(page.locator("#output")).to_contain_text("<img src=x")
        assert page.locator("#output img, #output script").count() == 0
        page.goto(f"/workspaces/{harbour}/")
        expect(page.locator("#head .state").first).to_have_text("certified")
        assert "broken in" not in page.title()

    def test_a_run_is_cancelled_with_a_reason(self, page: Page, harbour: str, server: Server):
        server.act("move", slug=harbour, label="wait", to="waited", summary="", evidence=["echo begun; sleep 100"])
        run = server.act("run", slug=harbour)
        page.goto(f"/runs/{run}/")
        expect(page.locator("#output")).to_contain_text("begun", timeout=SLOW_MS)

        page.locator("#cancel summary").click()
        page.get_by_label("Reason").fill("It is late.")
        page.get_by_role("button", name="Cancel the run").click()

        expect(page.locator("#run .state").first).to_have_text("cancelled", timeout=SLOW_MS)
        expect(page.locator(".cancel-steps")).to_contain_text("It is late.")
        expect(page.locator(".cancel-steps")).to_contain_text("Stopped")

    def test_output_goes_on_without_gap_or_repeat_when_the_server_comes_back(
        self, page: Page, harbour: str, server: Server
    ):
        counting = "for i in $(seq 1 60); do echo tick-$i-; sleep 0.25; done"
        server.act("move", slug=harbour, label="count", to="counted", summary="", evidence=[counting])
        run = server.act("run", slug=harbour)
        page.goto(f"/runs/{run}/")
        expect(page.locator("#output")).to_contain_text("tick-3-", timeout=SLOW_MS)

        server.kill_web()
        expect(page.locator("#output-state")).to_have_text("reconnecting")
        expect(page.locator("[data-live-page]")).to_have_text("reconnecting")
        server.start_web()

        expect(page.locator("#output-state")).to_have_text("live", timeout=SLOW_MS)
        expect(page.locator("#output-state")).to_have_text("ended", timeout=2 * SLOW_MS)
        expect(page.locator("[data-live-page]")).to_have_text("live", timeout=SLOW_MS)
        ticks = re.findall(r"tick-(\d+)-\n", page.locator("#output").text_content() or "")
        assert ticks == [str(number) for number in range(1, 61)]
        expect(page.locator("#run .state").first).to_have_text("confirmed", timeout=SLOW_MS)

    def test_long_output_is_cut_searched_and_loaded_backwards(self, page: Page, harbour: str, server: Server):
        printing = "for i in $(seq 1 30000); do echo line-$i-of-it; done"
        server.act("move", slug=harbour, label="print", to="printed", summary="", evidence=[printing])
        run = server.act("run", slug=harbour)
        page.goto(f"/runs/{run}/")
        expect(page.locator("#output-state")).to_have_text("ended", timeout=SLOW_MS)
        page.reload()

        before = len(page.locator("#output").text_content() or "")
        page.locator("#output-earlier").click()
        page.wait_for_function("length => document.getElementById('output').textContent.length > length", arg=before)
        page.get_by_label("Search", exact=True).fill("line-29999-of")
        expect(page.locator("#output-found")).to_have_text("1 of 1")
        assert before < 200_000
        lines = re.findall(r"line-(\d+)-of-it\n", page.locator("#output").text_content() or "")
        assert [int(line) for line in lines] == list(range(int(lines[0]), 30001))
