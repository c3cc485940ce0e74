"""Links that apps put at the top of every page."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest


@dataclass(frozen=True)
class Link:
    """A word and the page that it leads to; `place` is what the pages below it put into their context."""

    word: str
    url_name: str
    place: str


_links: dict[str, Link] = {}


def add(word: str, url_name: str, place: str) -> None:
    """Add a link; called when its app is ready."""
    _links[place] = Link(word, url_name, place)


def navigation(_request: HttpRequest) -> dict[str, list[Link]]:
    """Give every template the links; a context processor that the settings name."""
    return {"navigation": list(_links.values())}
