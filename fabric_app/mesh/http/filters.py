"""Filters that live in the address: repeated values, `-value` to leave one out, positions and flags.

Anything that makes no sense is passed over: an address that somebody edited shows a page, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict

from fabric_app.mesh.row_filter import RowFilter

TRUE = frozenset({"1", "true", "yes", "on"})
MAX_VALUES = 20
MAX_CHARS = 500


@dataclass(frozen=True)
class FilterField:
    """One control of a filter bar. choices: words to choose from; without any it is a text."""

    name: str
    label: str
    choices: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ActiveFilter:
    """One value that is in the address now, and the address without it."""

    name: str
    value: str
    words: str
    without_address: str


@dataclass(frozen=True)
class FilterBar:
    """The filter of a list: controls to add a value, the values there are, and switches that are on or off."""

    fields: tuple[FilterField, ...]
    active: tuple[ActiveFilter, ...]
    flags: tuple[tuple[str, str, bool], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    address: str = ""

    @property
    def is_narrow(self) -> bool:
        return bool(self.active)


def filter_bar(
    request: HttpRequest,
    fields: Sequence[FilterField],
    *,
    flags: Sequence[tuple[str, str]] = (),
    kept: Sequence[tuple[str, str]] = (),
) -> FilterBar:
    """Return the bar for what the address says now. flags: name and words of a switch. kept: passed on."""
    active = tuple(
        ActiveFilter(each.name, value, _words(each, value), _without(request, each.name, value))
        for each in fields
        for value in values_of(request, each.name)
    )
    switches = tuple((name, words, flag(request, name)) for name, words in flags)
    return FilterBar(tuple(fields), active, switches, tuple(kept), request.path)


def values_of(request: HttpRequest, name: str) -> list[str]:
    """Return the values of a parameter that show something, each once."""
    given = (_clean(value) for value in request.GET.getlist(name))
    return list(dict.fromkeys(value for value in given if value not in ("", "-")))[:MAX_VALUES]


def split_values(values: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the values to show and those to leave out (`-value`)."""
    listed = list(values)
    return (
        tuple(value for value in listed if not value.startswith("-")),
        tuple(value[1:] for value in listed if value.startswith("-")),
    )


def row_filter(request: HttpRequest, name: str) -> RowFilter:
    """Return the filter that a parameter asks for."""
    return RowFilter(*split_values(values_of(request, name)))


def kept_query(request: HttpRequest, *names: str) -> dict[str, Any]:
    """Return these parameters as they are now, for an address that keeps them."""
    return {name: values_of(request, name) for name in names}


def flag(request: HttpRequest, name: str) -> bool:
    """Return whether a parameter says yes."""
    return request.GET.get(name, "").lower() in TRUE


def position(request: HttpRequest, name: str) -> int | None:
    """Return a sequence number from 1 on, or None where none is given."""
    text = request.GET.get(name, "")
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,17}", text) else None


def _clean(value: str) -> str:
    # NUL is no text for a database; a lone surrogate is none for an address.
    return value.replace("\0", "").encode("utf-8", "replace").decode()[:MAX_CHARS].strip()


def _words(field: FilterField, value: str) -> str:
    name = field.label.lower()
    return f"{name} not {value[1:]}" if value.startswith("-") else f"{name} {value}"


def _without(request: HttpRequest, name: str, value: str) -> str:
    query = QueryDict(mutable=True)
    for each, values in request.GET.lists():
        if each != "before":
            query.setlist(each, [other for other in values if (each, _clean(other)) != (name, value)])
    rest = query.urlencode()
    return f"{request.path}?{rest}" if rest else request.path
