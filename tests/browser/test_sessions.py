"""Sessions by hand: committed, contested in two tabs, taken back, imported; and for everyone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.server import Server
from tests.browser.test_everyone import violations
from tests.sessions.places import change, effect

pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.timeout(180)]

CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "李钰",
        "description": "雨夜书店的店主。",
        "first_mes": "“这么晚了，还在下雨吗？”",
        "alternate_greetings": ["“进来躲躲雨吧。”"],
        "character_book": {
            "name": "雨夜书店",
            "entries": [
                {
                    "keys": ["钟楼"],
                    "content": "钟楼每到雨夜就不再敲钟。",
                    "comment": "钟楼",
                    "enabled": True,
                    "insertion_order": 10,
                    "extensions": {"state_condition": 'state("story", "/好感度") >= 20'},
                },
                {
                    "keys": [],
                    "content": "好感度: [30, 她有多信任你]\n背包: [剑]\n时间: 21:00\n",
                    "comment": "[initvar]",
                    "enabled": False,
                    "insertion_order": 0,
                    "extensions": {},
                },
            ],
        },
    },
}


@pytest.fixture
def story(server: Server, signed_in: dict[str, object], request: pytest.FixtureRequest) -> str:
    """The id of a session of the test's own: 好感度 is 33, at revision 2."""
    return str(server.act("session_acts.role_play", title=request.node.name[:60]))


def live(page: Page) -> None:
    expect(page.locator("[data-live-page]")).to_have_text("live")


def begin_turn(page: Page, story: str) -> None:
    page.goto(f"/sessions/{story}/")
    page.get_by_role("button", name="Begin it").click()
    page.wait_for_url("**/turns/*/")


def type_effects(page: Page, *effects: Any) -> None:
    page.get_by_label("Effects").fill(json.dumps(list(effects), ensure_ascii=False))


class TestCommittingByHand:
    def test_is_refused_issue_by_issue_and_then_taken(self, page: Page, story: str):
        begin_turn(page, story)
        page.get_by_label("Text of the reply").fill("她笑了。")
        type_effects(page, effect(2, change("increment", "/好感", "trust", by=99)))

        page.get_by_role("button", name="Commit it").click()

        expect(page.locator(".issues")).to_contain_text("/effects/0/payload/changes/0")
        expect(page.get_by_label("Text of the reply")).to_have_value("她笑了。")
        type_effects(page, effect(2, change("increment", "/好感度", "trust", by=2)))
        page.get_by_role("button", name="Commit it").click()
        page.wait_for_url(f"**/sessions/{story}/**")
        expect(page.locator("#turn")).to_contain_text("/好感度")
        expect(page.locator("#state .tree-changed")).to_contain_text("35")
        expect(page.locator("#state .tree-changed")).to_contain_text("was 33")
        expect(page.locator("#messages")).to_contain_text("她笑了。")

    def test_is_tried_without_keeping_anything(self, page: Page, story: str):
        begin_turn(page, story)
        type_effects(page, effect(2, change("increment", "/好感度", "trust", by=2)))

        page.get_by_role("button", name="Try it").click()

        expect(page.locator("#outcome")).to_contain_text("35")
        page.goto(f"/sessions/{story}/")
        expect(page.locator("#state")).not_to_contain_text("35")

    def test_appears_in_another_window_without_reload(
        self, context: BrowserContext, page: Page, story: str, server: Server
    ):
        page.goto(f"/sessions/{story}/")
        live(page)

        server.act("session_acts.commit", session_id=story, changes=[change("increment", "/好感度", "trust", by=4)])

        expect(page.locator("#state .tree-changed")).to_contain_text("37")


class TestTwoTabs:
    def test_the_second_sees_the_newer_value_and_keeps_its_own_text(
        self, context: BrowserContext, page: Page, story: str
    ):
        second = context.new_page()
        begin_turn(page, story)
        begin_turn(second, story)
        type_effects(page, effect(2, change("increment", "/好感度", "trust", by=1)))
        type_effects(second, effect(2, change("increment", "/好感度", "trust", by=5)))
        second.get_by_label("Text of the reply").fill("我自己的话。")

        page.get_by_role("button", name="Commit it").click()
        page.wait_for_url(f"**/sessions/{story}/**")
        second.get_by_role("button", name="Commit it").click()

        expect(second.locator(".notice-wait")).to_contain_text("moved")
        expect(second.get_by_label("Text of the reply")).to_have_value("我自己的话。")
        expect(second.get_by_label("Effects")).to_have_value(re.compile('"by": 5'))
        expect(second.locator("#state")).to_contain_text("34")

    def test_a_correction_of_a_value_that_moved_comes_back_beside_it(self, page: Page, story: str, server: Server):
        page.goto(f"/sessions/{story}/namespaces/story/correct/?path=/好感度")
        page.get_by_role("textbox", name="Value").fill("77")
        page.get_by_label("Reason").fill("算错了")
        server.act("session_acts.commit", session_id=story, changes=[change("increment", "/好感度", "trust", by=4)])

        page.get_by_role("button", name="Correct it").click()

        expect(page.get_by_role("textbox", name="Value")).to_have_value("77")
        expect(page.get_by_label("Reason")).to_have_value("算错了")
        expect(page.locator("pre")).to_contain_text("37")
        page.get_by_role("button", name="Correct it").click()
        page.goto(f"/sessions/{story}/")
        expect(page.locator("#state")).to_contain_text("77")
        expect(page.locator("#messages")).to_contain_text("算错了")


class TestTakingBack:
    def test_shows_what_would_change_before_anything_does(self, page: Page, story: str):
        page.goto(f"/sessions/{story}/")
        page.get_by_role("link", name=re.compile("Delete message")).last.click()

        expect(page.locator("main")).to_contain_text("/好感度")
        expect(page.locator(".change-rows")).to_contain_text("33")
        expect(page.locator(".change-rows")).to_contain_text("30")
        page.get_by_role("button", name="Delete it").click()

        page.wait_for_url(f"**/sessions/{story}/")
        expect(page.locator("#state")).to_contain_text("30")
        expect(page.locator("#messages")).not_to_contain_text("她点点头。")

    def test_what_was_previewed_is_not_done_to_a_session_that_moved(self, page: Page, story: str, server: Server):
        page.goto(f"/sessions/{story}/")
        page.get_by_role("link", name=re.compile("Delete message")).last.click()
        page.get_by_label("Reason").fill("重来")
        server.act("session_acts.say", session_id=story, text="等等")

        page.get_by_role("button", name="Delete it").click()

        expect(page.locator(".notice-wait")).to_contain_text("moved")
        expect(page.get_by_label("Reason")).to_have_value("重来")
        page.get_by_role("button", name="Delete it").click()
        page.wait_for_url(f"**/sessions/{story}/")


class TestImporting:
    def test_a_card_is_previewed_and_becomes_a_session(self, page: Page, tmp_path: Path, signed_in: Any):
        card = tmp_path / "李钰.json"
        card.write_text(json.dumps(CARD, ensure_ascii=False))
        page.goto("/sessions/import/")

        page.get_by_label("File").set_input_files(card)

        expect(page.locator("#preview")).to_contain_text("雨夜书店")
        expect(page.locator("#preview")).to_contain_text("21:00")
        page.get_by_role("button", name="Import", exact=True).click()
        page.wait_for_url(re.compile(r"/sessions/[0-9a-f-]{36}/$"))
        expect(page.locator("#messages")).to_contain_text("这么晚了")
        expect(page.locator("#state")).to_contain_text("好感度")
        page.get_by_role("link", name="World books", exact=True).click()
        page.get_by_label("Text", exact=True).fill("我们去钟楼吧")
        page.get_by_role("button", name="Ask").click()
        expect(page.locator("#entries")).to_contain_text("钟楼每到雨夜就不再敲钟。")


class TestTyping:
    def test_a_definition_is_checked_with_places(self, page: Page, story: str):
        page.goto(f"/sessions/{story}/namespaces/story/definition/")
        definition = page.get_by_label("Definition", exact=True)
        broken = json.loads(definition.input_value())
        broken["rules"][0]["condition"] = 'state("story" "/hp")'

        definition.fill(json.dumps(broken, indent=2))

        expect(page.locator("#verdict")).to_contain_text("/rules/0/condition")
        definition.fill(json.dumps({**broken, "rules": []}))
        expect(page.locator("#verdict")).to_contain_text("it can be saved")

    def test_a_condition_is_answered_with_what_it_reads(self, page: Page, story: str):
        page.goto(f"/sessions/{story}/conditions/")
        condition = page.get_by_label("Condition", exact=True)

        condition.press_sequentially('state("story", "/好感度") > 30')

        expect(page.locator("#verdict .state")).to_have_text("holds")
        expect(page.locator("#verdict")).to_contain_text("33")
        condition.fill('state("story", "/金币") > 30')
        expect(page.locator("#verdict .state")).to_have_text("undecided")


@pytest.fixture(scope="module")
def screens(server: Server, signed_in: Any) -> list[str]:
    """Every page of sessions and world books, of a session that has everything at its longest."""
    made = server.act("session_acts.long_role_play")
    here, book = f"/sessions/{made['session']}", f"/world-books/{made['book']}"
    return [
        "/",
        "/sessions/",
        "/sessions/?title=长篇&quarantined=true",
        "/sessions/new/",
        "/sessions/import/",
        f"{here}/",
        f"{here}/messages/{made['message']}/",
        f"{here}/messages/{made['message']}/edit/",
        f"{here}/messages/{made['message']}/delete/",
        f"{here}/messages/{made['message']}/regenerate/",
        f"{here}/messages/{made['message']}/variants/",
        f"{here}/turns/{made['turn']}/",
        f"{here}/turns/{made['turn']}/cancel/",
        f"{here}/timeline/",
        f"{here}/timeline/?view=raw",
        f"{here}/events/2/",
        f"{here}/events/7/",
        f"{here}/events/7/state/",
        f"{here}/compare/?from=2&to=8",
        f"{here}/new-namespace/",
        f"{here}/namespaces/long/value/",
        f"{here}/namespaces/long/value/?path=/人物",
        f"{here}/namespaces/long/correct/",
        f"{here}/namespaces/long/definition/",
        f"{here}/namespaces/story/reset/",
        f"{here}/namespaces/story/delete/",
        f"{here}/conditions/?condition=state(%22story%22,%22/hp%22)%20>%203",
        f"{here}/books/",
        f"{here}/fork/",
        f"{here}/settings/",
        f"{here}/import/",
        "/world-books/",
        "/world-books/new/",
        f"{book}/",
        f"{book}/entry/",
        f"{book}/entry/?id=1",
    ]


class TestScreens:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_have_no_serious_fault_for_screen_readers(
        self, chromium: Browser, server: Server, signed_in: Any, screens: list[str], scheme: Any
    ):
        found = {}
        with chromium.new_context(
            base_url=server.address, storage_state=signed_in, color_scheme=scheme, reduced_motion="reduce"
        ) as context:
            page = context.new_page()
            for screen in screens:
                page.goto(screen)
                page.wait_for_timeout(250)
                found[screen] = violations(page)

        assert {screen: faults for screen, faults in found.items() if faults} == {}

    @pytest.mark.parametrize("width", [320, 390, 768])
    def test_need_no_sideways_scroll_and_show_html_as_text(
        self, chromium: Browser, server: Server, signed_in: Any, screens: list[str], width: int
    ):
        wide, broken, missing = [], [], []
        with chromium.new_context(
            base_url=server.address, storage_state=signed_in, viewport={"width": width, "height": 800}
        ) as context:
            page = context.new_page()
            for screen in screens:
                answer = page.goto(screen)
                page.wait_for_timeout(150)
                if answer is None or answer.status != 200:
                    missing.append(screen)
                if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                    wide.append(screen)
                if page.title() == "broken in":
                    broken.append(screen)

        assert (missing, wide, broken) == ([], [], [])
