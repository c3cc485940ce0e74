"""How values look in the admin: as text, whatever they contain, and no more of them than a page can carry."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.utils.html import format_html

from fabric_app.mesh.clock import from_ms

LINE_CHARS = 80
BLOCK_CHARS = 16 * 1024

Cell = Callable[[Any, Any], Any]


def plain(text: str) -> str:
    """Return a text that can be sent: lone surrogates, which UTF-8 has no form for, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def line(value: Any) -> str:
    """Return a value on one short line; texts as they are, other values as JSON."""
    if value is None:
        return "-"
    text = plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= LINE_CHARS else text[:LINE_CHARS] + "…"


def pretty(value: Any) -> str:
    """Return a value as indented JSON, cut where a page could not carry it."""
    return cut(json.dumps(value, ensure_ascii=False, indent=2))


def cut(text: str) -> str:
    """Return the beginning of a text, and how much was left out."""
    omitted = len(text) - BLOCK_CHARS
    return plain(text) if omitted <= 0 else f"{plain(text[:BLOCK_CHARS])}\n… {omitted:,} more characters are stored."


def block(text: str) -> str:
    """Return a text as it is, in lines; what looks like HTML in it stays text."""
    return format_html('<pre class="record">{}</pre>', text)


def line_cell(name: str, title: str | None = None) -> Cell:
    """Return a column that shows a value on one line."""

    @admin.display(description=title or name.replace("_", " "))
    def cell(_admin: Any, row: Any) -> str:
        return line(getattr(row, name))

    return cell


def json_cell(name: str, title: str | None = None) -> Cell:
    """Return a field that shows a value as indented JSON."""

    @admin.display(description=title or name.replace("_", " "))
    def cell(_admin: Any, row: Any) -> str:
        value = getattr(row, name)
        return "-" if value is None else block(pretty(value))

    return cell


def actor_cell(name: str = "actor", title: str | None = None) -> Cell:
    """Return a column that shows who it was: name and kind."""

    @admin.display(description=title or name.replace("_", " "))
    def cell(_admin: Any, row: Any) -> str:
        actor = getattr(row, name)
        return plain(f"{actor['name']} ({actor['kind']})") if isinstance(actor, dict) else line(actor)

    return cell


def time_cell(name: str = "created_at_ms", title: str = "created at") -> Cell:
    """Return a column that shows milliseconds since 1970 as a time."""

    @admin.display(description=title)
    def cell(_admin: Any, row: Any) -> str:
        return exact(from_ms(getattr(row, name)))

    return cell


def moment_cell(name: str) -> Cell:
    """Return a column that shows a time to the millisecond."""

    @admin.display(description=name.replace("_", " "))
    def cell(_admin: Any, row: Any) -> str:
        moment = getattr(row, name)
        return "-" if moment is None else exact(moment)

    return cell


def exact(moment: datetime) -> str:
    """Return a time in UTC to the millisecond."""
    return moment.astimezone(UTC).isoformat(sep=" ", timespec="milliseconds").replace("+00:00", "Z")
