"""What other apps put on the home page and at the top of every page."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest
from pytest_django import Settings

from fabric_app.live import FabricChanges
from fabric_app.mesh.http import home, navigation
from fabric_app.mesh.http.home import HomePart
from fabric_app.mesh.http.values import BAD, HALT, Need, State
from tests.pages.conftest import browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An app of letters, with one that was lost."""
    (tmp_path / "_letters.html").write_text('<section id="letters">{{ part.greeting }}</section>')
    [engine] = settings.TEMPLATES
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], tmp_path]}]

    def part(request: HttpRequest) -> HomePart:
        return HomePart(
            "_letters.html",
            {"greeting": f"Letters of <{request.user.get_username()}>"},
            [Need(State("lost", BAD, HALT), "A letter is lost", "/letters/1/", "Write it again.")],
            [{"word": "letters on their way", "number": 41}],
        )

    monkeypatch.setattr(home, "_providers", [part])


class TestHomePage:
    @pytest.mark.usefixtures("letters")
    def test_shows_the_part_of_another_app_with_its_needs_and_counts(self, reader: User) -> None:
        shown = browser_of(reader).get("/").content.decode()

        assert f"Letters of &lt;{reader.get_username()}&gt;" in shown
        assert 'href="/letters/1/">A letter is lost' in shown
        assert "<dt>letters on their way</dt><dd>41</dd>" in shown
        assert shown.index('id="workspaces"') < shown.index('id="letters"') < shown.index('id="audit"')

    def test_changes_when_something_that_is_watched_does(self, monkeypatch: pytest.MonkeyPatch) -> None:
        count = [1]
        before = FabricChanges().latest()
        monkeypatch.setitem(home._watched, "letters", lambda: count[0])
        one = FabricChanges().latest()
        count[0] = 2

        assert len({before, one, FabricChanges().latest()}) == 3


class TestEveryPage:
    def test_leads_to_the_pages_that_apps_add(self, reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(navigation, "_links", {})
        navigation.add("Workshop", "home", "home")

        assert '<a href="/" aria-current="page">Workshop</a>' in browser_of(reader).get("/").content.decode()
