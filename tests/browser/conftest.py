"""A real Chromium before a real server with a real worker. Where the machine has no Chromium the tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.server import Server

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WAIT_MS = 20_000


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("No Chromium on this machine: install one (Debian: apt-get install chromium) to run these tests.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The product, with Maya as its operator and the workspaces of the gallery."""
    server = Server(tmp_path_factory.mktemp("browser"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="package")
def signed_in(server: Server, chromium: Browser) -> dict[str, object]:
    """The cookies of Maya, who came by her link."""
    link = server.act("people")
    context = chromium.new_context(base_url=server.address)
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in to Statehouse").click()
    page.wait_for_url(f"{server.address}/")
    server.act("gallery")
    state = context.storage_state()
    context.close()
    return dict(state)


@pytest.fixture
def context(server: Server, chromium: Browser, signed_in: dict[str, object]) -> Iterator[BrowserContext]:
    """A fresh window of Maya's browser."""
    context = chromium.new_context(base_url=server.address, storage_state=signed_in)  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page of Maya's; errors of scripts and breaches of the policy fail the test."""
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
    yield page
    assert errors == []


@pytest.fixture
def harbour(server: Server, signed_in: dict[str, object], request: pytest.FixtureRequest) -> str:
    """The name of a workspace of the test's own."""
    slug = "w" + str(abs(hash(request.node.nodeid)) % 10**12)
    server.act("workspace", slug=slug, title=request.node.name[:60])
    return slug
