"""Addresses that take files: a form with a file may be larger than any other body, and goes to disk as it comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest
from django.urls import Resolver404, resolve

# What a view says of itself: a function by `takes_files`, a class by a member of this name.
MEMBER = "max_file_bytes"
FORM = "multipart/form-data"

View = TypeVar("View", bound=Callable[..., Any])


def takes_files(max_bytes: int) -> Callable[[View], View]:
    """Let a view take a form with a file of at most so many bytes."""

    def mark(view: View) -> View:
        setattr(view, MEMBER, max_bytes)
        return view

    return mark


def most_file_bytes(request: HttpRequest) -> int:
    """Return how large the files of a request may be; 0 where it is no form or its address takes none."""
    if request.content_type != FORM:
        return 0
    try:
        view = resolve(request.path_info).func
    except Resolver404:
        return 0
    most: int = getattr(view, MEMBER, 0) or getattr(getattr(view, "cls", None), MEMBER, 0)
    return most
