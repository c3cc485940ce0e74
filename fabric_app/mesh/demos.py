"""The stories that `manage.py demo` tells: each app registers its own."""

from __future__ import annotations

from collections.abc import Callable

Say = Callable[[str], None]
Story = Callable[[Say], None]

_stories: dict[str, Story] = {}


def register(name: str, run: Story) -> None:
    """Let the demo tell a story as well. `run` says what happens, and leaves alone what an earlier telling made."""
    _stories[name] = run


def registered() -> list[tuple[str, Story]]:
    return list(_stories.items())
