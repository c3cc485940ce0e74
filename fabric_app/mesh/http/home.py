"""What apps put on the home page: things that need a person, counts, a section of their own.

The page fetches itself again when something that is watched is another than before; `wake_on_commit(WAKE_UP)` makes it
look at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest

from fabric_app.mesh.http.values import Need

WAKE_UP = "fabric"


@dataclass(frozen=True)
class HomePart:
    """One app's part, for the account that asks. The template finds its context as `part`.

    counts: `{word, number}` each.
    """

    template: str
    context: dict[str, Any] = field(default_factory=dict)
    needs: list[Need] = field(default_factory=list)
    counts: list[dict[str, Any]] = field(default_factory=list)


_providers: list[Callable[[HttpRequest], HomePart]] = []
_watched: dict[str, Callable[[], Any]] = {}


def contribute(provider: Callable[[HttpRequest], HomePart]) -> None:
    """Add a part to the home page; called when its app is ready."""
    if provider not in _providers:
        _providers.append(provider)


def contributions(request: HttpRequest) -> list[HomePart]:
    return [provider(request) for provider in _providers]


def watch(name: str, value: Callable[[], Any]) -> None:
    """Have the home page fetched again whenever a value (small, plain JSON) is another than before."""
    _watched[name] = value


def watched() -> dict[str, Any]:
    return {name: value() for name, value in _watched.items()}
